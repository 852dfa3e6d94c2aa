/** `approve`, `deny` and `settle` with `--all`: lists the matching requests, and leaves an answer for each. */
import { PROCESS } from '../../clock/clock.ts';
import { type Answer, messageOf } from '../../effects/messages/answers.ts';
import type { JournalStore } from '../../journal/journal.ts';
import { type Saying, takenOf } from '../approvals/answering.ts';
import { type AskedGate, gatesOfAll } from '../approvals/approvals.ts';
import { type BulkTold, digestOf } from './listing.ts';
import { type Condition, holds } from './where.ts';

/** The fields that requests are chosen by. */
export const REQUEST_FIELDS = ['agent', 'run', 'tool', 'code', 'key'] as const;

/**
 * The code of a request to approve a call that may repeat an earlier call. `--all` leaves such requests out unless
 * `--where code=…` names the code.
 */
const REPEATS = 'may_repeat';

/** The requests that one `--all` answers. */
export interface MeantRequests {
  readonly gates: readonly AskedGate[];
  /** The number of requests that are left out because each may repeat an earlier call. */
  readonly left: number;
  /** The runs that cannot be read. */
  readonly unread: readonly string[];
}

/** The code of a request. */
export function codeOf({ asks, like }: Pick<AskedGate, 'asks' | 'like'>): string {
  return asks !== 'approval' ? asks : like === undefined ? 'approval' : REPEATS;
}

/** The pending requests for an approval, or for an outcome, that the conditions choose. */
export async function requestsMeant(
  store: JournalStore,
  asks: 'approval' | 'outcome',
  conditions: readonly Condition[],
  now: number,
): Promise<MeantRequests> {
  const { gates, unread } = await gatesOfAll(store, now, undefined, false);
  const fitting = gates.filter((gate) => {
    const { agent, run, tool, key } = gate;
    const isMeant = gate.status === 'pending' && gate.asks === asks && gate.left.length === 0;
    return isMeant && holds(conditions, { agent, run, tool, key, code: codeOf(gate) });
  });
  const isNamed = conditions.some(({ field }) => field === 'code');
  const chosen = isNamed ? fitting : fitting.filter((gate) => codeOf(gate) !== REPEATS);
  return { gates: chosen, left: fitting.length - chosen.length, unread };
}

/** The digest of the requests, with the answer to them. */
export function requestsDigest(gates: readonly AskedGate[], saying: Saying): string {
  return digestOf([saying, ...gates.map(({ run, gate, digest, epoch }) => [run, gate, digest, epoch])]);
}

/**
 * Leaves an answer to each request, and waits until living processes have taken theirs, up to two seconds.
 * @param output the answer of each call, if the calls are settled as confirmed.
 */
export async function answerAll(
  store: JournalStore,
  gates: readonly AskedGate[],
  saying: Saying,
  {
    by,
    why,
    output,
  }: { readonly by: string; readonly why: string | null; readonly output: { readonly value: unknown } | null },
): Promise<readonly BulkTold[]> {
  const told: BulkTold[] = [];
  for (const { run, gate, digest, epoch, held } of gates) {
    const bound = { gate, digest, epoch, by, why };
    const answer: Answer =
      saying.verdict === 'settled'
        ? { ...bound, verdict: 'settled', status: saying.status, ...(output !== null && { output: output.value }) }
        : { ...bound, verdict: saying.verdict };
    const post = await store.post(run, messageOf(answer));
    told.push({ run, gate, post, is: held ? 'waits' : 'left', why: null });
  }
  return taken(store, told);
}

/** The wait for living processes, and the interval between looks, in milliseconds. */
const WAIT = 2_000;
const LOOK = 100;

async function taken(store: JournalStore, left: readonly BulkTold[]): Promise<readonly BulkTold[]> {
  let told = left;
  const until = Date.now() + WAIT;
  while (told.some(({ is }) => is === 'waits') && Date.now() < until) {
    await PROCESS.pause(LOOK);
    told = await Promise.all(told.map((each) => (each.is === 'waits' ? looked(store, each) : each)));
  }
  return told;
}

async function looked(store: JournalStore, told: BulkTold): Promise<BulkTold> {
  const answer = told.post === null ? null : await takenOf(store, told.run, told.post);
  if (answer === null) return told;
  return answer.verdict === 'refused' ? { ...told, is: 'refused', why: answer.why } : { ...told, is: 'done' };
}
