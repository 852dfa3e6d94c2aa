/**
 * A scraper: it lists the pages of a site and works on two of them at a time. Each page has a machine of its own, which fetches it, has a
 * model take the facts out of it, and stores them in an index. Once all are through, a digest goes to the readers.
 */
import { tool } from 'belay-sidecar/xstate';
import { assign, setup } from 'xstate';

type Facts = { title: string; words: number };
type Page = { url: string; text: string | null; facts: Facts | null; stored: string | null };
type Memory = { site: string; pages: Record<string, { stored?: string }>; digest: string | null };
type Lane = 'left' | 'right';

const page = setup({
  types: { input: {} as { url: string }, context: {} as Page, output: {} as string },
  actors: {
    fetchPage: tool<string, { url: string }>(async ({ input }) => `text of ${input.url}`),
    extract: tool<Facts, { url: string; text: string }>(async ({ input: { text } }) => {
      return { title: text, words: text.split(' ').length };
    }),
    store: tool<string, { url: string; facts: Facts }>(async ({ input }) => `${input.url}: ${input.facts.title}`),
  },
}).createMachine({
  id: 'page',
  context: ({ input: { url } }) => ({ url, text: null, facts: null, stored: null }),
  initial: 'fetching',
  output: ({ context }) => context.stored ?? '',
  states: {
    fetching: {
      invoke: {
        src: 'fetchPage',
        input: ({ context: { url } }) => ({ url }),
        onDone: { target: 'extracting', actions: assign({ text: ({ event }) => event.output }) },
      },
    },
    extracting: {
      invoke: {
        src: 'extract',
        input: ({ context: { url, text } }) => ({ url, text: text ?? '' }),
        onDone: { target: 'storing', actions: assign({ facts: ({ event }) => event.output }) },
      },
    },
    storing: {
      invoke: {
        src: 'store',
        input: ({ context: { url, facts } }) => ({ url, facts: facts ?? { title: '', words: 0 } }),
        onDone: { target: 'stored', actions: assign({ stored: ({ event }) => event.output }) },
      },
    },
    stored: { type: 'final' },
  },
});

const lanes: Record<Lane, (index: number) => boolean> = {
  left: (index) => index % 2 === 0,
  right: (index) => index % 2 === 1,
};
const next = ({ pages }: Memory, lane: Lane) =>
  Object.keys(pages).find((url, index) => lanes[lane](index) && pages[url]?.stored === undefined);
const stored = ({ pages }: Memory, text: string): Memory['pages'] => {
  const [url = ''] = text.split(': ');
  return { ...pages, [url]: { stored: text } };
};

/** Stands for the mail server: a real one answers a second call of the same key with its first receipt. */
const send = (_key: string | undefined, receipt: string): string => receipt;

export const machine = setup({
  types: { context: {} as Memory, input: {} as { site: string } | undefined },
  actors: {
    page,
    listPages: tool<string[], { site: string }>(async ({ input: { site } }) =>
      ['a', 'b', 'c'].map((name) => `${site}/${name}`),
    ),
    sendDigest: tool<string, { lines: string[] }>(async ({ input, key }) =>
      send(key, `digest of ${input.lines.length} pages`),
    ),
  },
}).createMachine({
  id: 'scraper',
  context: ({ input }) => ({
    site: input?.site ?? 'news',
    pages: {},
    digest: null,
  }),
  initial: 'listing',
  states: {
    listing: {
      invoke: {
        src: 'listPages',
        input: ({ context: { site } }) => ({ site }),
        onDone: {
          target: 'scraping',
          actions: assign({ pages: ({ event }) => Object.fromEntries(event.output.map((url) => [url, {}])) }),
        },
      },
    },
    scraping: {
      type: 'parallel',
      states: {
        left: {
          initial: 'next',
          states: {
            next: {
              always: [{ guard: ({ context }) => next(context, 'left') === undefined, target: 'through' }, 'page'],
            },
            page: {
              invoke: {
                src: 'page',
                input: ({ context }) => ({ url: next(context, 'left') ?? '' }),
                onDone: {
                  target: 'next',
                  actions: assign({ pages: ({ context, event }) => stored(context, event.output) }),
                },
              },
            },
            through: { type: 'final' },
          },
        },
        right: {
          initial: 'next',
          states: {
            next: {
              always: [{ guard: ({ context }) => next(context, 'right') === undefined, target: 'through' }, 'page'],
            },
            page: {
              invoke: {
                src: 'page',
                input: ({ context }) => ({ url: next(context, 'right') ?? '' }),
                onDone: {
                  target: 'next',
                  actions: assign({ pages: ({ context, event }) => stored(context, event.output) }),
                },
              },
            },
            through: { type: 'final' },
          },
        },
      },
      onDone: 'sending',
    },
    sending: {
      invoke: {
        src: 'sendDigest',
        input: ({ context }) => ({ lines: Object.values(context.pages).map((each) => each.stored ?? '') }),
        onDone: { target: 'sent', actions: assign({ digest: ({ event }) => event.output }) },
      },
    },
    sent: { type: 'final' },
  },
});
