/**
 * What a restore costs by depth and by length: `npm run bench depth`. A run fills a slot of 1 KB at each checkpoint, as the paper's study does, and works
 * between two of them. Counted in two ways, each as a ratio to whole snapshots at every checkpoint, whose last one is read:
 *
 *   the paper's way   nothing is made durable: a complaint answered on a journal in memory, beside a snapshot parsed and stood on;
 *   ours              what a crash leaves stands: the same on an SQLite file, beside the snapshot read from a file, stood on and written back
 *                     durable; and a fresh process that takes the run up from its base, beside one that reads the snapshot.
 *
 * Prints medians and targets; a missed target is printed as missed. Nothing is asserted: a busy machine is no defect.
 */
import { closeSync, fsyncSync, mkdtempSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type JournalStore, loadConfig, memoryStore } from 'belay-sidecar';
import { sqliteStore } from 'belay-sidecar/sqlite';
import { attach, resume, type Sidecar } from 'belay-sidecar/xstate';
import { assign, createActor, setup } from 'xstate';

const ROUNDS = 21;
const SIZES = [
  [1, 1_000],
  [5, 1_000],
  [64, 1_000],
  [64, 10_000],
  [64, 100_000],
] as const;
const GOAL = 1.0;
/** The growth from the fewest steps to the most that still counts as flat. */
const FLAT = 1.5;

type Event =
  | { readonly type: 'fill'; readonly slot: string; readonly value: string }
  | { readonly type: 'work'; readonly n: number }
  | { readonly type: 'next' };

const machine = setup({
  types: { context: {} as { slots: Record<string, string>; n: number }, events: {} as Event },
  actions: {
    work: assign(({ event }) => (event.type === 'work' ? { n: event.n } : {})),
    fill: assign(({ context, event }) =>
      event.type === 'fill' ? { slots: { ...context.slots, [event.slot]: event.value } } : {},
    ),
  },
}).createMachine({
  id: 'depth',
  context: { slots: {}, n: 0 },
  initial: 'open',
  states: {
    open: { on: { fill: { target: 'filled', actions: 'fill' }, work: { actions: 'work' } } },
    filled: { on: { next: 'open', work: { actions: 'work' } } },
  },
});

const { config } = loadConfig(
  `belay: 1
agent: depth
tries: 1000
tools: {}
skeletons:
  Fill:
    entity: '"it"'
    states: [open, filled]
    entry: [open]
    outputs: ['slots/*', n]
    commit: [{ id: filled, at: filled, when: 'true', outputs: [] }]
    rollback: { anchors: [filled], tries: 1000 }
`,
  { file: 'depth.yaml' },
);

const median = (times: readonly number[]) => [...times].sort((a, b) => a - b)[times.length >> 1] as number;
const verdict = (met: boolean) => (met ? 'met' : 'MISSED');

async function timed(rounds: number, act: () => unknown, before: () => unknown = () => undefined): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    await before();
    const began = performance.now();
    await act();
    times.push(performance.now() - began);
  }
  return median(times);
}

/** A run of so many checkpoints and steps. @returns it, with the snapshot at its last checkpoint. */
async function filled(journal: JournalStore, depth: number, steps: number) {
  if (config === null) throw new Error('the config of the bench is not right');
  const sidecar = await attach(machine, { run: 'depth', config, journal });
  sidecar.actor.start();
  let last = '';
  for (let slot = 0; slot < depth; slot += 1) {
    for (let n = 0; n < Math.floor(steps / depth); n += 1) {
      sidecar.actor.send({ type: 'work', n });
      if (n % 100 === 99) await sidecar.durable();
    }
    sidecar.actor.send({ type: 'fill', slot: `slot${slot}`, value: 'x'.repeat(1_000) });
    last = JSON.stringify(sidecar.actor.getPersistedSnapshot());
    if (slot < depth - 1) sidecar.actor.send({ type: 'next' });
  }
  await sidecar.durable();
  return { sidecar, last };
}

/** The time of a complaint until the machine stands at its last checkpoint again, with one step behind that to take back. */
function restored(sidecar: Sidecar): Promise<number> {
  const instance = { skeleton: 'Fill', entity: 'it', ordinal: 0 };
  let n = 0;
  const stray = async () => {
    n += 1;
    sidecar.actor.send({ type: 'work', n: -n });
    await sidecar.durable();
  };
  return timed(ROUNDS, () => sidecar.fail('CONTRACT_VIOLATION', { instance }), stray);
}

const stand = (text: string) =>
  createActor(machine, { snapshot: JSON.parse(text) })
    .start()
    .stop();

function written(file: string, text: string): void {
  const handle = openSync(file, 'w');
  writeSync(handle, text);
  fsyncSync(handle);
  closeSync(handle);
}

interface Measured {
  readonly ours: number;
  readonly inline: number;
}

async function ofOne(depth: number, steps: number): Promise<Record<string, Measured>> {
  const folder = mkdtempSync(join(tmpdir(), 'belay-depth-'));
  try {
    const inMemory = await filled(memoryStore(), depth, steps);
    const theirs = { ours: await restored(inMemory.sidecar), inline: await timed(ROUNDS, () => stand(inMemory.last)) };
    await inMemory.sidecar.close();
    const [path, file] = [join(folder, 'journal.sqlite'), join(folder, 'snapshot.json')];
    let journal = sqliteStore(path);
    const { sidecar, last } = await filled(journal, depth, steps);
    written(file, last);
    const back = () => {
      const text = readFileSync(file, 'utf8');
      stand(text);
      written(file, text);
    };
    const durable = { ours: await restored(sidecar), inline: await timed(ROUNDS, back) };
    await sidecar.close();
    await journal.close();
    const taken = async () => {
      journal = sqliteStore(path);
      const again = await resume(machine, { run: 'depth', config: config as NonNullable<typeof config>, journal });
      again.actor.start();
      return again;
    };
    const ups: number[] = [];
    for (let round = 0; round < 5; round += 1) {
      const began = performance.now();
      const again = await taken();
      ups.push(performance.now() - began);
      await again.close();
      await journal.close();
    }
    const fresh = { ours: median(ups), inline: await timed(ROUNDS, () => stand(readFileSync(file, 'utf8'))) };
    return { 'the paper’s way, in memory': theirs, 'ours, durable': durable, 'ours, a fresh process': fresh };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const all: { readonly depth: number; readonly steps: number; readonly of: Record<string, Measured> }[] = [];
for (const [depth, steps] of SIZES) {
  const of = await ofOne(depth, steps);
  all.push({ depth, steps, of });
  for (const [name, { ours, inline }] of Object.entries(of))
    console.log(
      `depth ${depth}, ${steps} steps, ${name}: ${ours.toFixed(3)} ms, whole snapshots ${inline.toFixed(3)} ms, ratio ${(ours / inline).toFixed(2)}${depth === 64 ? ` (${GOAL} at most: ${verdict(ours / inline <= GOAL)})` : ''}`,
    );
}
const deep = all.filter(({ depth }) => depth === 64);
for (const name of Object.keys(deep[0]?.of ?? {})) {
  const times = deep.map(({ of }) => (of[name] as Measured).ours);
  const growth = (times.at(-1) as number) / (times[0] as number);
  console.log(
    `${name}: ${growth.toFixed(2)} times from 1,000 to 100,000 steps (${FLAT} at most: ${verdict(growth <= FLAT)})`,
  );
}
