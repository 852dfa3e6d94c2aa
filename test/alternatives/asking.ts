/** An agent that asks a person which of its branches is chosen, for tests by hand. */
import { memoryStore } from '../../src/index.ts';
import type { StoredRow } from '../../src/journal/journal.ts';
import { timelineOf } from '../../src/reports/timeline.ts';
import { workClient } from '../../src/workers/index.ts';
import { attach, type resume, type Sidecar } from '../../src/xstate/index.ts';
import { until } from '../poll.ts';
import { agentOf, type Seen } from './agent.ts';

export const TOOLS = `
  look: { reads: [], writes: [], effect: none }
  book: { reads: [], writes: ['seat:{args.branch}'], effect: compensable, undo: un, reconcile: find }
  mail: { reads: [], writes: [], effect: irreversible, reconcile: find }`;
const BRANCHES = { rome: ['book', 'mail'], oslo: ['book'] };

interface Given {
  readonly branches?: Readonly<Record<string, readonly string[]>>;
  readonly choose?: string;
  readonly act?: (seen: Seen) => unknown;
}

/** An agent that asks a person, in a store of its own. */
export function agent({
  branches = BRANCHES,
  choose = 'rule: gate, score: "entity == \'oslo\' ? 2 : 1"',
  act,
}: Given = {}) {
  const [seen, undone]: [Seen[], string[]] = [[], []];
  const store = memoryStore();
  const given = { branches, tools: TOOLS, choose, ...(act !== undefined && { act }) };
  const open = async (how: typeof attach | typeof resume = attach) => {
    const { machine, config } = agentOf(given, seen);
    const un = async ({ args }: { args: unknown }) => void undone.push((args as { branch: string }).branch);
    const reconcilers = { find: () => ({ is: 'not_applied' as const }) };
    const options = { run: 'trip', config, journal: store, undo: { un }, reconcilers, keepAlive: false };
    const sidecar = await how(machine, options as never);
    sidecar.actor.start();
    return sidecar;
  };
  const told = () => timelineOf(store.read('trip') as Iterable<StoredRow>);
  const wonBy = (sidecar: Sidecar) => (sidecar.actor.getSnapshot() as { context: { won: string | null } }).context.won;
  return { seen, undone, store, open, told, wonBy, client: workClient(store) };
}

/** The request for a branch, once there is one that was not seen before. */
export async function asked(sidecar: Sidecar, before = '') {
  const found = () => sidecar.requests().find(({ asks, gate }) => asks === 'branch' && gate !== before);
  await until(() => found() !== undefined);
  await sidecar.durable();
  return found() as NonNullable<ReturnType<typeof found>>;
}
