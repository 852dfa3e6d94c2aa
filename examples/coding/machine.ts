/**
 * A coding agent: a model plans the tasks of a goal and writes one file for each, and the tests run. Where they pass, the edits become one
 * commit, which is pushed once a person has approved it. Where they fail, the model writes what is missing, until the money is out.
 */
import { tool } from 'belay-sidecar/xstate';
import { assign, setup } from 'xstate';

/** A task of the plan: a file, and what is to become of it. */
export type Task = { path: string; wish: string };
/** A file as the model wrote it, and the price of the answer. */
export type Draft = { content: string; cents: number };
/** What a tool changed in the checkout: the commit, and its lines. */
type Change = { commit: string; added: number | null; removed: number | null };
/** What the tests say. */
export type Tests = { green: boolean; says: string };
/** What the memory holds of each task, by its number. */
type Numbered<T> = Record<string, T>;

type Memory = {
  goal: string;
  branch: string;
  tasks: Numbered<Task>;
  drafts: Numbered<Draft>;
  edits: Numbered<Change>;
  round: number;
  tests: Tests | null;
  commit: Change | null;
  pushed: unknown;
};

/** A call as a tool gets it. */
type Call<Input> = { input: Input; key: string | undefined; signal: AbortSignal };

/** The tools: a model that plans and writes, a checkout, and the tests of the project. */
export interface Workshop {
  plan(call: Call<{ goal: string }>): Promise<{ tasks: Task[]; cents: number }>;
  draft(call: Call<{ nth: string; task: Task }>): Promise<Draft>;
  edit(call: Call<{ nth: string; path: string; content: string }>): Promise<Change>;
  test(call: Call<{ round: string }>): Promise<Tests>;
  commit(call: Call<{ message: string }>): Promise<Change>;
  push(call: Call<{ commit: string; branch: string }>): Promise<unknown>;
}

/** How often the model may write what the tests miss. */
const ROUNDS = 2;

/** A denial of a budget or of a person is the agent's business; any other error is left to its runtime. */
const isDenied = ({ event }: { event: { error: unknown } }): boolean =>
  event.error instanceof Error && event.error.name === 'Denied';
/** The number of the task that is next: the first without its edit. No unit writes it, so that none rests on the one before. */
const next = ({ edits }: Memory): string => String(Object.keys(edits).length + 1);
const taskOf = (memory: Memory): Task => memory.tasks[next(memory)] ?? { path: '', wish: '' };
const isLast = (memory: Memory): boolean => next(memory) === String(Object.keys(memory.tasks).length);

/** The task to mend the file that was written last. */
const mended = ({ tasks }: Memory, { says }: Tests): Task => {
  return { path: Object.values(tasks).at(-1)?.path ?? '', wish: `the tests say: ${says}` };
};

/** The machine over the tools of a workshop. */
export function codingAgent(workshop: Workshop) {
  return setup({
    types: { context: {} as Memory, input: {} as { goal: string; branch: string } | undefined },
    actors: {
      plan: tool(workshop.plan),
      draft: tool(workshop.draft),
      edit: tool(workshop.edit),
      test: tool(workshop.test),
      commit: tool(workshop.commit),
      push: tool(workshop.push),
    },
    actions: {
      edited: assign({
        edits: ({ context, event }) => ({
          ...context.edits,
          [next(context)]: (event as unknown as { output: Change }).output,
        }),
      }),
    },
  }).createMachine({
    id: 'coding',
    context: ({ input }) => ({
      goal: input?.goal ?? 'say when a shop is open',
      branch: input?.branch ?? 'opening-hours',
      tasks: {},
      drafts: {},
      edits: {},
      round: 0,
      tests: null,
      commit: null,
      pushed: null,
    }),
    initial: 'planning',
    states: {
      planning: {
        invoke: {
          src: 'plan',
          input: ({ context: { goal } }) => ({ goal }),
          onDone: {
            target: 'drafting',
            actions: assign({
              tasks: ({ event }) => Object.fromEntries(event.output.tasks.map((task, at) => [String(at + 1), task])),
            }),
          },
        },
      },
      drafting: {
        invoke: {
          src: 'draft',
          input: ({ context }) => ({ nth: next(context), task: taskOf(context) }),
          onDone: {
            target: 'editing',
            actions: assign({ drafts: ({ context, event }) => ({ ...context.drafts, [next(context)]: event.output }) }),
          },
          // The money is out: a person says what becomes of the edits.
          onError: { guard: isDenied, target: 'red' },
        },
      },
      editing: {
        invoke: {
          src: 'edit',
          input: ({ context }) => ({
            nth: next(context),
            path: taskOf(context).path,
            content: context.drafts[next(context)]?.content ?? '',
          }),
          onDone: [
            { guard: ({ context }) => isLast(context), target: 'testing', actions: 'edited' },
            { target: 'drafting', actions: 'edited' },
          ],
        },
      },
      testing: {
        invoke: {
          src: 'test',
          input: ({ context: { round } }) => ({ round: String(round) }),
          onDone: [
            {
              guard: ({ event }) => event.output.green,
              target: 'committing',
              actions: assign({ tests: ({ event }) => event.output }),
            },
            {
              guard: ({ context }) => context.round < ROUNDS,
              target: 'drafting',
              actions: assign(({ context, event }) => ({
                tests: event.output,
                round: context.round + 1,
                tasks: { ...context.tasks, [next(context)]: mended(context, event.output) },
              })),
            },
            { target: 'red', actions: assign({ tests: ({ event }) => event.output }) },
          ],
        },
      },
      // A person cancels with `--undo`, which takes every edit out again, or has the tests run once more.
      red: { on: { RETEST: 'testing' } },
      committing: {
        invoke: {
          src: 'commit',
          input: ({ context: { goal } }) => ({ message: goal }),
          onDone: { target: 'pushing', actions: assign({ commit: ({ event }) => event.output }) },
        },
      },
      pushing: {
        invoke: {
          src: 'push',
          input: ({ context: { commit, branch } }) => ({ commit: commit?.commit ?? '', branch }),
          onDone: { target: 'pushed', actions: assign({ pushed: ({ event }) => event.output }) },
          onError: { guard: isDenied, target: 'declined' },
        },
      },
      pushed: { type: 'final' },
      declined: { type: 'final' },
    },
  });
}

const FILES = ['hours', 'days', 'holidays'];

/** A workshop that acts on nothing, so that two runs are the same: a model that follows a script, and tests that pass the second time. */
const paperWorkshop: Workshop = {
  plan: async () => ({ tasks: FILES.map((name) => ({ path: `${name}.txt`, wish: `write ${name}` })), cents: 12 }),
  draft: async ({ input }) => ({ content: `${input.task.wish}\n`, cents: 30 }),
  edit: async ({ input }) => ({ commit: `edit ${input.nth}`, added: input.content.split('\n').length - 1, removed: 0 }),
  test: async ({ input }) =>
    input.round === '0' ? { green: false, says: '1 failed' } : { green: true, says: '3 passed' },
  commit: async ({ input }) => ({ commit: `commit of ${input.message}`, added: 3, removed: 0 }),
  push: async ({ input, key }) => ({ ref: `refs/heads/${input.branch}`, commit: input.commit, by: key !== undefined }),
};

export const machine = codingAgent(paperWorkshop);
