/**
 * The first access of each instance to each key, among the accesses that are paged out. Boundaries ask whether and when
 * an instance first wrote a key; this index answers without paging anything in.
 */
import type { Key } from '../model/key.ts';
import type { Access } from './key-tree.ts';
import type { InstanceRecord } from './registry.ts';

/** An access, with three flags: it is a read, it is a write, it covers every key below its own. */
export type Told = readonly [access: Access, isRead: boolean, isWrite: boolean, covers: boolean];

/** The kinds that an access may be the first of. */
const KINDS = ['read', 'write', 'update', 'cover'] as const;
type Kind = (typeof KINDS)[number];

/** The first accesses of one instance to one key; most are one and the same. */
type Firsts = Record<Kind, Told | null>;

/** The most keys of an instance that are searched one by one. */
const FEW = 16;

/** The first accesses of one instance. */
class OfInstance {
  readonly all: Firsts[] = [];
  /** The first accesses by key; null while there are few. */
  #byKey: Map<string, Firsts> | null = null;

  at(key: Key): Firsts {
    const known =
      this.#byKey?.get(key.text) ?? (this.#byKey === null ? this.all.find((of) => isAt(of, key)) : undefined);
    if (known !== undefined) return known;
    const made: Firsts = { read: null, write: null, update: null, cover: null };
    this.all.push(made);
    if (this.#byKey === null && this.all.length > FEW)
      this.#byKey = new Map(this.all.flatMap((of) => (keyOf(of) === undefined ? [] : [[keyOf(of) as string, of]])));
    this.#byKey?.set(key.text, made);
    return made;
  }
}

/** The first accesses of the instances of one history. */
export class FirstAccesses {
  readonly #of = new Map<InstanceRecord, OfInstance>();

  /** Notes an access that comes after the known ones. */
  add(told: Told): void {
    const [{ by, key }] = told;
    const known = this.#of.get(by) ?? new OfInstance();
    this.#of.set(by, known);
    const firsts = known.at(key);
    for (const kind of KINDS) if (isA(kind, told)) firsts[kind] ??= told;
  }

  /** The first access of one kind by an instance to any of the asked keys. */
  of(record: InstanceRecord, kind: Kind, isAsked: (key: Key) => boolean): Access | undefined {
    let first: Access | undefined;
    for (const { [kind]: told } of this.#of.get(record)?.all ?? [])
      if (told !== null && (first === undefined || told[0].at < first.at) && isAsked(told[0].key)) first = told[0];
    return first;
  }

  /** True if the instance has an access of the kind to an asked key. Costs the accesses before it. */
  has(record: InstanceRecord, kind: Kind, isAsked: (key: Key) => boolean): boolean {
    return this.#of.get(record)?.all.some(({ [kind]: told }) => told !== null && isAsked(told[0].key)) === true;
  }

  /** Forgets the accesses after an event. Costs all known accesses. */
  forget(upTo: number): void {
    const all = this.all().filter(([{ at }]) => at <= upTo);
    this.#of.clear();
    for (const told of all) this.add(told);
  }

  /** All first accesses, in event order. */
  all(): Told[] {
    const all = new Set<Told>();
    for (const { all: firsts } of this.#of.values())
      for (const of of firsts) for (const kind of KINDS) if (of[kind] !== null) all.add(of[kind]);
    return [...all].sort(([a], [b]) => a.at - b.at);
  }
}

function isA(kind: Kind, [, isRead, isWrite, covers]: Told): boolean {
  if (kind === 'read') return isRead;
  if (kind === 'write') return isWrite;
  return kind === 'update' ? isRead && isWrite : covers;
}

function keyOf({ read, write }: Firsts): string | undefined {
  return (read ?? write)?.[0].key.text;
}

function isAt(firsts: Firsts, key: Key): boolean {
  return keyOf(firsts) === key.text;
}
