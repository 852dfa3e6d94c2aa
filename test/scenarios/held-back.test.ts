/**
 * Work that is held back, driven at random: regions stage, commit, are found wrong and go back, in any order. Whatever happened, what
 * is visible in the end is what the memory says was committed, once each, and nothing else is left anywhere (semantics.md E4, E5). Where
 * control came to a boundary while an earlier commit of the same instance was still being made, that boundary does not certify, a finding
 * says so, and the ending names what was not published.
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { assign, setup } from 'xstate';
import type { BoundaryConfig } from '../../src/boundaries/config.ts';
import { loadConfig } from '../../src/boundaries/load.ts';
import type { StagingArea, Undo } from '../../src/effects/counterparty.ts';
import { NotApplied } from '../../src/effects/signals.ts';
import { memoryStore } from '../../src/journal/memory/store.ts';
import type { ToolCall } from '../../src/runtime/tool-call.ts';
import { attach, resume } from '../../src/xstate/attach.ts';
import { tool } from '../../src/xstate/tool.ts';
import { entriesOf } from '../journal/entries-of.ts';

const REGIONS = ['a', 'b', 'c'] as const;
type Region = (typeof REGIONS)[number];

/** What is done next: a region stages or commits, is found wrong, or the process ends and another one goes on. */
type Step = { readonly does: 'stage' | 'commit' | 'fail'; readonly region: Region } | { readonly does: 'restart' };

const { config } = loadConfig(
  `belay: 1
agent: regions
tries: 1000
tools:
${REGIONS.map((name) => `  stage_${name}: { reads: [${name === 'a' ? 'seen' : 'a, seen'}], writes: [${name}], effect: reversible, undo: take_back, buffer: board }`).join('\n')}
skeletons:
${REGIONS.map(
  (name) => `  ${name.toUpperCase()}:
    entity: '"it"'
    states: [work.${name}.open, work.${name}.staging]
    entry: [work.${name}.open]
    inputs: [seen]
    outputs: [${name}]
    commit:
      - { id: kept, at: work.${name}.open, when: 'memory.${name}.kept == memory.${name}.staged', outputs: [] }
    rollback: { anchors: [kept], tries: 1000, joint: [A, B, C] }`,
).join('\n')}
keys: { blind: [a, b, c] }`,
  { file: 'regions.yaml' },
);

interface Count {
  readonly staged: number;
  readonly kept: number;
}

/** What is staged and what can be seen; now and then it refuses, or acts and does not say so. */
class Board {
  readonly staged = new Set<string>();
  readonly visible = new Map<string, string>();
  readonly published = new Set<string>();
  #draws: readonly number[];
  #drawn = 0;

  constructor(draws: readonly number[]) {
    this.#draws = [...draws, 9];
  }

  #draw(): number {
    this.#drawn += 1;
    return this.#draws[this.#drawn % this.#draws.length] ?? 9;
  }

  readonly buffer: StagingArea = {
    publish: (calls, { id }) => {
      const drawn = this.#draw();
      if (drawn === 0) throw new NotApplied('busy');
      if (!this.published.has(id)) {
        for (const { key, tool: name } of calls) {
          if (!this.staged.delete(key)) throw new Error(`${key} is not staged`);
          this.visible.set(key, name);
        }
        this.published.add(id);
      }
      if (drawn === 1) throw new Error('the reply was lost');
    },
    discard: (calls) => {
      for (const { key } of calls) this.staged.delete(key);
    },
  };

  readonly takeBack: Undo = ({ key }) => void this.visible.delete(key);
}

const region = (name: Region) => ({
  initial: 'idle',
  states: {
    idle: { on: { [`start ${name}`]: 'open' } },
    open: {
      on: {
        [`stage ${name}`]: 'staging',
        [`commit ${name}`]: {
          target: 'open',
          reenter: true,
          actions: assign(({ context }: { context: Record<Region, Count> }) => ({
            [name]: { ...context[name], kept: context[name].staged },
          })) as never,
        },
      },
    },
    staging: {
      invoke: {
        src: `stage_${name}`,
        onDone: {
          target: 'open',
          actions: assign(({ context }: { context: Record<Region, Count> }) => ({
            [name]: { ...context[name], staged: context[name].staged + 1 },
          })) as never,
        },
      },
    },
  },
});

function machineOn(board: Board) {
  const stages = tool(async ({ key }: ToolCall<unknown>) => void board.staged.add(key as string));
  const actors = Object.fromEntries(REGIONS.map((name) => [`stage_${name}`, stages]));
  const none: Count = { staged: 0, kept: 0 };
  return setup({ actors: actors as Record<string, typeof stages> }).createMachine({
    id: 'regions',
    context: { a: none, b: none, c: none, seen: 0 },
    initial: 'work',
    states: {
      work: {
        type: 'parallel',
        states: { a: region('a'), b: region('b'), c: region('c') },
        on: { end: 'over' },
      },
      over: { type: 'final' },
    },
  } as never);
}

