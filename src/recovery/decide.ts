/**
 * The decision: a pure function of a history and a failure (semantics.md §8). It asks the questions in order, which instance,
 * which checkpoints, which line or cut, which rung, and keeps every reason against every candidate.
 */

import type { TracedControl } from '../history/control-trace.ts';
import type { History } from '../history/history.ts';
import type { Access } from '../history/key-tree.ts';
import { inOneGo, type Pieces } from '../history/pieces.ts';
import type { InstanceRecord } from '../history/registry.ts';
import { kind, nullable, oneOf, optional, refuseOther, shape } from '../model/argument.ts';
import type { Checkpoint } from '../model/checkpoint.ts';
import { type Decision, JOINT_RULES, POLICIES, type Policy, type Rules } from '../model/decision.ts';
import { crossing, type EffectVeto } from '../model/effect.ts';
import type { Failure } from '../model/failure.ts';
import { INSTANCE, type InstanceId, instanceName } from '../model/instance.ts';
import { KEY } from '../model/key.ts';
import type { Abstention, Dependence, Reason, Refusal, Unavailable } from '../model/veto.ts';
import { candidates } from './candidates.ts';
import type { Crossed, Proposal } from './crossings.ts';
import { type Control, type Cut, Cutting } from './cut.ts';
import { dartLines } from './dart.ts';
import { ALL_REPORTED, Effort } from './effort.ts';
import { behindExit, isSoleExit, refusedExit } from './exits.ts';
import { isAllowed } from './joint.ts';
import { climb } from './ladder.ts';
import { greatestLines } from './line.ts';
import { localize } from './localize.ts';
import { staticLines } from './static.ts';

const lines: Record<Policy, typeof greatestLines> = { line: greatestLines, static: staticLines, dart: dartLines };

/** The default rules: the line from journal order, and no commitment of others is crossed. */
const DEFAULT_RULES: Rules = { policy: 'line', joint: 'none' };

/** Facts of a running machine that a trace lacks: the state of control, and the checkpoints that cannot be used now. */
export interface Circumstances {
  /** The control (C1); null where none is known, or where a whole snapshot is restored. */
  readonly control: Control | null;
  /** The reason why a checkpoint of the failed instance cannot be used, or null. */
  unavailable(checkpoint: Checkpoint): Unavailable | null;
  /** The effort for candidates that are older than the one that is used, where control is known. A trace judges all of them. */
  readonly effort?: Effort;
}

const OF_A_TRACE: Circumstances = { control: null, unavailable: () => null };

/** The control and the checkpoints that the lines of a trace describe; empty where they describe none. */
export function knownOf(control: TracedControl, history: History, { in: failed }: Failure): Circumstances {
  if (!control.isKnown) return OF_A_TRACE;
  control.settle();
  const { places, suspects } = control;
  const told = control.unavailable.filter(({ in: id }) => failed !== null && instanceName(id) === instanceName(failed));
  const checkpoints = failed === null ? [] : (history.registry.get(failed)?.checkpoints.all ?? []);
  const of = (checkpoint: Checkpoint) => told.filter((line) => checkpoints[line.checkpoint] === checkpoint);
  control.asked();
  return {
    control: {
      places,
      suspects,
      escapes: ({ candidate }) =>
        of(candidate).flatMap(({ why }) =>
          why.code === 'replay_escapes_instance' ? [{ instance: why.instance, step: why.step }] : [],
        ),
    },
    unavailable: (checkpoint) => {
      const [why] = of(checkpoint).flatMap((line) => (line.why.code === 'replay_escapes_instance' ? [] : [line.why]));
      return why ?? null;
    },
  };
}

/**
 * Decides from which point a failed instance may be redone. Reads the history as it stands and leaves it so. Costs the
 * dependencies that the answer lowers, not the size of the history.
 * @param failure the instance, and the key of the suspect write where there is one.
 * @returns the verdict with its line, level and refusals; a refusal is a value, too.
 * @throws ArgumentError for arguments of another shape, and nothing else.
 * @example
 * import { decide, History, parseKey } from 'belay-sidecar';
 *
 * const slot = { skeleton: 'ResolveSlot', entity: 'slot[0]', ordinal: 0 };
 * const history = new History();
 * history.apply({ do: 'enter', in: slot, by: null });
 * history.apply({ do: 'write', in: slot, key: parseKey('slots/0/value'), mode: 'update' });
 * assert.equal(decide(history, { in: slot, key: null }).verdict, 'restore');
 */
