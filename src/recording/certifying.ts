/**
 * Which boundaries certify at a microstep (semantics.md §4): each test is made once, on what the step shows, and only four yeses
 * certify. What does not is told, with the test that failed.
 */
import { isDeepStrictEqual } from 'node:util';
import type { Boundary, Skeleton } from '../boundaries/config.ts';
import { keyTemplate } from '../boundaries/keys/key-template.ts';
import { lostIn, lostText } from '../journal/lost.ts';
import { crossing } from '../model/effect.ts';
import type { HistoryEvent } from '../model/event.ts';
import { hasValue } from '../model/external-keys.ts';
import { type InstanceId, instanceName, ROOT } from '../model/instance.ts';
import { type Key, overlaps } from '../model/key.ts';
import type { Answer } from '../predicates/predicate.ts';
import { readsOf } from '../predicates/reads.ts';
import type { Live } from '../projection/state-types.ts';
import { type Evidence, isCertified, TESTS } from '../recovery/certify.ts';
import type { DecisionPolicy } from '../recovery/decision-policy.ts';
import type { Microstep, Place } from '../runtime/microstep.ts';
import type { Accesses } from './accesses.ts';
import type { Entering } from './entering.ts';
import { covers, isWithin, liesIn } from './entry-states.ts';
import { brokenBy } from './invariants.ts';
import type { StepView } from './step-view.ts';
import type { Verifier } from './verify.ts';

/** A boundary that certified, with its id; an outcome's is empty. */
export interface Certified {
  readonly mark: Extract<HistoryEvent, { do: 'boundary' }>;
  readonly id: string;
}

/** Asks the boundaries of a microstep. */
export class Certifying {
  readonly #view: StepView;
  readonly #entering: Entering;
  readonly #accesses: Accesses;
  readonly #decisionPolicy: DecisionPolicy;
  readonly #verifier: Verifier | null;
  readonly #present: readonly Live[];
  /** The boundaries whose condition said no in this step, each with its instance. */
  readonly #refused = new Set<string>();

  /** `verifier` holds the changes against the memories, where that is wanted (§3). */
  constructor(
    view: StepView,
    entering: Entering,
    accesses: Accesses,
    decisionPolicy: DecisionPolicy,
    verifier: Verifier | null,
  ) {
    this.#view = view;
    this.#entering = entering;
    this.#accesses = accesses;
    this.#decisionPolicy = decisionPolicy;
    this.#verifier = verifier;
    this.#present = [...view.here.map(({ live }) => live), ...entering.entered];
  }

