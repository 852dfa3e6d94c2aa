/**
 * The positions of staging areas that a run has read: for a staged call, the position of its area when the run first
 * read the data that the call changes (semantics.md E4). The call would overwrite a later change unseen.
 */
import type { BoundaryConfig } from '../boundaries/config.ts';
import type { Reliance } from '../effects/counterparty.ts';
import type { Ledger } from '../effects/ledger.ts';
import type { LedgerCall } from '../effects/ledger-call.ts';
import { changedBy } from '../effects/touched.ts';
import type { PlacedStep } from '../history/step-lists.ts';
import type { PositionEntry } from '../model/call-entries.ts';
import { type InstanceId, instanceName } from '../model/instance.ts';
import { type Key, overlaps, parseKey } from '../model/key.ts';

/** A call that read, and the step that started it. */
export interface Read {
  readonly entry: PositionEntry;
  readonly keys: readonly Key[];
  readonly by: PlacedStep | null;
}

/** A call of the run that changed something, in the order in which that was known. */
type Item = Read | LedgerCall;

/** The things that a staged call relies on. */
export interface Relied {
  /** In the order in which it was known. */
  readonly all: readonly Reliance[];
  /** The read that is found wrong where what the call changes has moved on; null where there is none. */
  readonly read: PositionEntry | null;
}

/** The reads and writes of one run, in their order. */
export class Positions {
  /** The changes of each call: asked for again with every commit. */
  readonly #changed = new WeakMap<LedgerCall, readonly Key[]>();
  #items: Item[] = [];
  readonly #ledger: Ledger;

  constructor(ledger: Ledger) {
    this.#ledger = ledger;
  }

  /** The parts that a base holds. */
  get parts(): Item[] {
    return this.#items;
  }

  /** A call that is made again, by the same actor or under the same key, is answered by what it reads then. */
  read(entry: PositionEntry, by: PlacedStep | null): void {
    const isAgain = ({ actor, key }: PositionEntry) =>
      actor === entry.actor || (key !== undefined && key === entry.key);
    this.#items = this.#items.filter((item) => !isRead(item) || !isAgain(item.entry));
    this.#items.push({ entry, keys: entry.reads.map(parseKey), by });
  }

  wrote(call: LedgerCall): void {
    this.#items.push(call);
  }

  /**
   * The things that a staged call of an area relies on: what its own instance has read and written that may be the same thing; where it has neither
   * read nor written it, what the run has.
   * @param isGone true where the step is undone that started the actor of the call: its record was claimed (C5), and nobody can tell which of
   * its reads it went by.
   */
  relied(config: BoundaryConfig, area: string, call: LedgerCall, isGone: boolean): Relied {
    const keys = changedBy(config, touchingOf(call));
    const concerns = this.#items.filter((item) => {
      if (isRead(item)) return (isGone || this.#stands(item)) && area in item.entry.areas && meet(item.keys, keys);
      const stands = this.#ledger.get(item.key)?.status === 'confirmed';
      return item.key !== call.key && stands && meet(this.#changedBy(config, item), keys);
    });
    const name = instanceName(call.intent.instance);
    const own = concerns.filter((item) => instanceName(whose(item)) === name);
    return reliedOn(own.length > 0 ? own : concerns, area);
  }

  #changedBy(config: BoundaryConfig, call: LedgerCall): readonly Key[] {
    const known = this.#changed.get(call) ?? changedBy(config, touchingOf(call));
    this.#changed.set(call, known);
    return known;
  }

  /** A read that a restore took back counts no more, unless its recorded answer was served to the replay (C7). */
  #stands({ by, entry: { key } }: Read): boolean {
    if (by === null || !by.gone) return true;
    return key !== undefined && this.#ledger.get(key)?.at != null;
  }
}

function reliedOn(items: readonly Item[], area: string): Relied {
  const last = items.findLastIndex((item) => !isRead(item));
  return {
    all: items.map((item) => (isRead(item) ? { position: item.entry.areas[area] ?? '' } : { call: item.key })),
    read: items.slice(last + 1).find(isRead)?.entry ?? null,
  };
}

function isRead(item: Item): item is Read {
  return 'entry' in item;
}

function whose(item: Item): InstanceId {
  return isRead(item) ? item.entry.instance : item.intent.instance;
}

function touchingOf({ intent: { tool, args, instance } }: LedgerCall) {
  return { tool, args, entity: instance.entity };
}

function meet(some: readonly Key[], others: readonly Key[]): boolean {
  return some.some((key) => others.some((other) => overlaps(key, other)));
}
