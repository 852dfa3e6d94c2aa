/** K branches write to one store, one of them is kept, and the store is watched: what of the others was ever seen, and what is left. */
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BoundaryConfig, loadConfig, type ToolCall } from 'belay-sidecar';
import { attach, tool } from 'belay-sidecar/xstate';
import { assign, sendTo, setup } from 'xstate';
import { fieldOf, typed } from '../../domains/there.ts';

/**
 * The ways of trying several branches. Belay stages what each writes, or writes at once and undoes what the losers wrote; a plain
 * program writes at once, and cleans up afterwards or does not.
 */
export const WAYS = ['staged', 'undone', 'cleaned', 'direct'] as const;
export type Way = (typeof WAYS)[number];

/** The counts of one way with so many branches. */
export interface Tried {
  readonly way: Way;
  readonly branches: number;
  runs: number;
  /** Runs in which a file of a branch was seen that was not chosen, at least then. */
  transient: number;
  /** Runs at whose end a file of a loser is there. */
  contaminated: number;
  /** The files of losers that are there at the end. */
  leaked: number;
  /** Runs at whose end the file of the winner is not there. */
  lost: number;
  /** From the end of the last branch until the machine receives the choice, in microseconds; none of a plain program. */
  readonly waits: number[];
}

/** The folder that the branches write into: a file a branch, and the names of those that were seen before they were chosen. */
class Shared {
  readonly root = mkdtempSync(join(tmpdir(), 'belay-branches-'));
  readonly early = new Set<string>();
  chosen: string | null = null;

  write(branch: string): void {
    writeFileSync(join(this.root, branch), branch);
    if (this.chosen !== branch) this.early.add(branch);
  }

  remove(branch: string): void {
    rmSync(join(this.root, branch), { force: true });
  }

  /** The branches whose files are there. */
  get left(): readonly string[] {
    return readdirSync(this.root);
  }
}

function configOf(isStaged: boolean): BoundaryConfig {
  const { config, findings } = loadConfig(
    `
belay: 1
agent: branches
tools:
  write: { effect: compensable, undo: remove, reads: [], writes: ['file:{args.branch}']${isStaged ? ', buffer: true' : ''} }
alternatives:
  Way: { at: trying, branch: way, choose: { rule: best, score: int(event.output.score) } }
skeletons: {}
`,
    { file: 'branches.yaml' },
  );
  if (config === null) throw new Error(findings.map(({ message }) => message).join('\n'));
  return config;
}

const CONFIGS = { staged: configOf(true), undone: configOf(false) };

interface Branch {
  readonly branch: string;
  readonly score: number;
}

function machineOf(shared: Shared, branches: readonly Branch[]) {
  const write = tool(async ({ input }: ToolCall<Branch>) => {
    shared.write(input.branch);
    return input.branch;
  });
  const way = setup({ types: typed<Branch, Branch>(), actors: { write } }).createMachine({
    context: ({ input }) => input,
    initial: 'writing',
    states: {
      writing: { invoke: { src: 'write', input: ({ context }) => context, onDone: 'written' } },
      written: { on: { GO: 'over' } },
      over: { type: 'final' },
    },
    output: ({ context }) => ({ score: context.score }),
  });
  return setup({ types: typed<{ won: string | null }, undefined>(), actors: { way } }).createMachine({
    id: 'branches',
    context: { won: null },
    initial: 'trying',
    states: {
      trying: {
        invoke: branches.map((input) => ({ src: 'way' as const, id: input.branch, input })),
        on: {
          '@belay.chosen': {
            target: 'over',
            actions: assign({ won: ({ event }) => String(event['branch']) }),
          },
          '@belay.none': 'over',
          GO: { actions: sendTo(({ event }) => String(event['to']), { type: 'GO' }) },
        },
      },
      over: { type: 'final' },
    },
  });
}

/** One run under Belay. @returns the time from the end of the last branch to the choice, in microseconds. */
async function underBelay(way: 'staged' | 'undone', shared: Shared, branches: readonly Branch[]): Promise<number> {
  const machine = machineOf(shared, branches);
  const undo = { remove: async ({ args }: { args: unknown }) => shared.remove(String(fieldOf(args, 'branch'))) };
  const sidecar = await attach(machine, { run: 'branches', config: CONFIGS[way], undo });
  const { actor } = sidecar;
  const isWritten = (branch: string) => {
    const child = actor.getSnapshot().children[branch];
    return fieldOf(child?.getSnapshot(), 'value') === 'written';
  };
  const chosen = new Promise<void>((resolve) => {
    actor.subscribe(({ context: { won } }) => {
      if (won === null) return;
      shared.chosen = won;
      resolve();
    });
  });
  actor.start();
  while (!branches.every(({ branch }) => isWritten(branch))) await new Promise((resolve) => setImmediate(resolve));
  await sidecar.durable();
  const go = (to: string) => actor.send({ type: 'GO', to });
  const last = branches.at(-1)?.branch ?? '';
  for (const { branch } of branches) if (branch !== last) go(branch);
  const began = performance.now();
  go(last);
  await chosen;
  const waited = (performance.now() - began) * 1_000;
  const { status } = await sidecar.finished();
  await sidecar.close();
  if (status !== 'done') throw new Error(`a run of branches is ${status}`);
  return waited;
}

/** One run of a plain program. */
function plainly(way: 'cleaned' | 'direct', shared: Shared, branches: readonly Branch[]): void {
  for (const { branch } of branches) shared.write(branch);
  const [won] = [...branches].sort((a, b) => b.score - a.score);
  shared.chosen = won?.branch ?? null;
  if (way === 'cleaned') for (const { branch } of branches) if (branch !== shared.chosen) shared.remove(branch);
}

/** Tries so many branches, so often. The branch that wins is another one each time. */
export async function tried(way: Way, branches: number, runs: number): Promise<Tried> {
  const waits: number[] = [];
  const count = { way, branches, runs, transient: 0, contaminated: 0, leaked: 0, lost: 0, waits };
  for (let nth = 0; nth < runs; nth += 1) {
    const all = Array.from({ length: branches }, (_, at) => ({ branch: `b${at}`, score: (at + nth) % branches }));
    const shared = new Shared();
    try {
      if (way === 'staged' || way === 'undone') waits.push(await underBelay(way, shared, all));
      else plainly(way, shared, all);
      const { left, chosen, early } = shared;
      const losers = left.filter((branch) => branch !== chosen);
      count.transient += early.size > 0 ? 1 : 0;
      count.contaminated += losers.length > 0 ? 1 : 0;
      count.leaked += losers.length;
      count.lost += chosen === null || !left.includes(chosen) ? 1 : 0;
    } finally {
      rmSync(shared.root, { recursive: true, force: true });
    }
  }
  return count;
}
