/** Turns that only read beside turns that change something: what each leaves in the journal, and what is decided behind them. */
import { type Decision, loadConfig, memoryStore, type StoredRow, traceOf } from 'belay-sidecar';
import { attach } from 'belay-sidecar/xstate';
import { assign, setup } from 'xstate';

/** What a run of turns has left. */
export interface Left {
  readonly rows: number;
  readonly bytes: number;
  /** The bases that were made while it ran. */
  readonly bases: number;
  readonly checkpoints: number;
  /** The answers to complaints behind the turns, without the numbers of events: those differ with the rows. */
  readonly decisions: readonly string[];
}

type Turn = { readonly type: 'ask'; readonly about: string } | { readonly type: 'set'; readonly n: number };

const machine = setup({
  types: { context: {} as { n: number; told: number }, events: {} as Turn },
  // A turn that only reads: its answer leaves by the action, and nothing of the run changes.
  actions: { answer: () => undefined },
}).createMachine({
  id: 'turns',
  context: { n: 0, told: 0 },
  initial: 'open',
  states: {
    open: {
      on: { ask: { actions: 'answer' }, set: { target: 'kept', actions: assign({ n: ({ event }) => event.n }) } },
    },
    kept: {
      on: { ask: { actions: 'answer' }, set: { target: 'open', actions: assign({ n: ({ event }) => event.n }) } },
    },
  },
});

const { config } = loadConfig(
  `belay: 1
agent: turns
tools: {}
skeletons:
  Talk:
    entity: '"it"'
    states: [open, kept]
    entry: [open]
    outputs: [n]
    commit: [{ id: set, at: kept, when: 'memory.n > 0' }]
    rollback: { anchors: [set], tries: 10 }
`,
  { file: 'turns.yaml' },
);

/** Runs turns of which some only read: `reads` of every `of`. */
export async function turnsOf(
  turns: number,
  { reads, of }: { readonly reads: number; readonly of: number },
): Promise<Left> {
  if (config === null) throw new Error('the config of the turns is not right');
  const store = memoryStore();
  const open = store.open.bind(store);
  let bases = 0;
  let entries: () => readonly StoredRow[] = () => [];
  store.open = async (run, mode) => {
    const journal = await open(run, mode);
    const keep = journal.keep.bind(journal);
    journal.keep = (base) => {
      bases += 1;
      keep(base);
    };
    entries = () => [...journal.read()];
    return journal;
  };
  const decisions: Decision[] = [];
  const onDecision = ({ decision }: { readonly decision: Decision }) => void decisions.push(decision);
  const sidecar = await attach(machine, { run: 'turns', config, journal: store, onDecision });
  sidecar.actor.start();
  await sidecar.durable();
  const before = entries().length;
  for (let n = 1, set = 1; n <= turns; n += 1) {
    if (n % of < reads) sidecar.actor.send({ type: 'ask', about: 'n' });
    else sidecar.actor.send({ type: 'set', n: set++ });
  }
  await sidecar.durable();
  const rows = entries().slice(before);
  const left = { rows: rows.length, bytes: rows.reduce((sum, { body }) => sum + body.length, 0), bases };
  const boundaries = [...traceOf('turns', entries())].filter(({ text }) => text.startsWith('{"do":"boundary"'));
  const instance = { skeleton: 'Talk', entity: 'it', ordinal: 0 };
  await sidecar.fail('CONTRACT_VIOLATION', { instance });
  await sidecar.fail('CONTRACT_VIOLATION', { instance, key: 'n' });
  await sidecar.close();
  return { ...left, checkpoints: boundaries.length, decisions: decisions.map(withoutNumbers) };
}

function withoutNumbers(decision: Decision): string {
  return JSON.stringify(decision, (name, value) =>
    name === 'at' || name === 'step' || name === 'write' ? undefined : value,
  );
}
