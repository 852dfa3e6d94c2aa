/**
 * Complaints of a caller: finds the meant work, the suspect writes, and whether they were undone before (semantics.md
 * C10, C12, §8.1).
 */
import { actKey } from '../../effects/acts.ts';
import { isAskedAgain, type LedgerCall } from '../../effects/ledger-call.ts';
import type { Access } from '../../history/key-tree.ts';
import type { Failure } from '../../model/failure.ts';
import { type InstanceId, instanceName } from '../../model/instance.ts';
import { type Key, overlaps, parseKey } from '../../model/key.ts';
import { split } from '../../model/region.ts';
import type { RunState } from '../../projection/run-state.ts';
import type { Raised, RunParts, Suspect, Writer } from '../parts.ts';
import type { RecoveryQueries } from '../queries/recovery-queries.ts';
import { SidecarError } from '../sidecar-error.ts';

/** An instance, or all of its occurrences. */
type Unordered = Pick<InstanceId, 'skeleton' | 'entity'> & { readonly ordinal?: number | undefined };

/** A failure that a caller tells of, and the version that it is about. */
interface Suspicion {
  readonly failure: Failure;
  readonly about: NonNullable<Raised['about']>;
}

/** The parts of a run that its complaints are read against. */
type Needs = Pick<RunParts, 'runState' | 'config' | 'decisionPolicy'>;

/** The complaints about one run. */
export class Complaints {
  readonly #parts: Needs;
  readonly #write: Pick<Writer, 'append'>;
  readonly #queries: RecoveryQueries;

  /** @param write takes the entries of complaints that need no decision: the answers that are not served again. */
  constructor(parts: Needs, write: Pick<Writer, 'append'>, queries: RecoveryQueries) {
    this.#parts = parts;
    this.#write = write;
    this.#queries = queries;
  }

