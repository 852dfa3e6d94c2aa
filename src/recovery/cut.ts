/**
 * The consistent cut of a run whose control is known (semantics.md C1, C2): the retained part is a legal prefix; the
 * rest is undone, or set aside. Every candidate is tried, newest first, because an older one can turn a blocked tail
 * into a record.
 */
import type { History } from '../history/history.ts';
import type { Places } from '../history/places.ts';
import type { InstanceRecord } from '../history/registry.ts';
import type { Checkpoint } from '../model/checkpoint.ts';
import type { Aside, Policy } from '../model/decision.ts';
import { crossing, type Effect, isOpen } from '../model/effect.ts';
import { type InstanceId, instanceName, ROOT } from '../model/instance.ts';
import type { Dependence } from '../model/veto.ts';
import { type SetAside, setAside } from './aside.ts';
import { type Consumer, keptUpTo, type Placement, type Proposal } from './crossings.ts';
import { Lowering } from './line.ts';
import { reach } from './static.ts';

/** The control of a running machine. */
export interface Control {
  readonly places: Places;
  /** The names of further instances that were found wrong: complaints that wait for their answer (C12). */
  readonly suspects: ReadonlySet<string>;
  /** The instances for which a plan's postconditions would fail, with the numbers of their entries. */
  escapes(cut: Cut): readonly { readonly instance: InstanceId; readonly step: number }[];
}

/** A cut for one candidate. */
export interface Cut {
  readonly candidate: Checkpoint;
  /** The instances that are undone, and the position of each; the roots of regions among them. */
  readonly moves: ReadonlyMap<InstanceRecord, Placement>;
  readonly aside: readonly Aside[];
}

/** The cut for each candidate, newest first, and what each crosses. */
export function* cuts(
  history: History,
  failed: InstanceRecord,
  candidates: readonly Checkpoint[],
  policy: Policy,
  control: Control,
): Generator<Cut & { readonly proposal: Proposal }> {
  const { places } = control;
  const lowering = new Lowering(history, failed, places);
  if (policy === 'static') demandReached(history, failed, lowering);
  const suspects = new Set([...control.suspects, instanceName(failed.id)]);
  for (const candidate of candidates) {
    lowering.lower(candidate);
    const { instances: aside, holds } = setAside(history, places, lowering.moves, suspects);
    const moves = new Map(
      [...lowering.moves].filter((move) => !aside.has(move[0]) && losesAnything(history, places, ...move)),
    );
    const told = [...aside].map(([{ id }, around]): Aside => {
      const { cause } = lowering.moves.get(history.registry.get(id) as InstanceRecord) as Placement;
      return { instance: id, cause: cause as Dependence, ...(around !== null && { within: around.id }) };
    });
    yield {
      candidate,
      moves,
      aside: told,
      proposal: charge(history, { failed, candidate, moves, aside: told, holds }),
    };
  }
}

/** True if a placement takes anything back. The root of a region that did nothing since does not move. */
function losesAnything(history: History, places: Places, record: InstanceRecord, placement: Placement): boolean {
  if (record.id.skeleton !== ROOT) return true;
  const after = keptUpTo(placement);
  const { versions, effects, head } = history;
  return (
    places.stepsOf(instanceName(record.id), after, Number.POSITIVE_INFINITY).length > 0 ||
    (versions.readsBy(record).at(-1)?.at ?? 0) > after ||
    (versions.writesOf(record).at(-1)?.at ?? 0) > after ||
    effects.of(record, after, head).length > 0
  );
}

/** Policy `static`: every instance that the failed one reaches goes to its entry first, order ignored (§9). */
function demandReached(history: History, failed: InstanceRecord, lowering: Lowering): void {
  for (const [record, cause] of reach(history, failed)) {
    if (record !== failed) lowering.demand(record, { keep: record.checkpoints[0] ?? null, cause });
  }
}

interface Charged extends Cut {
  readonly failed: InstanceRecord;
  readonly holds: SetAside['holds'];
}

/** The crossings of a cut. The work of a root that is part of work set aside stays with it. */
function charge(history: History, { failed, candidate, moves, aside, holds }: Charged): Proposal {
  const consumers: Consumer[] = [];
  const blocked: Effect[] = [];
  const undo: Effect[] = [];
  const dropped: Effect[] = [];
  for (const [record, placement] of moves) {
    const after = keptUpTo(placement);
    const { committed } = record;
    if (record !== failed && committed !== null && after < committed.at)
      consumers.push({ dependence: placement.cause as Dependence, committed });
    for (const effect of history.effects.of(record, after, history.head)) {
      if (record.id.skeleton === ROOT && holds(record, effect.at)) continue;
      const answer = crossing(effect);
      if (answer === 'undo') undo.push(effect);
      else if (answer !== 'cross') blocked.push(effect);
      else if (isOpen(effect.status)) dropped.push(effect);
    }
  }
  blocked.sort((a, b) => a.at - b.at);
  undo.sort((a, b) => b.at - a.at);
  return {
    moves,
    crossed: [{ candidate, consumers, blocked, undo }],
    crossable: true,
    others: [...moves.keys()].filter((record) => record !== failed && record.id.skeleton !== ROOT).length,
    aside,
    dropped: dropped.sort((a, b) => a.at - b.at).flatMap(({ id }) => (id === null ? [] : [id])),
  };
}
