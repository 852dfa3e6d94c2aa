/**
 * The decision: a pure function of a history and a failure (semantics.md §8). It asks the questions in order, which instance,
 * which checkpoints, which line, whether control can follow, which rung, and keeps every reason against every candidate.
 */
import type { History } from '../history/history.ts';
import type { InstanceRecord } from '../history/registry.ts';
import { type Checkpoint, isPosition } from '../model/checkpoint.ts';
import type { Decision, Policy, Rules } from '../model/decision.ts';
import { crossing, type EffectVeto } from '../model/effect.ts';
import type { Failure } from '../model/failure.ts';
import type { InstanceId } from '../model/instance.ts';
import type { Abstention, Reason, Refusal, Unavailable } from '../model/veto.ts';
import { candidates } from './candidates.ts';
import type { Control } from './control.ts';
import { type Crossed, type Demands, NOBODY, type Proposal } from './crossings.ts';
import { dartLines } from './dart.ts';
import { isAllowed } from './joint.ts';
import { climb } from './ladder.ts';
import { greatestLines } from './line.ts';
import { localize } from './localize.ts';
import { staticLines } from './static.ts';

const lines: Record<Policy, typeof greatestLines> = { line: greatestLines, static: staticLines, dart: dartLines };

/** The default rules: the line from journal order, and no commitment of others is crossed. */
const DEFAULT_RULES: Rules = { policy: 'line', joint: 'none' };

/** What a running machine knows and a trace does not: the state of control, and which checkpoints cannot be used now. */
export interface Circumstances {
  /** Whether control can follow a line (R2); null where it always can, as under a whole-snapshot restore. */
  readonly control: Control | null;
  /** Why a checkpoint of the failed instance cannot be used, or null. */
  unavailable(checkpoint: Checkpoint): Unavailable | null;
}

const OF_A_TRACE: Circumstances = { control: null, unavailable: () => null };

/**
 * Decides from which point a failed instance may be redone. Reads the history as it stands and leaves it so. Costs the
 * dependencies that the answer lowers, not the size of the history.
 * @param failure the instance, and the key of the suspect write where there is one.
 * @returns the verdict with its line, level and refusals; a refusal is a value, too. Never throws on a well-formed history.
 */
export function decide(
  history: History,
  failure: Failure,
  rules: Rules = DEFAULT_RULES,
  around: Circumstances = OF_A_TRACE,
): Decision {
  const located = localize(history, failure);
  if (typeof located === 'string') return climb(history, failure, rules, located, [abstention(failure, located)]);
  const { failed } = located;
  const asked = candidates(located);
  const own = new Map<Checkpoint, Refusal[]>();
  const usable: Checkpoint[] = [];
  for (const candidate of asked) {
    const why = isPosition(candidate.kind) ? around.unavailable(candidate) : ({ code: 'exit_not_restorable' } as const);
    if (why === null) usable.push(candidate);
    else own.set(candidate, [{ ...why, candidate, instance: failed.id } as Refusal]);
  }
  const proposal = usable.length === 0 ? null : follow(history, failed, usable, rules, around.control, own);
  return climb(history, failure, rules, proposal, [...refusals(asked, proposal, rules, failed.id, own)]);
}

function abstention(failure: Failure, why: Abstention): Refusal {
  return { code: 'ambiguous_instance', candidate: null, instance: failure.in, key: failure.key?.text ?? null, why };
}

/** The proposal for the newest candidate that control can follow; for the newest of all where it can follow none (R2). */
function follow(
  history: History,
  failed: InstanceRecord,
  usable: readonly Checkpoint[],
  rules: Rules,
  control: Control | null,
  own: Map<Checkpoint, Refusal[]>,
): Proposal {
  let newest: Proposal | null = null;
  for (const [index, candidate] of usable.entries()) {
    const proposal = giveWay(history, failed, usable.slice(index), rules, control);
    const left = rules.policy === 'dart' ? [] : (control?.escapes(proposal.moves) ?? []);
    if (left.length === 0) return proposal;
    own.set(
      candidate,
      left.map((instance): Refusal => ({ code: 'replay_escapes_instance', candidate, ...instance })),
    );
    newest ??= { ...proposal, escapes: left.map(({ instance }) => instance) };
  }
  return newest as Proposal;
}

/** The line, and what control asks for besides, until it asks for nothing more: each round lowers something further. */
function giveWay(
  history: History,
  failed: InstanceRecord,
  usable: readonly Checkpoint[],
  rules: Rules,
  control: Control | null,
): Proposal {
  let also: Demands = NOBODY;
  for (;;) {
    const proposal = lines[rules.policy](history, failed, usable, also);
    const demands = rules.policy === 'dart' ? NOBODY : (control?.demands(proposal.moves) ?? NOBODY);
    if (demands.size === 0) return proposal;
    also = new Map([...also, ...demands]);
  }
}

/** What stands against each candidate, newest first; those against which nothing stands are left out. */
function* refusals(
  asked: readonly Checkpoint[],
  proposal: Proposal | null,
  rules: Rules,
  failed: InstanceId,
  own: ReadonlyMap<Checkpoint, Refusal[]>,
): Generator<Refusal> {
  if (proposal === null) yield { code: 'no_stable_checkpoint', candidate: null, instance: failed };
  const adds = new Map(proposal?.crossed.map((crossed) => [crossed.candidate, reasons(crossed, proposal, rules)]));
  let standing = 0;
  for (const candidate of asked) {
    yield* own.get(candidate) ?? [];
    const added = adds.get(candidate);
    standing += added?.length ?? 0;
    if (added !== undefined && standing > 0) yield { candidate, adds: added };
  }
}

/** One reason per consumer, where crossing its promise is forbidden, and one per effect (§8.3). */
function reasons({ consumers, blocked }: Crossed, { crossable }: Proposal, rules: Rules): Reason[] {
  return [
    ...consumers
      .filter(({ dependence }) => !crossable || !isAllowed(rules, dependence.consumer))
      .map((consumer): Reason => ({ code: 'committed_consumers_present', ...consumer })),
    ...blocked.map((effect): Reason => ({ code: crossing(effect) as EffectVeto, effect })),
  ];
}
