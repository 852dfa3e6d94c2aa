/**
 * Finds the boundaries that certify at a microstep (semantics.md §4). Each test is made once, on the facts of the step,
 * and only four yeses certify. A boundary that does not certify is reported, with the failed test.
 */
import { isDeepStrictEqual } from 'node:util';
import type { Boundary, Skeleton } from '../boundaries/config.ts';
import { commits } from '../model/checkpoint.ts';
import { crossing } from '../model/effect.ts';
import type { HistoryEvent } from '../model/event.ts';
import { type InstanceId, instanceName, ROOT } from '../model/instance.ts';
import type { Answer } from '../predicates/predicate.ts';
import type { Live } from '../projection/state-types.ts';
import { isCertified, TESTS } from '../recovery/certify.ts';
import type { DecisionPolicy } from '../recovery/decision-policy.ts';
import type { Microstep, Place } from '../runtime/microstep.ts';
import type { Entering } from './entering.ts';
import { isWithin, liesIn } from './entry-states.ts';
import { presentIn, type StepEvidence } from './evidence.ts';
import { brokenBy } from './invariants.ts';
import { absentOf, keysOf, needed, stateAt } from './needed.ts';
import type { Asked, Heard, Passed } from './planned.ts';
import { isOfEntity, type StepView } from './step-view.ts';

/** A boundary that certified, with its id; an outcome's is empty. */
export interface Certified {
  readonly mark: Extract<HistoryEvent, { do: 'boundary' }>;
  readonly id: string;
}

/** Asks the boundaries of a microstep. */
export class Certifying {
  readonly #view: StepView;
  readonly #entering: Entering;
  readonly #decisionPolicy: DecisionPolicy;
  readonly #evidence: StepEvidence;
  readonly #present: readonly Live[];
  /** The places of instances that have a region of their own, where they were asked for. */
  readonly #places = new Map<Live, Pick<Microstep, 'before' | 'after' | 'entered' | 'sources'>>();
  /** The boundaries whose condition said no in this step, each with its instance. */
  readonly #refused = new Set<string>();

  readonly #heard: Heard | null;

  /** @param heard the answers that the step's conditions have given already; null where none was asked. */
  constructor(
    view: StepView,
    entering: Entering,
    { decisionPolicy, heard }: { readonly decisionPolicy: DecisionPolicy; readonly heard: Heard | null },
    evidence: StepEvidence,
  ) {
    this.#view = view;
    this.#entering = entering;
    this.#decisionPolicy = decisionPolicy;
    this.#heard = heard;
    this.#evidence = evidence;
    this.#present = presentIn(view, entering);
  }