  /**
   * The boundaries that certify at this step, and those of the roots, whose every step is a position, and of who starts a
   * machine.
   */
  boundaries(): readonly Certified[] {
    const certified = this.#present.flatMap((live) => this.#of(live));
    for (const { live } of this.#view.here) this.#tellPassed(live, certified);
    return [...certified, ...this.#ofRoots()];
  }

  /**
   * Tells of the boundaries that control has passed while their condition said no, and not over data: what they promise, or what they
   * ask about, is not there (§4, Closed). A no over values is the reviewed answer, and no finding; nor is it one where another
   * boundary at the same place, for another outcome, certifies.
   */
  #tellPassed(live: Live, certified: readonly Certified[]): void {
    const skeleton = this.#view.config.skeletons.get(live.id.skeleton);
    if (skeleton === undefined) return;
    const name = instanceName(live.id);
    const now = new Set(certified.flatMap(({ mark, id }) => (instanceName(mark.in) === name ? [id] : [])));
    const holds = ({ site, id }: Boundary) => now.has(id) || ('at' in site && live.certified.has(id));
    for (const boundary of skeleton.boundaries) {
      const { id, kind, site, when } = boundary;
      if (live.told.has(id) || skeleton.rollback.pending.includes(id) || !this.#isPassed(boundary, live)) continue;
      if (skeleton.boundaries.some((other) => isDeepStrictEqual(other.site, site) && holds(other))) continue;
      const absent = this.#absent(boundary, live);
      if (absent.length === 0) continue;
      const place = 'at' in site ? `control has left ${site.at}` : `control has gone from ${site.from} to ${site.to}`;
      const text = `closed: no: ${place}, ${absent.join(', ')} has no value, and ${when.text} does not hold`;
      this.#view.find('not_certified', live.id, `${kind} ${id} of ${name} does not certify: ${text}`, id);
    }
  }

  /** The keys in memory that a boundary promises or asks about, and that have no value. */
  #absent({ outputs, when }: Boundary, { id: { entity } }: Live): readonly string[] {
    const facts = this.#view.facts('', entity);
    // An index by something that no key can have in it, a whole event say, makes the read wider: of that nothing can be told.
    const asked = readsOf(when.text).filter((text) => !/\{(?:args|event)\}/.test(text));
    const keys = [...outputs, ...asked.map((text) => keyTemplate(text))].map((template) => template.fill(facts));
    return [...new Set(keys.filter((key) => !hasValue(this.#view.seen.context, key)).map(({ text }) => text))];
  }

  /**
   * True where control has passed a boundary in this step that says no: an edge that it took, a state that it has left, or ended
   * in.
   */
  #isPassed({ id, site }: Boundary, live: Live): boolean {
    if ('from' in site) return this.#refused.has(`${id} ${instanceName(live.id)}`);
    const { done } = this.#view.seen;
    const { before, after } = this.#placesOf(live);
    const isAfter = after.some(({ path }) => path === site.at);
    if (done && isAfter) return true;
    return !isAfter && (before?.some(({ path }) => path === site.at) ?? false);
  }

  /** Whether an instance can be kept right after a step: where it has started a child machine, it can (C2). */
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

  /** Whether the step is the answer to a call that no rollback may cross (§5). */
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

  #isAt({ site, id }: Boundary, live: Live, isNew: boolean): boolean {
    const { before, after, entered, sources } = this.#placesOf(live);
    if ('from' in site) {
      const left = before?.some(({ path }) => path === site.from) ?? false;
      const taken = sources.some(({ path }) => isWithin(path, site.from) || isWithin(site.from, path));
      return !isNew && left && taken && entered.some(({ path }) => path === site.to);
    }
    if (!after.some(({ path }) => path === site.at)) return false;
    return entered.some(({ path }) => path === site.at) || !live.certified.has(id);
  }

  /** The places of the step, for an instance in a region of its own those in there. */
  #placesOf(live: Live): Pick<Microstep, 'before' | 'after' | 'entered' | 'sources'> {
    const { seen, placed } = this.#view;
    if (!placed.some(({ skeleton, lanes }) => lanes && skeleton.name === live.id.skeleton)) return seen;
    const own = (places: readonly Place[]) => places.filter((place) => liesIn(live, place));
    const { before, after, entered, sources } = seen;
    return {
      before: before === null ? null : own(before),
      after: own(after),
      entered: own(entered),
      sources: own(sources),
    };
  }

  #judge(boundary: Boundary, skeleton: Skeleton, live: Live): boolean {
    const state = 'at' in boundary.site ? boundary.site.at : boundary.site.to;
    // A reviewed no settles it, and is no finding while control stands there: the work is not there yet.
    const predicate = this.#decisionPolicy.heard(boundary.when.ask(this.#view.facts(state, live.id.entity)));
    if (predicate.is === 'no') {
      this.#refused.add(`${boundary.id} ${instanceName(live.id)}`);
      return false;
    }
    const broken = predicate.is === 'yes' ? brokenBy(boundary, this.#view.runState.ledger.buffered(live.id)) : null;
    const verdicts = this.#decisionPolicy.certify({ ...this.#evidence(boundary, skeleton, live, predicate), broken });
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

  #evidence(boundary: Boundary, skeleton: Skeleton, live: Live, predicate: Answer): Omit<Evidence, 'broken'> {
    const { entered, leaving } = this.#entering;
    const { entity } = live.id;
    const record = this.#view.runState.history.registry.get(live.id);
    const isOther = (other: Live) => other !== live && other.region === live.region;
    const sharing = this.#present.filter((other) => isOther(other) && !entered.includes(other));
    const after = this.#view.seen.after.filter(
      ({ region }) => region === live.region.slice(live.region.indexOf(':') + 1),
    );
    const inside = after.some(({ path }) => covers(skeleton.states, path));
    const stray = live.stray ?? this.#straysNow(live.id);
    const owners = this.#present.filter(
      (other) =>
        other.region === live.region &&
        (this.#view.config.skeletons.get(other.id.skeleton)?.boundaries.includes(boundary) ?? false),
    );
    return {
      owners: owners.filter((other) => other === live || !leaving.has(instanceName(other.id))).length,
      predicate,
      missing: boundary.outputs
        .map((template) => this.#view.fill(template, entity))
        .filter((key) => !this.#hasWritten(live.id, key))
        .map((key) => key.text),
      stray,
      neighbours: sharing.length,
      resumable: inside || skeleton.rollback.resume !== null,
      anchored: skeleton.rollback.anchors.includes(boundary.id),
      open: record === undefined || !this.#view.runState.history.effects.hasOpen(record) ? [] : this.#openKeys(live.id),
      orphans: this.#view.runState.ledger.orphans(live.id).map(({ key }) => key),
    };
  }

  /** Why this very step keeps its boundaries from certifying: a write outside the outputs, or a value that has no codec. */
  #straysNow(id: InstanceId): string | null {
    for (const finding of this.#view.findings) {
      if (finding.do !== 'finding' || finding.instance === null || instanceName(finding.instance) !== instanceName(id))
        continue;
      if (finding.code === 'write_outside_outputs') return finding.text;
    }
    for (const edit of this.#accesses.edits) {
      const lost = edit.op === 'delete' ? null : lostIn(edit.value, edit.path, this.#view.runState.codecs);
      if (lost !== null) return lostText({ of: 'memory', ...lost });
    }
    const place = this.#verifier?.differs(this.#view.actor, this.#accesses.edits, this.#view.seen.context) ?? null;
    return place === null ? null : `the memory was changed in place at ${place}: no step shows it`;
  }

  #openKeys(id: InstanceId): string[] {
    return this.#view.runState.ledger
      .open()
      .filter((call) => instanceName(call.intent.instance) === instanceName(id))
      .map(({ key }) => key);
  }

  /** Whether a key has a version of an instance's own, or of an earlier ordinal's of the same entity that it read (§4, Closed). */
  #hasWritten(id: InstanceId, key: Key): boolean {
    const { made: accesses } = this.#accesses;
    if (
      accesses.some(
        (mark) => mark.do === 'write' && instanceName(mark.in) === instanceName(id) && overlaps(mark.key, key),
      )
    )
      return true;
    const { registry, versions } = this.#view.runState.history;
    const record = registry.get(id);
    if (record === undefined) return false;
    if (versions.writesOf(record).some((write) => overlaps(write.key, key))) return true;
    const reads =
      versions.readsBy(record).some((read) => overlaps(read.key, key)) ||
      accesses.some(
        (mark) => mark.do === 'read' && instanceName(mark.in) === instanceName(id) && overlaps(mark.key, key),
      );
    for (let ordinal = id.ordinal - 1; reads && ordinal >= 0; ordinal -= 1) {
      const earlier = registry.get({ ...id, ordinal });
      if (earlier !== undefined && versions.writesOf(earlier).some((write) => overlaps(write.key, key))) return true;
    }
    return false;
  }
}
