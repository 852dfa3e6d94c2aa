/**
 * A research agent that surveys a field: what a search finds leads to further questions, and the open ones are its frontier. It goes on until no
 * question is open or the budget is out, and reports what it has found.
 */
import { tool } from 'belay-sidecar/xstate';
import { assign, setup } from 'xstate';

/** The answer of a search, and the questions that it leads to. */
export type Found = { says: string; leads: string[] };
/** A question of the frontier: its number, the number of the question that led to it, and its text. */
export type Question = { nth: string; from: string; ask: string };
type Memory = { goal: string; findings: Record<string, Found>; reply: string | null };

/** Searches, and sends the report. */
export interface Library {
  search(call: { input: Question }): Promise<Found>;
  reply(call: { input: { goal: string; says: string[] }; key: string | undefined }): Promise<string>;
}

/** The open questions, those that were led to first in front: `1`, then its leads `1.1` and `1.2`, then theirs. */
export function frontier({ goal, findings }: Pick<Memory, 'goal' | 'findings'>): Question[] {
  const open: Question[] = [];
  const asked: Question[] = [{ nth: '1', from: '', ask: goal }];
  for (const question of asked) {
    const found = findings[question.nth];
    if (found === undefined) open.push(question);
    for (const [at, ask] of (found?.leads ?? []).entries())
      asked.push({ nth: `${question.nth}.${at + 1}`, from: question.nth, ask });
  }
  return open;
}

/** The question that is asked next. */
const next = (memory: Memory): Question => frontier(memory)[0] ?? { nth: '', from: '', ask: '' };

/** The machine over a library. */
export function surveyAgent(library: Library) {
  return setup({
    types: { context: {} as Memory, input: {} as { goal: string } | undefined },
    actors: {
      search: tool<Found, Question>(library.search),
      reply: tool<string, { goal: string; says: string[] }>(({ input, key }) => library.reply({ input, key })),
    },
  }).createMachine({
    id: 'survey',
    context: ({ input }) => ({ goal: input?.goal ?? 'how do tides work', findings: {}, reply: null }),
    initial: 'choosing',
    states: {
      choosing: {
        always: [{ guard: ({ context }) => frontier(context).length > 0, target: 'searching' }, { target: 'gathered' }],
      },
      searching: {
        invoke: {
          src: 'search',
          input: ({ context }) => next(context),
          onDone: {
            target: 'choosing',
            actions: assign({
              findings: ({ context, event }) => ({ ...context.findings, [next(context).nth]: event.output }),
            }),
          },
          // The budget is out: what was found by then is reported. Any other error is left to the sidecar.
          onError: {
            guard: ({ event }) => event.error instanceof Error && event.error.name === 'Denied',
            target: 'gathered',
          },
        },
      },
      gathered: { always: 'replying' },
      replying: {
        invoke: {
          src: 'reply',
          input: ({ context: { goal, findings } }) => ({ goal, says: Object.values(findings).map(({ says }) => says) }),
          onDone: { target: 'replied', actions: assign({ reply: ({ event }) => event.output }) },
        },
      },
      replied: { type: 'final' },
    },
  });
}

/** A library of paper, so that two runs are the same: the goal leads to two questions, and the first of them to one more. */
const LEADS: Readonly<Record<string, string[]>> = { '1': ['why', 'how'], '1.1': ['who says so'] };

const paperLibrary: Library = {
  search: async ({ input: { nth, ask } }) => ({ says: `page about ${ask}`, leads: LEADS[nth] ?? [] }),
  reply: async ({ input }) => `sent: ${input.says.length} pages on ${input.goal}`,
};

export const machine = surveyAgent(paperLibrary);
