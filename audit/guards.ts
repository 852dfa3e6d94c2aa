/**
 * The judges of a run with something changed about them, through the declared seam: one guard taken away, so that it shows what it is
 * for; only entries to go back to; or a refused checkpoint restored all the same.
 */

import { type Decision, type InstanceId, instanceName, parseKey } from 'belay-sidecar';
import type { Checkpoint, Effect } from 'belay-sidecar/decision';
import { crossing, DECISION_POLICY, type DecisionPolicy } from '#seam';

/** The guards that can be taken away, and what each of them keeps from happening. */
export const GUARDS = {
  decidable: 'a name that fits several is taken for the first of them',
  closed: 'a boundary counts whatever its predicate says and whatever is missing',
  separable: 'a boundary counts although others share its region, or no state can be resumed there',
  controllable: 'a boundary counts that no reviewer anchored, or whose effects are not claimed',
  committed_consumers: 'what others were promised is taken back without leave',
  live_readers: 'work in progress stays although what it has read is undone',
  floors: 'a restore crosses effects that no undo takes back, or whose outcome is unknown',
} as const;

/** One of them. */
export type Guard = keyof typeof GUARDS;

type Decide = DecisionPolicy['decide'];
type History = Parameters<Decide>[0];

const certifyWith =
  (change: Partial<Parameters<DecisionPolicy['certify']>[0]>): DecisionPolicy['certify'] =>
  (evidence) =>
    DECISION_POLICY.certify({ ...evidence, ...change });

/** The judges without one guard. */
export const WITHOUT: Readonly<Record<Guard, DecisionPolicy>> = {
  decidable: { ...DECISION_POLICY, certify: certifyWith({ owners: 1 }), meant: ([first = null]) => first },
  closed: {
    ...DECISION_POLICY,
    heard: () => ({ is: 'yes' }),
    certify: certifyWith({ missing: [], stray: null, broken: null }),
  },
  separable: { ...DECISION_POLICY, certify: certifyWith({ neighbours: 0, resumable: true }) },
  // What is open stays: a history refuses a boundary over an open outcome by itself.
  controllable: { ...DECISION_POLICY, certify: certifyWith({ anchored: true, orphans: [] }) },
  committed_consumers: {
    ...DECISION_POLICY,
    decide: (history, failure, rules, around) =>
      DECISION_POLICY.decide(history, failure, { policy: rules?.policy ?? 'line', joint: 'all' }, around),
  },
  live_readers: {
    ...DECISION_POLICY,
    decide: (history, failure, rules, around) => alone(DECISION_POLICY.decide(history, failure, rules, around)),
  },
  floors: {
    ...DECISION_POLICY,
    decide: (history, failure, rules, around) => DECISION_POLICY.decide(floorless(history), failure, rules, around),
  },
};

/** The judges without the gate: what others were promised and what no one can take back is no reason against a checkpoint. */
export const UNGATED: DecisionPolicy = {
  ...DECISION_POLICY,
  decide: (history, failure, rules, around) =>
    DECISION_POLICY.decide(floorless(history), failure, { policy: rules?.policy ?? 'line', joint: 'all' }, around),
};

/** DecisionPolicy that know entries only: whatever the failed instance has written is suspected, so that it goes back to before all of it. */
export const ENTRIES_ONLY: DecisionPolicy = {
  ...DECISION_POLICY,
  decide: (history, failure, rules, around) => {
    if (failure.in === null) return DECISION_POLICY.decide(history, failure, rules, around);
    const { in: failed } = failure;
    const [entry, ...others] = checkpointsOf(history, failed);
    const newer = new Set(others.map(({ at }) => at));
    const wrote = DECISION_POLICY.decide(history, { in: failed, key: parseKey('**') }, rules, around);
    const named = wrote.refusals.some((refusal) => 'why' in refusal && refusal.why === 'never_wrote');
    if (entry === undefined || named)
      return DECISION_POLICY.decide(
        history,
        failure,
        rules,
        only(around, (at) => !newer.has(at)),
      );
    return wrote;
  },
};

/** DecisionPolicy that go back to one checkpoint of the failed instance, whomever that costs what. */
export function forcing({ at }: Checkpoint): DecisionPolicy {
  return {
    ...DECISION_POLICY,
    decide: (history, failure, rules, around) => {
      const joint = { policy: rules?.policy ?? 'line', joint: 'all' } as const;
      return DECISION_POLICY.decide(
        history,
        failure,
        joint,
        only(around, (other) => other === at),
      );
    },
  };
}

type Around = NonNullable<Parameters<Decide>[3]>;

/** Circumstances in which only some checkpoints can be used. */
function only(around: Around | undefined, isUsable: (at: number) => boolean): Around {
  const given = around ?? { control: null, unavailable: () => null };
  return {
    control: given.control,
    unavailable: (checkpoint) =>
      isUsable(checkpoint.at) ? given.unavailable(checkpoint) : { code: 'checkpoint_stale', changed: 'config' },
  };
}

/** An answer that moves only the failed instance, and the root instance, which control moves. */
function alone(decision: Decision): Decision {
  if (decision.verdict !== 'restore') return decision;
  const own = instanceName(decision.failed);
  const moves = decision.line.moves.filter(
    ({ instance, cause }) => instanceName(instance) === own || cause?.kind === 'control',
  );
  return { ...decision, line: { ...decision.line, moves } };
}

/** The part of a history's effects that a decision reads. */
interface Effects {
  of(record: unknown, after: number, upTo: number): Effect[];
  undoable(): Effect[];
  hasOpen(record: unknown): boolean;
}

interface Inside {
  readonly head: number;
  readonly registry: {
    get(id: InstanceId): { readonly checkpoints: { readonly all: readonly Checkpoint[] } } | undefined;
  };
  readonly versions: unknown;
  readonly effects: Effects;
}

/** The parts of a history, which its published class does not name. */
function inside(history: History): Inside {
  return history as unknown as Inside;
}

/** A history in which no effect is a reason against a candidate. */
function floorless(history: History): History {
  const { head, registry, versions, effects } = inside(history);
  return {
    head,
    registry,
    versions,
    effects: {
      of: (record: unknown, after: number, upTo: number) =>
        effects.of(record, after, upTo).filter((effect) => ['cross', 'undo'].includes(crossing(effect))),
      blockingCount: 0,
      blocking: () => [],
      undoable: () => effects.undoable(),
      hasOpen: (record: unknown) => effects.hasOpen(record),
    },
  } as unknown as History;
}

function checkpointsOf(history: History, id: InstanceId): readonly Checkpoint[] {
  return inside(history).registry.get(id)?.checkpoints.all ?? [];
}
