/** Gathers what a microstep shows about its boundaries: the evidence that the four tests are made on (semantics.md §4). */
import type { Boundary, Skeleton } from '../boundaries/config.ts';
import { lostText } from '../journal/lost.ts';
import { hasValue, isExternal } from '../model/external-keys.ts';
import { type InstanceId, instanceName } from '../model/instance.ts';
import { type Key, overlaps } from '../model/key.ts';
import type { Answer } from '../predicates/predicate.ts';
import type { Live } from '../projection/state-types.ts';
import type { Evidence } from '../recovery/certify.ts';
import { type Accesses, holdsAnswers } from './accesses.ts';
import type { Entering } from './entering.ts';
import { covers } from './entry-states.ts';
import type { Encoding } from './planned.ts';
import type { StepView } from './step-view.ts';
import type { Verifier } from './verify.ts';

/** The evidence of one microstep. */
export class StepEvidence {
  readonly #view: StepView;
  readonly #entering: Entering;
  readonly #accesses: Accesses;
  readonly #verifier: Verifier | null;
  readonly #encoder: Encoding;
  readonly #present: readonly Live[];

  /** @param verifier holds the changes against the contexts, where that is wanted (§3). */
  constructor(
    view: StepView,
    entering: Entering,
    accesses: Accesses,
    { verifier, encoder }: { readonly verifier: Verifier | null; readonly encoder: Encoding },
  ) {
    this.#encoder = encoder;
    this.#view = view;
    this.#entering = entering;
    this.#accesses = accesses;
    this.#verifier = verifier;
    this.#present = presentIn(view, entering);
  }

  /** The evidence about a boundary, besides the invariant that it breaks. */
  of(boundary: Boundary, skeleton: Skeleton, live: Live, predicate: Answer): Omit<Evidence, 'broken'> {
    const { entered, leaving } = this.#entering;
    const record = this.#view.runState.history.registry.get(live.id);
    const isOther = (other: Live) => other !== live && other.region === live.region;
    const sharing = this.#present.filter((other) => isOther(other) && !entered.includes(other));
    const after = this.#view.seen.after.filter(
      ({ region }) => region === live.region.slice(live.region.indexOf(':') + 1),
    );
    const inside = after.some(({ path }) => covers(skeleton.states, path));
    const stray = live.stray ?? this.#straysNow(live.id);
    // The instances that were there before take an edge; an instance that the edge enters has no part in it.
    const isOnEdge = 'from' in boundary.site;
    const owners = this.#present.filter(
      (other) =>
        other.region === live.region &&
        (other === live || !isOnEdge || !entered.includes(other)) &&
        (this.#view.config.skeletons.get(other.id.skeleton)?.boundaries.includes(boundary) ?? false),
    );
    return {
      owners: owners.filter((other) => other === live || !leaving.has(instanceName(other.id))).length,
      predicate,
      missing: boundary.outputs
        .map((template) => this.#view.fill(template, live.id))
        .filter((key) => !this.#hasWritten(live.id, key, !isExternal(key) && holdsAnswers(this.#view, skeleton)))
        .map((key) => key.text),
      stray,
      neighbours: sharing.length,
      resumable: inside || skeleton.rollback.resume !== null,
      anchored: skeleton.rollback.anchors.includes(boundary.id),
      open: record === undefined || !this.#view.runState.history.effects.hasOpen(record) ? [] : this.#openKeys(live.id),
      orphans: this.#view.runState.ledger.orphans(live.id).map(({ key }) => key),
    };
  }

  /** The reason why this very step keeps its boundaries from certifying: a write outside the outputs, or a value that has no codec. */
  #straysNow(id: InstanceId): string | null {
    for (const finding of this.#view.findings) {
      if (finding.do !== 'finding' || finding.instance === null || instanceName(finding.instance) !== instanceName(id))
        continue;
      if (finding.code === 'write_outside_outputs') return finding.text;
    }
    for (const edit of this.#accesses.edits) {
      const lost = edit.op === 'delete' ? null : this.#encoder.lostIn(edit.value, edit.path);
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

  /**
   * True if a key has a version that the instance wrote, or one of the same entity's earlier ordinal that it read (§4,
   * Closed).
   * @param atItsEnd the instance writes the key when it leaves its state; a mark from inside the state says only that
   * it may write, and reads nothing.
   */
  #hasWritten(id: InstanceId, key: Key, atItsEnd: boolean): boolean {
    const name = instanceName(id);
    const hasMade = (what: 'read' | 'write') =>
      this.#accesses.made.some((mark) => mark.do === what && instanceName(mark.in) === name && overlaps(mark.key, key));
    if (hasMade('write')) return true;
    const { registry, versions } = this.#view.runState.history;
    const record = registry.get(id);
    if (record === undefined) return false;
    const isOf = (other: Key) => overlaps(other, key);
    if (atItsEnd && !hasValue(this.#view.seen.context, key)) return false;
    if (atItsEnd ? versions.hasUpdated(record, isOf) : versions.hasWritten(record, isOf)) return true;
    if (!hasMade('read') && !versions.hasRead(record, isOf)) return false;
    for (let ordinal = id.ordinal - 1; ordinal >= 0; ordinal -= 1) {
      const earlier = registry.get({ ...id, ordinal });
      if (earlier !== undefined && versions.hasWritten(earlier, isOf)) return true;
    }
    return false;
  }
}

/** The live instances at a microstep, entered ones included. */
export function presentIn(view: StepView, entering: Entering): readonly Live[] {
  return [...view.here.map(({ live }) => live), ...entering.entered];
}
