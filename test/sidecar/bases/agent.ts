/** An agent whose runs have many steps, and whose work can be found wrong. */
import { assign, setup } from 'xstate';
import { type JournalStore, loadConfig, memoryStore } from '../../../src/index.ts';
import { EntryEncoder } from '../../../src/journal/entry-codec.ts';
import { Names } from '../../../src/journal/names.ts';
import { RunNoteFold } from '../../../src/reports/run-note.ts';
import { BaseWriter } from '../../../src/sidecar/bases/writing-bases.ts';
import { SPACING } from '../../../src/sidecar/opening/options.ts';
import { readRun } from '../../../src/sidecar/opening/read-run.ts';
import { attach, resume, type SidecarOptions } from '../../../src/xstate/index.ts';

/** Writes one of seven rows with each event, or a note. */
const machine = setup({
  types: {
    context: {} as { rows: Record<string, number>; notes: string[] },
    events: {} as { type: 'set'; n: number } | { type: 'note'; text: string },
  },
  actions: {
    write: assign(({ context, event }) =>
      event.type === 'set' ? { rows: { ...context.rows, [`row${event.n % 7}`]: event.n } } : {},
    ),
    note: assign(({ context, event }) => (event.type === 'note' ? { notes: [...context.notes, event.text] } : {})),
  },
}).createMachine({
  id: 'rows',
  context: { rows: { row1: 0 }, notes: [] },
  initial: 'a',
  states: {
    a: { on: { set: { target: 'b', actions: 'write' }, note: { actions: 'note' } } },
    b: { on: { set: { target: 'a', actions: 'write' }, note: { actions: 'note' } } },
  },
});

const loaded = loadConfig(
  `belay: 1
agent: rows
tools: {}
keys: { append: [notes] }
events: { set: { reads: [] }, note: { reads: [] } }
skeletons:
  Work: { entity: '"it"', states: [a, b], entry: [a], inputs: [], outputs: ['rows/*', notes], commit: [{ id: one, at: b, when: 'memory.rows.row1 >= 0' }], rollback: { anchors: [one] } }`,
  { file: 'rows.yaml' },
);
if (loaded.config === null) throw new Error('the config is refused');
/** Its reviewed config. */
const { config } = loaded;

/** Begins or takes up a run, whose bases come after so many rows. */
export async function opened(
  store: JournalStore,
  mode: 'attach' | 'resume',
  rows: number,
  more: Partial<SidecarOptions> = {},
) {
  const options = { run: 'r', config, journal: store, [SPACING]: { rows, times: 0, newest: 2 }, ...more };
  const sidecar = await (mode === 'attach' ? attach : resume)(machine, options);
  sidecar.actor.start();
  return sidecar;
}

/** Sends so many events, each a step, with a long note among ten. */
export function steps({ actor }: Awaited<ReturnType<typeof opened>>, from: number, count: number): void {
  for (let n = from; n < from + count; n += 1)
    actor.send(n % 10 === 9 ? { type: 'note', text: `${n} ${'x'.repeat(400)}` } : { type: 'set', n });
}

/** What a run has come to, for comparing it with another. */
export const standing = ({ actor }: Awaited<ReturnType<typeof opened>>) => {
  const { value, context } = actor.getSnapshot() as { value: unknown; context: unknown };
  return { value, context };
};

/** The state of a run of so many steps, and what makes bases of it: of older steps than the newest, pages of the base have what they did. */
export async function stateOf(count: number) {
  const store = memoryStore();
  const sidecar = await opened(store, 'attach', 1_000_000);
  steps(sidecar, 0, count);
  await sidecar.close();
  const { runState, reader } = readRun([...store.read('r')]);
  const writer = new BaseWriter(new EntryEncoder(new Names(reader.names.all), []), [], null);
  return { runState, base: (newest = 2) => writer.base(runState, new RunNoteFold(), newest) };
}