export function decide(
  history: History,
  failure: Failure,
  rules: Rules = DEFAULT_RULES,
  around: Circumstances = OF_A_TRACE,
): Decision {
  refuseOther('decide', { history: [history, HISTORY], failure: [failure, FAILURE], rules: [rules, RULES] });
  if (failure.in === null) refuseOther('decide', { 'failure.why': [failure.why, WHY] });
  const begun = begin(history, failure, rules, around);
  return 'verdict' in begun ? begun : inOneGo(begun);
}

/**
 * Decides as {@link decide} does, in pieces if control is known: between two pieces other work has its turn. The
 * history must not change between two pieces.
 */
export function* decideInPieces(
  history: History,
  failure: Failure,
  rules: Rules,
  around: Circumstances,
): Pieces<Decision> {
  const begun = begin(history, failure, rules, around);
  return 'verdict' in begun ? begun : yield* begun;
}

/** The decision, or where control is known its pieces. */
function begin(history: History, failure: Failure, rules: Rules, around: Circumstances): Decision | Pieces<Decision> {
  const located = localize(history, failure);
  if (typeof located === 'string') return climb(history, failure, rules, located, [abstention(failure, located)]);
  const { failed } = located;
  if (around.control !== null && rules.policy !== 'dart')
    return decideCut(history, failure, { failed, asked: candidates(located) }, rules, around, around.control);
  const asked = [...candidates(located)];
  const own = new Map<Checkpoint, Refusal[]>();
  const usable = asked.filter((candidate) => {
    const refusal = unusable(candidate, failed, rules, around);
    if (refusal !== null) own.set(candidate, [refusal]);
    return refusal === null;
  });
  const proposal = usable.length === 0 ? null : lines[rules.policy](history, failed, usable);
  return climb(history, failure, rules, proposal, [...refusals(asked, proposal, rules, failed.id, own)]);
}

/** The refusal of a candidate whatever its line is, or null. */
function unusable(candidate: Checkpoint, failed: InstanceRecord, rules: Rules, around: Circumstances): Refusal | null {
  const refused = refusedExit(candidate, failed, rules, around.control?.places ?? null);
  if (refused !== null) return refused;
  const why = around.unavailable(candidate);
  return why === null ? null : ({ ...why, candidate, instance: failed.id } as Refusal);
}

/**
 * Decides what goes back where an event is taken out of the past of an instance (ST3): no boundary is asked for, since the receipt says from where.
 * @param before the position of the instance before it received the event.
 */
export function withoutReceipt(
  history: History,
  failed: InstanceRecord,
  before: Checkpoint,
  rules: Rules,
  around: Circumstances & { readonly control: Control },
): Pieces<Decision> {
  return decideCut(history, { in: failed.id, key: null }, { failed, asked: [before] }, rules, around, around.control);
}

/** Decides what goes back where values that some reads have read are others: the first step of a run has written something else (ST3). */
export function withoutReads(
  history: History,
  failed: InstanceRecord,
  lost: NonNullable<Asked['lost']>,
  rules: Rules,
  around: Circumstances & { readonly control: Control },
): Pieces<Decision> {
  // An instance that has read none of the lost work keeps its position.
  const asked: Checkpoint[] = [{ kind: 'outcome', at: history.head }];
  return decideCut(history, { in: failed.id, key: null }, { failed, asked, lost }, rules, around, around.control);
}

/** The points from which an instance may be redone, newest first, and the reads that are taken back whichever is taken. */
interface Asked {
  readonly failed: InstanceRecord;
  readonly asked: Iterable<Checkpoint>;
  readonly lost?: Iterable<readonly [read: Access, cause: Dependence]>;
}

/** Decides where control is known (C2): the newest candidate that may be used, and the reasons against those that were judged. */
function* decideCut(
  history: History,
  failure: Failure,
  asking: Asked,
  rules: Rules,
  around: Circumstances,
  control: Control,
): Pieces<Decision> {
  const { failed, asked } = asking;
  const { effort = new Effort(ALL_REPORTED) } = around;
  const cutting = new Cutting(history, failed, control, effort);
  if (rules.policy === 'static') yield* cutting.demandReached();
  const judged: Checkpoint[] = [];
  const own = new Map<Checkpoint, Refusal[]>();
  const proposals: Proposal[] = [];
  const reasonsOf = new Map<Checkpoint, Reason[]>();
  let chosen: Proposal | null = null;
  for (const candidate of asked) {
    if (!effort.admits()) break;
    const { cut, refusal } = yield* tried(cutting, candidate, asking, rules, around);
    if (effort.isSpent) break;
    judged.push(candidate);
    if (refusal !== null) own.set(candidate, [refusal]);
    if (cut === null) continue;
    const escapes = control.escapes(cut);
    const proposal = { ...cut.proposal, escapes: escapes.map(({ instance }) => instance) };
    if (escapes.length > 0)
      own.set(
        candidate,
        escapes.map((instance): Refusal => ({ code: 'replay_escapes_instance', candidate, ...instance })),
      );
    const against = reasons(proposal.crossed[0] as Crossed, proposal, rules);
    reasonsOf.set(candidate, against);
    proposals.push(proposal);
    if (chosen !== null || against.length > 0 || escapes.length > 0) continue;
    chosen = proposal;
    effort.found();
  }
  const listed = [...refusalsOfCuts(judged, reasonsOf, failed.id, own)];
  const sole = soleExits(judged, failed, rules, around, control);
  return climb(history, failure, rules, chosen ?? proposals[0] ?? null, listed, proposals, sole);
}