  /**
   * The boundaries that certify at this step, and those of the roots, whose every step is a position, and of who starts a
   * machine.
   */
  boundaries(): readonly Certified[] {
    const certified = this.#present.flatMap((live) => this.#of(live));
    for (const { live } of this.#view.here)
      if (this.discardOf(live, certified) === null) this.#tellPassed(live, certified);
    return [...certified, ...this.#ofRoots()];
  }

  /**
   * Reports the boundaries that control has passed while their condition said no, and not over data: the keys that they
   * promise, or ask about, are missing (§4, Closed). A no over values is the reviewed answer, and no finding; nor is it
   * a finding if another boundary at the same place, for another outcome, certifies.
   */
  #tellPassed(live: Live, certified: readonly Certified[]): void {
    const skeleton = this.#view.config.skeletons.get(live.id.skeleton);
    if (skeleton === undefined) return;
    const name = instanceName(live.id);
    const isNow = (wanted: string) => certified.some(({ mark, id }) => id === wanted && instanceName(mark.in) === name);
    const holds = ({ site, id }: Boundary) => ('at' in site && live.certified.has(id)) || isNow(id);
    for (const boundary of skeleton.boundaries) {
      const { id, kind, site, when } = boundary;
      if (live.told.has(id) || skeleton.rollback.pending.includes(id) || !this.#isPassed(boundary, live)) continue;
      if (skeleton.boundaries.some((other) => isDeepStrictEqual(other.site, site) && holds(other))) continue;
      const absent = absentOf(boundary, live, this.#view);
      if (absent.length === 0) continue;
      const place = 'at' in site ? `control has left ${site.at}` : `control has gone from ${site.from} to ${site.to}`;
      const text = `closed: no: ${place}, ${absent.join(', ')} has no value, and ${when.text} does not hold`;
      this.#view.find('not_certified', live.id, `${kind} ${id} of ${name} does not certify: ${text}`, id);
    }
  }

  /**
   * The boundaries that the next step of this kind asks and passes while the same instances live; null if the report
   * about them depends on its event.
   */
  plan(): { readonly asked: readonly Asked[]; readonly passed: readonly Passed[] } | null {
    const asked: Asked[] = [];
    const passed: Passed[] = [];
    for (const { live } of this.#view.here) {
      const skeleton = this.#view.config.skeletons.get(live.id.skeleton);
      const isParty = this.#entering.parties.some(({ instance }) => instanceName(instance) === instanceName(live.id));
      for (const boundary of skeleton?.boundaries ?? []) {
        const { id, site } = boundary;
        const isAsked = isParty && this.#isThere(boundary, live, false);
        const isArrival = 'from' in site || this.#placesOf(live).entered.some(({ path }) => path === site.at);
        if (isAsked) asked.push({ boundary, state: stateAt(boundary), isArrival });
        const isPassed = 'from' in site ? isAsked : this.#isPassed(boundary, live);
        if (!isPassed || skeleton?.rollback.pending.includes(id) === true) continue;
        if (!needed(boundary).every(isOfEntity)) return null;
        const isBeside = (other: Boundary) => 'at' in site && isDeepStrictEqual(other.site, site);
        const others = skeleton?.boundaries.filter(isBeside).map((other) => other.id) ?? [];
        passed.push({ live, id, others, keys: keysOf(boundary, live, this.#view) });
      }
    }
    return { asked, passed };
  }

  /**
   * True if control has passed, in this step, a boundary that says no: the step took its edge, left its state, or ended
   * in its state.
   */
  #isPassed({ id, site }: Boundary, live: Live): boolean {
    if ('from' in site) return this.#refused.has(`${id} ${instanceName(live.id)}`);
    const { done } = this.#view.seen;
    const { before, after } = this.#placesOf(live);
    const isAfter = after.some(({ path }) => path === site.at);
    if (done && isAfter) return true;
    return !isAfter && (before?.some(({ path }) => path === site.at) ?? false);
  }

  /** True where an instance can be kept right after a step: where it has started a child machine, it can (C2). */
  #isPosition({ skeleton }: InstanceId): boolean {
    return skeleton === ROOT || this.#view.isStart;
  }

  #of(live: Live): Certified[] {
    const isNew = this.#entering.entered.includes(live);
    const name = instanceName(live.id);
    if (!isNew && !this.#entering.parties.some(({ instance }) => instanceName(instance) === name)) return [];
    const skeleton = this.#view.config.skeletons.get(live.id.skeleton);
    if (skeleton === undefined) return [];
    const certified = skeleton.boundaries
      .filter((boundary) => this.#isAt(boundary, live, isNew) && this.#judge(boundary, skeleton, live))
      .map(({ kind, id }): Certified => ({ mark: { do: 'boundary', in: live.id, kind }, id }));
    if (skeleton.rollback.outcomeCheckpoints && !isNew && this.#closesUncrossable(live.id))
      certified.push({ mark: { do: 'boundary', in: live.id, kind: 'outcome' }, id: '' });
    return certified;
  }

  #ofRoots(): Certified[] {
    const { registry, effects } = this.#view.runState.history;
    return this.#entering.parties.flatMap(({ instance }): Certified[] => {
      if (!this.#isPosition(instance)) return [];
      const record = registry.get(instance);
      if (record !== undefined && effects.hasOpen(record)) return [];
      return [{ mark: { do: 'boundary', in: instance, kind: 'outcome' }, id: '' }];
    });
  }

  /** True where the step is the answer to a call that no rollback may cross (§5). */
  #closesUncrossable(id: InstanceId): boolean {
    const record = this.#view.runState.history.registry.get(id);
    if (record === undefined || this.#view.runState.history.effects.hasOpen(record)) return false;
    const heard = this.#view.news;
    const actor = this.#view.runState.actors.findLast((other) => other.started === heard && heard !== null);
    const call = actor === undefined ? undefined : this.#view.runState.ledger.ofActor(actor.number);
    if (call === undefined || call.status !== 'confirmed') return false;
    const { class: kind, undo } = call.intent;
    return (
      crossing({ class: kind, status: 'confirmed', undo }) !== 'cross' &&
      instanceName(call.intent.instance) === instanceName(id)
    );
  }

  #isAt(boundary: Boundary, live: Live, isNew: boolean): boolean {
    const { site, id } = boundary;
    if (!this.#isThere(boundary, live, isNew)) return false;
    if ('from' in site || !live.certified.has(id)) return true;
    return this.#placesOf(live).entered.some(({ path }) => path === site.at);
  }

  /** True where control is at a boundary after the step, or has taken its edge. */
  #isThere({ site }: Pick<Boundary, 'site'>, live: Live, isNew: boolean): boolean {
    const { before, after, entered, sources } = this.#placesOf(live);
    if ('from' in site) {
      const left = before?.some(({ path }) => path === site.from) ?? false;
      const taken = sources.some(({ path }) => isWithin(path, site.from) || isWithin(site.from, path));
      return !isNew && left && taken && entered.some(({ path }) => path === site.to);
    }
    return after.some(({ path }) => path === site.at);
  }

  /**
   * The edge of the step by which an instance is discarded (PA11); null if the step takes no such edge, or if a commit
   * or exit certifies.
   */
  discardOf(live: Live, certified: readonly Certified[]): string | null {
    const name = instanceName(live.id);
    if (certified.some(({ mark }) => commits(mark.kind) && instanceName(mark.in) === name)) return null;
    const discards = this.#view.config.skeletons.get(live.id.skeleton)?.discards ?? [];
    return discards.find((site) => this.#isThere({ site }, live, false))?.id ?? null;
  }

  /** The places of the step, for an instance in a region of its own those in there. */
  #placesOf(live: Live): Pick<Microstep, 'before' | 'after' | 'entered' | 'sources'> {
    const known = this.#places.get(live);
    if (known !== undefined) return known;
    const { seen, placed } = this.#view;
    if (!placed.some(({ skeleton, lanes }) => lanes && skeleton.name === live.id.skeleton)) return seen;
    const own = (places: readonly Place[]) => places.filter((place) => liesIn(live, place));
    const { before, after, entered, sources } = seen;
    const found = {
      before: before === null ? null : own(before),
      after: own(after),
      entered: own(entered),
      sources: own(sources),
    };
    this.#places.set(live, found);
    return found;
  }

  /** The answer of a boundary's condition, which is asked once in a step. */
  #answer(boundary: Boundary, live: Live): Answer {
    const known = this.#heard?.of === live ? this.#heard.answers.get(boundary) : undefined;
    const { when } = boundary;
    return known ?? this.#decisionPolicy.heard(when.ask(this.#view.facts(stateAt(boundary), live.id.entity)));
  }

  #judge(boundary: Boundary, skeleton: Skeleton, live: Live): boolean {
    // A reviewed no settles it, and is no finding while control stands there: the work is not there yet.
    const predicate = this.#answer(boundary, live);
    if (predicate.is === 'no') {
      this.#refused.add(`${boundary.id} ${instanceName(live.id)}`);
      return false;
    }
    const broken = predicate.is === 'yes' ? brokenBy(boundary, this.#view.runState.ledger.buffered(live.id)) : null;
    const verdicts = this.#decisionPolicy.certify({
      ...this.#evidence.of(boundary, skeleton, live, predicate),
      broken,
    });
    if (isCertified(verdicts)) return true;
    const name = instanceName(live.id);
    if (broken !== null) {
      this.#view.find('invariant_broken', live.id, `${boundary.kind} ${boundary.id} of ${name}: ${broken}`);
      return false;
    }
    // That a pending boundary is no anchor is in the config; only what else stands in its way is news.
    const isKnown = skeleton.rollback.pending.includes(boundary.id) && verdicts.controllable.is === 'no';
    const told = TESTS.filter((test) => test !== 'controllable' || !isKnown).flatMap((test) => {
      const answer = verdicts[test];
      return answer.is === 'yes' ? [] : [`${test}: ${answer.is === 'no' ? 'no' : answer.reason}`];
    });
    if (told.length === 0) return false;
    this.#view.find(
      'not_certified',
      live.id,
      `${boundary.kind} ${boundary.id} of ${name} does not certify: ${told.join('; ')}`,
      boundary.id,
    );
    return false;
  }
}
