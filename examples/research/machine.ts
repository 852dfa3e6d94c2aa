/**
 * A research agent as a tool loop (ReAct): a model reads what was done so far and says what to do next, until it says that it has an
 * answer. Its notes go into a notebook, and its answer goes to the person who asked.
 */
import { tool } from 'belay-sidecar/xstate';
import { assign, setup } from 'xstate';

/** The answer of the model: one tool and the text that it is given. */
export type Step = { does: 'search' | 'read' | 'note' | 'reply'; about: string };
/** A turn of the loop: the step that the model chose, and what its tool answered. */
type Turn = Step & { saw: string | null };
type Turns = Record<string, Turn>;
type Memory = { question: string; turn: number; turns: Turns; reply: string | null };
type About = { turn: string; about: string };

/** A model that follows a script, so that two runs are the same. A real one is named under `replay` of the rehearsal. */
function nextStep(question: string, turns: readonly Turn[]): Step {
  const last = turns.at(-1);
  if (last === undefined) return { does: 'search', about: question };
  if (last.does === 'search') return { does: 'read', about: last.saw ?? '' };
  if (last.does === 'read') return { does: 'note', about: last.saw ?? '' };
  const pages = turns.filter(({ does }) => does === 'read').length;
  if (pages < 2) return { does: 'search', about: `${question}, in detail` };
  return { does: 'reply', about: turns.flatMap((turn) => (turn.does === 'note' ? [turn.about] : [])).join(' ') };
}

const chosen = ({ turn, turns }: Memory, step: Step): Turns => ({ ...turns, [turn]: { ...step, saw: null } });
const observed = ({ turn, turns }: Memory, saw: string) => {
  const now = turns[turn];
  return { turn: turn + 1, turns: now === undefined ? turns : { ...turns, [turn]: { ...now, saw } } };
};
const about = ({ turn, turns }: Memory): About => ({ turn: String(turn), about: turns[turn]?.about ?? '' });

/** Stands for the mail server: a real one answers a second call of the same key with its first receipt. */
const send = (_key: string | undefined, receipt: string): string => receipt;

export const machine = setup({
  types: { context: {} as Memory, input: {} as { question: string } | undefined },
  actors: {
    think: tool<Step, { turn: string; question: string; turns: Turn[] }>(async ({ input }) =>
      nextStep(input.question, input.turns),
    ),
    search: tool<string, About>(async ({ input }) => `page about ${input.about}`),
    read: tool<string, About>(async ({ input }) => `text of ${input.about}`),
    note: tool<string, About>(async ({ input }) => `noted ${input.about.length} letters`),
    reply: tool<string, { question: string; text: string }>(async ({ input, key }) => send(key, `sent: ${input.text}`)),
  },
}).createMachine({
  id: 'research',
  context: ({ input }) => ({ question: input?.question ?? 'how do tides work', turn: 0, turns: {}, reply: null }),
  initial: 'next',
  states: {
    next: { always: 'thinking' },
    thinking: {
      invoke: {
        src: 'think',
        input: ({ context: { turn, question, turns } }) => ({
          turn: String(turn),
          question,
          turns: Object.values(turns),
        }),
        onDone: [
          {
            guard: ({ event }) => event.output.does === 'search',
            target: 'searching',
            actions: assign({ turns: ({ context, event }) => chosen(context, event.output) }),
          },
          {
            guard: ({ event }) => event.output.does === 'read',
            target: 'reading',
            actions: assign({ turns: ({ context, event }) => chosen(context, event.output) }),
          },
          {
            guard: ({ event }) => event.output.does === 'note',
            target: 'noting',
            actions: assign({ turns: ({ context, event }) => chosen(context, event.output) }),
          },
          {
            target: 'replying',
            actions: assign({ turns: ({ context, event }) => chosen(context, event.output) }),
          },
        ],
      },
    },
    searching: {
      invoke: {
        src: 'search',
        input: ({ context }) => about(context),
        onDone: { target: 'next', actions: assign(({ context, event }) => observed(context, event.output)) },
      },
    },
    reading: {
      invoke: {
        src: 'read',
        input: ({ context }) => about(context),
        onDone: { target: 'next', actions: assign(({ context, event }) => observed(context, event.output)) },
      },
    },
    noting: {
      invoke: {
        src: 'note',
        input: ({ context }) => about(context),
        onDone: { target: 'next', actions: assign(({ context, event }) => observed(context, event.output)) },
      },
    },
    replying: {
      invoke: {
        src: 'reply',
        input: ({ context }) => ({ question: context.question, text: about(context).about }),
        onDone: { target: 'replied', actions: assign({ reply: ({ event }) => event.output }) },
      },
    },
    replied: { type: 'final' },
  },
});