/** The cut for a candidate, or the reason why the candidate cannot be used whatever its crossings are; neither where the effort is spent. */
function* tried(
  cutting: Cutting,
  candidate: Checkpoint,
  { failed, lost }: Pick<Asked, 'failed' | 'lost'>,
  rules: Rules,
  around: Circumstances,
): Pieces<{ readonly cut: (Cut & { readonly proposal: Proposal }) | null; readonly refusal: Refusal | null }> {
  const unused = unusable(candidate, failed, rules, around);
  if (unused !== null) return { cut: null, refusal: unused };
  const cut = yield* cutting.to(candidate, lost);
  const refusal = cut === null ? null : behindExit(candidate, failed, touchedBy(cut));
  return { cut: refusal === null ? cut : null, refusal };
}

/** The failed instance, where its exit could be restored at once if the policy said so. */
function soleExits(
  judged: readonly Checkpoint[],
  failed: InstanceRecord,
  rules: Rules,
  around: Circumstances,
  { places }: Control,
): readonly InstanceId[] {
  const sole = judged.find((candidate) => isSoleExit(candidate, failed, rules, places));
  return sole === undefined || around.unavailable(sole) !== null ? [] : [failed.id];
}

/** The instances that a cut takes anything from, and those that it sets aside. */
function touchedBy({ moves, aside }: Cut): InstanceId[] {
  return [...[...moves.keys()].map(({ id }) => id), ...aside.map(({ instance }) => instance)];
}

/** The reasons against each judged candidate, newest first. An older one may have fewer reasons against it than a newer one (C2). */
function* refusalsOfCuts(
  asked: readonly Checkpoint[],
  reasonsOf: ReadonlyMap<Checkpoint, readonly Reason[]>,
  failed: InstanceId,
  own: ReadonlyMap<Checkpoint, Refusal[]>,
): Generator<Refusal> {
  if (reasonsOf.size === 0) yield { code: 'no_stable_checkpoint', candidate: null, instance: failed };
  let standing = new Set<string>();
  for (const candidate of asked) {
    yield* own.get(candidate) ?? [];
    const against = reasonsOf.get(candidate);
    if (against === undefined) continue;
    const names = new Set(against.map(reasonName));
    const holds = [...standing].every((name) => names.has(name));
    const adds = holds ? against.filter((reason) => !standing.has(reasonName(reason))) : against;
    if (!holds) yield { candidate, adds, all: true };
    else if (names.size > 0) yield { candidate, adds };
    standing = names;
  }
}

function reasonName(reason: Reason): string {
  return 'effect' in reason
    ? `${reason.code} ${reason.effect.at}`
    : `${reason.code} ${instanceName(reason.dependence.consumer)}`;
}

function abstention(failure: Failure, why: Abstention): Refusal {
  return { code: 'ambiguous_instance', candidate: null, instance: failure.in, key: failure.key?.text ?? null, why };
}

/** The reasons against each candidate, newest first; candidates without one are left out. */
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

// A view of a history is accepted too: only the parts that `decide` reads are checked.
const HISTORY = kind('a History', (value) =>
  ['registry', 'versions', 'effects'].every((part) => Reflect.has(Object(value), part)),
);
const FAILURE = shape<Pick<Failure, 'in' | 'key'>>('a failure: { in, key }', {
  in: nullable(INSTANCE),
  key: nullable(KEY),
});
const WHY = oneOf('fits_nobody', 'fits_several');
const BY_NAME = kind(
  '"all", "none", or a list of skeletons',
  (value) => Array.isArray(value) || JOINT_RULES.some((rule) => rule === value),
);
const RULES = shape<Rules>('rules: { policy, joint, exits }', {
  policy: oneOf(...POLICIES),
  joint: BY_NAME,
  exits: optional(BY_NAME),
});