const steps = fc.array(
  fc.oneof(
    {
      weight: 9,
      arbitrary: fc.record({ does: fc.constantFrom('stage', 'commit', 'fail'), region: fc.constantFrom(...REGIONS) }),
    },
    { weight: 1, arbitrary: fc.constant({ does: 'restart' as const }) },
  ),
  { minLength: 4, maxLength: 24 },
) as fc.Arbitrary<Step[]>;

const stage = (region: Region) => ({ does: 'stage', region }) as const;
const commit = (region: Region) => ({ does: 'commit', region }) as const;
const BUSY: Step[] = [
  stage('a'),
  stage('b'),
  commit('b'),
  stage('b'),
  stage('a'),
  stage('a'),
  commit('a'),
  commit('b'),
];
const AT_THE_END: Step[] = [
  stage('b'),
  stage('a'),
  commit('b'),
  { does: 'fail', region: 'a' },
  stage('b'),
  stage('c'),
  commit('c'),
  stage('a'),
];

async function drive(all: readonly Step[], draws: readonly number[]) {
  const board = new Board(draws);
  const options = {
    run: 'r',
    config: config as BoundaryConfig,
    journal: memoryStore(),
    buffers: { board: board.buffer },
    undo: { take_back: board.takeBack },
  };
  let sidecar = await attach(machineOn(board) as never, options as never);
  sidecar.actor.start();
  const send = (type: string) => sidecar.actor.send({ type } as never);
  const calm = () => sidecar.durable().then(() => new Promise((resolve) => setTimeout(resolve, 1)));
  for (const name of REGIONS) send(`start ${name}`);
  for (const step of all) {
    if (step.does === 'restart') {
      await sidecar.close();
      sidecar = await resume(machineOn(board) as never, options as never);
      sidecar.actor.start();
    } else if (step.does === 'fail') {
      const instance = { skeleton: step.region.toUpperCase(), entity: 'it', ordinal: 0 };
      await sidecar.fail('CONTRACT_VIOLATION', { instance });
    } else send(`${step.does} ${step.region}`);
    await calm();
  }
  const value = () => (sidecar.actor.getSnapshot() as unknown as { value: unknown }).value;
  while (value() !== 'over') {
    if (sidecar.status === 'parked') await sidecar.reconcile();
    send('end');
    await calm();
  }
  // The machine is over, and a commit of it may still have to be made: one that is refused waits longer before each further try.
  let ending = await sidecar.finished();
  for (; ending.status !== 'done'; ending = await sidecar.finished()) await sidecar.reconcile();
  const { context } = sidecar.actor.getSnapshot() as unknown as { context: Record<Region, Count> };
  await sidecar.close();
  const entries = entriesOf(options.journal.read('r'));
  const commits = entries.flatMap((entry) => (entry.do === 'publish' ? [entry.keys.length] : []));
  const { unpublished = [] } = ending as { readonly unpublished?: readonly string[] };
  const left = entries.flatMap((entry) =>
    entry.do === 'intent' && unpublished.includes(entry.key) ? [entry.tool] : [],
  );
  const uncertified = entries.flatMap((entry) =>
    entry.do === 'finding' && entry.code === 'not_certified' && entry.text.endsWith('is open')
      ? [entry.instance?.skeleton.toLowerCase()]
      : [],
  );
  return { board, context, commits, left, uncertified };
}

test('what is visible in the end is what was committed, once each, and nothing is left behind', async () => {
  await fc.assert(
    fc.asyncProperty(steps, fc.array(fc.nat(12), { minLength: 1, maxLength: 9 }), async (all, draws) => {
      const { board, context, commits, left, uncertified } = await drive(all, draws);
      expect(commits).not.toContain(0);
      for (const name of REGIONS) {
        const { kept } = context[name];
        const visible = [...board.visible.values()].filter((of) => of === `stage_${name}`).length;
        if (uncertified.includes(name)) expect(visible).toBeLessThanOrEqual(kept);
        else expect([name, visible]).toEqual([name, kept]);
        // What is promised in memory and cannot be seen is named.
        expect(visible + left.filter((of) => of === `stage_${name}`).length).toBeGreaterThanOrEqual(kept);
      }
      expect(board.staged.size).toBe(0);
    }),
    {
      numRuns: 40,
      examples: [
        // The second commit of b comes while its first one, which had waited for a, is refused and tried again.
        [BUSY, [0]],
        // The commit of c is refused three times while the machine is over already.
        [AT_THE_END, [0, 0, 0]],
      ],
    },
  );
});