  get #runState(): RunState {
    return this.#parts.runState;
  }

  /**
   * The failures that a caller tells of, by the version that it means (C12); without an ordinal, those of the only occurrence (§8.1). None
   * where that work is undone already.
   * @throws SidecarError `bad_failure` for a name that the config does not have, work that never was, a key that it never wrote.
   */
  suspected({ skeleton, entity, ordinal }: Suspect, key: string | undefined): readonly Suspicion[] {
    const suspect = key === undefined ? null : parseKey(key);
    if (!this.#parts.config.skeletons.has(skeleton)) {
      const names = [...this.#parts.config.skeletons.keys()].join(', ');
      throw new SidecarError('bad_failure', `the config has no skeleton "${skeleton}": it has ${names}`);
    }
    const here = this.#meant({ skeleton, entity, ordinal });
    const [one, other] = here;
    if (one === undefined) {
      const { occurrences } = this.#runState;
      if (!occurrences.wasUsed(skeleton, entity, ordinal))
        throw new SidecarError('bad_failure', `no ${skeleton} about "${entity}" was ever begun`);
      if (suspect !== null && !occurrences.hadWritten(skeleton, entity, ordinal, suspect))
        throw new SidecarError('bad_failure', `${skeleton} about "${entity}" never wrote ${suspect.text}`);
      const own = this.#undoneAlready({ skeleton, entity, ordinal });
      return [...this.#repeatedBefore({ skeleton, entity, ordinal }, suspect), ...listed(own)];
    }
    const only = other === undefined ? one : this.#parts.decisionPolicy.meant(here);
    if (only === null)
      return [{ failure: { in: null, key: null, why: 'fits_several' }, about: { write: null, head: 0, epoch: 0 } }];
    return this.#accusation(only, suspect === null ? null : this.#keyOf(only, suspect));
  }

  /** The position to which the plan that is under way takes back the work that a complaint is about; null where it does not. */
  #undoneTo(id: InstanceId, key: Key | null): number | null {
    const { pending } = this.#runState;
    if (pending === null || pending.phase === 'RESTORED' || !('line' in pending.entry.decision)) return null;
    const { verdict, line } = pending.entry.decision;
    if (verdict !== 'restore' && verdict !== 'restore_joint') return null;
    const move = line?.moves.find(({ instance }) => instanceName(instance) === instanceName(id));
    if (move === undefined) return null;
    const kept = move.keep === 'none' ? 0 : move.keep.at;
    if (key === null) return kept === 0 || (move.keep !== 'none' && move.keep.kind === 'entry') ? kept : null;
    const write = this.#firstWrite(id, key);
    return write === undefined || write.at > kept ? kept : null;
  }

  /**
   * A complaint about work that is undone: that is its answer already (C12). What that work was answered is not served again (C10): an
   * idempotent call is asked again, and any other that still stands has to be taken back first.
   * @param still the answers of what a plan that is under way is about to undo.
   */
  #undoneAlready(id: Unordered, still: readonly string[] = []): Suspicion | null {
    const lost = this.#queries.lost(id);
    const free = lost.filter(isAskedAgain);
    const wrong = [...still, ...free.map(({ key }) => key)];
    const instance = { ...id, ordinal: id.ordinal ?? 0 };
    if (wrong.length > 0) this.#write.append([{ do: 'dismissed', instance, why: 'undone_before', wrong }]);
    const standing = lost.find((call) => !free.includes(call) && !still.includes(call.key));
    if (standing === undefined) return null;
    return { failure: { in: standing.intent.instance, key: null }, about: { write: null, head: 0, epoch: -1 } };
  }

  /** The complaints about the acts that undone work has repeated; none where it has repeated none. */
  #repeatedBefore({ skeleton, entity, ordinal }: Unordered, key: Key | null): readonly Suspicion[] {
    const { occurrences } = this.#runState;
    const ordinals = ordinal === undefined ? [...occurrences.ordinals(skeleton, entity)] : [ordinal];
    const acts = ordinals.flatMap((each) =>
      this.#queries.repeatedByGone({ skeleton, entity, ordinal: each }, key?.text ?? null),
    );
    return [...new Set(acts)].flatMap((act) => listed(this.#accusationOf(act)));
  }

  /** The complaint about the call that made an act. */
  #accusationOf({ at, act, intent }: LedgerCall): Suspicion | null {
    return this.#ofWork(intent.instance, at === null || act === null ? null : actKey(act));
  }

  /** The occurrences that a name fits, those that stand first. */
  #meant({ skeleton, entity, ordinal }: Unordered): InstanceId[] {
    const { history, occurrences } = this.#runState;
    const ordinals = ordinal === undefined ? occurrences.ordinals(skeleton, entity) : [ordinal];
    const here = [...ordinals].flatMap((each) => history.registry.get({ skeleton, entity, ordinal: each })?.id ?? []);
    return [...here, ...this.#setAside(skeleton, entity).filter((id) => (ordinal ?? id.ordinal) === id.ordinal)];
  }

  /** The occurrences that are part of records, by the order of these. Costs the records once, and none where nothing could be taken up again. */
  #setAside(skeleton: string, entity: string): InstanceId[] {
    const { records, occurrences } = this.#runState;
    const unused = new Map(occurrences.unused(skeleton, entity).map((id) => [instanceName(id), id]));
    if (unused.size === 0) return [];
    return [...records.values()].flatMap(({ members }) => [...members].flatMap((name) => unused.get(name) ?? []));
  }

  /** A key of an instance's: in a machine that is invoked, one without a scheme is of its own context. */
  #keyOf(id: InstanceId, key: Key): Key {
    const place = this.#runState.places.of(instanceName(id));
    const { started } = this.#runState.actor(place === undefined ? 0 : split(place.region)[0]);
    if (started === null || /^[a-z][a-z0-9+.-]*:$/.test(key.segments[0] ?? '')) return key;
    const segments = ['actor:', started.id, ...key.segments];
    return { text: `actor:${segments.slice(1).join('/')}`, segments, pattern: key.pattern };
  }

  /**
   * The complaints about work. The answer of an act is one: a repetition is given no other before the act is made again (ON4). Where not every write of
   * the key is the answer of a repetition, and the work has made calls of its own, it is about those as well.
   */
  #accusation(id: InstanceId, key: Key | null): readonly Suspicion[] {
    if (!hasRepetitions(this.#runState)) return listed(this.#ofWork(id, key));
    const writes = key === null ? [] : this.#writes(id, key);
    const acts = this.#repeatedBy(id, key, writes);
    if (acts.length === 0) return listed(this.#ofWork(id, key));
    const accused = acts.flatMap((act) => listed(this.#accusationOf(act)));
    const isSure = writes.length > 0 && writes.every(({ at }) => this.#queries.isAnswer(at));
    return isSure || !this.#queries.hasActed(id) ? accused : [...accused, ...listed(this.#ofWork(id, key))];
  }

  /** The calls that made the acts whose answers a complaint may mean: those of each write of the key, or the last one. */
  #repeatedBy(id: InstanceId, key: Key | null, writes: readonly Access[]): readonly LedgerCall[] {
    if (key !== null && writes.length === 0) return this.#queries.repeatedByGone(id, key.text);
    const positions = key === null ? (['last'] as const) : writes.map(({ at }) => at);
    return [...new Set(positions.flatMap((at) => this.#queries.repeatedAct(id, at) ?? []))];
  }

  #writes(id: InstanceId, key: Key): readonly Access[] {
    const { history } = this.#runState;
    const record = history.registry.get(id);
    return record === undefined ? [] : history.versions.writesOf(record).filter((each) => overlaps(each.key, key));
  }

  #firstWrite(id: InstanceId, key: Key) {
    const { history } = this.#runState;
    const record = history.registry.get(id);
    return record && history.versions.firstWrite(record, (written) => overlaps(written, key));
  }

  #ofWork(id: InstanceId, key: Key | null): Suspicion | null {
    const { history, epochs, occurrences } = this.#runState;
    const record = history.registry.get(id);
    const epoch = epochs.get(instanceName(id)) ?? 0;
    const about = { write: null, head: history.head, epoch };
    const write = key === null ? undefined : this.#firstWrite(id, key);
    if (key !== null && write === undefined && !occurrences.hadWritten(id.skeleton, id.entity, id.ordinal, key))
      throw new SidecarError('bad_failure', `${instanceName(id)} never wrote ${key.text}`);
    // A plan that is under way takes it back already: that is the answer to this complaint, too.
    const undoneTo = this.#undoneTo(id, key);
    if (undoneTo !== null)
      return this.#undoneAlready(id, this.#queries.wrongAnswers(id, key?.text ?? null, undoneTo).keys);
    if (key === null || record === undefined) return { failure: { in: id, key }, about };
    if (write === undefined) return this.#undoneAlready(id);
    return { failure: { in: id, key }, about: { ...about, write: this.#runState.originOf(write.at) } };
  }
}

/** True where a call has repeated the act of another call (ON2). */
function hasRepetitions({ ledger }: RunState): boolean {
  return [...ledger.recorded()].some(({ repeats }) => repeats !== null);
}

function listed<T>(one: T | null): readonly T[] {
  return one === null ? [] : [one];
}
