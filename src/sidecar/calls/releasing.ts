/**
 * Early release of claims (semantics.md ER1 to ER5): a key that no state to come can touch is released while the run goes on. Whatever goes back takes
 * its keys back first; what another run has been given is never had again.
 */
import type { LedgerCall } from '../../effects/ledger-call.ts';
import { keysTouched } from '../../effects/touched.ts';
import type { Claim } from '../../journal/claims.ts';
import { isOpen } from '../../model/effect.ts';
import { isExternal } from '../../model/external-keys.ts';
import { type Key, overlaps, parseKey } from '../../model/key.ts';
import type { PassedOn } from '../../model/passed-on.ts';
import type { RunParts, Writer } from '../parts.ts';
import { argsOf } from './args.ts';

/** The released keys and the granted keys of one run. */
export class Releasing {
  readonly #parts: RunParts;
  readonly #write: Writer;
  /** The keys that the run is known to have, by their texts. */
  readonly #has = new Map<string, Key>();
  /** What is asked of the claims follows one another. */
  #turn: Promise<unknown> = Promise.resolve();

  constructor(parts: RunParts, write: Writer) {
    this.#parts = parts;
    this.#write = write;
  }

  get #released(): Map<string, PassedOn | null> {
    return this.#parts.runState.ledger.released;
  }

  /** The run was given claims. */
  took(claims: readonly Claim[]): void {
    for (const { key } of claims) this.#has.set(key.text, key);
  }

  /**
   * To be asked before claims are taken. A run that has released a key takes nothing new before it has its keys back (ER2). @returns why it may not, or null.
   */
  async mayTake(wanted: readonly Claim[]): Promise<string | null> {
    if (this.#released.size === 0) return null;
    const has = [...this.#has.values()];
    if (wanted.every(({ key }) => has.some((own) => covers(own, key)))) return null;
    const [passed] = await this.takeBack();
    return passed === undefined ? null : `nothing is claimed any more: ${passedText(passed)}`;
  }

  /** Takes all released keys back. @returns those that another run was given. */
  takeBack(): Promise<readonly PassedOn[]> {
    return this.#inTurn(async () => {
      const { claims, run } = this.#parts;
      if (this.#released.size === 0) return [];
      const known = [...this.#released.values()];
      if (known.every((each) => each !== null)) return known as PassedOn[];
      const passed = (await claims?.takeBack?.(run)) ?? [];
      const gone = new Set(passed.map(({ key }) => key));
      for (const key of this.#released.keys()) if (!gone.has(key)) this.#has.set(key, parseKey(key));
      this.#write.append([{ do: 'reclaimed', passed }]);
      for (const each of passed) {
        const text = `${passedText(each)}: what this run did on it is neither undone nor made again`;
        const finding = { do: 'finding', code: 'released', instance: null, text } as const;
        this.#write.append([finding]);
        this.#parts.onFinding(finding);
      }
      return passed;
    });
  }

  /** Says why a call can be neither undone nor made again: another run was given a key of it that this one had released (ER3). Null where it can. */
  async passedOver({ intent }: LedgerCall): Promise<string | null> {
    if (this.#released.size === 0) return null;
    const { config, runState } = this.#parts;
    const call = { tool: intent.tool, args: argsOf(runState, intent), entity: intent.instance.entity };
    const keys = keysTouched(config, call);
    const meets = (text: string) => keys.some((key) => overlaps(key, parseKey(text)));
    if (![...this.#released.keys()].some(meets)) return null;
    const over = (await this.takeBack()).find(({ key }) => meets(key));
    return over === undefined ? null : passedText(over);
  }

  /** Tells the claims once more what is released: the process may have died before (ER4). */
  again(): Promise<void> {
    const keys = [...this.#released.keys()];
    return keys.length === 0 ? Promise.resolve() : this.#letGo(keys);
  }

  /**
   * Releases the keys that no state to come can touch, where the run has all others.
   * @param ahead the tools that may still be called; null where that is not known.
   */
  async release(ahead: ReadonlySet<string> | null): Promise<void> {
    const { claims, config } = this.#parts;
    if (claims?.letGo === undefined || config.release !== 'final' || ahead === null || this.#has.size === 0) return;
    const keys = this.#releasable(ahead);
    if (keys.length === 0 || !this.#isCalm) return;
    const touched = new Touched(this.#parts);
    const free = keys.filter((key) => touched.isOver(key)).map(({ text }) => text);
    if (free.length === 0) return;
    for (const key of free) this.#has.delete(key);
    this.#write.append([{ do: 'released', keys: free }]);
    await this.#write.durable();
    await this.#letGo(free);
  }

  /** What may still be touched is kept, and nothing is released before the run has all of it (ER2). */
  #releasable(ahead: ReadonlySet<string>): readonly Key[] {
    const { config } = this.#parts;
    const later = [...ahead].flatMap((tool) => keysTouched(config, { tool, args: {}, entity: null }));
    const has = [...this.#has.values()];
    if (!later.every((key) => has.some((own) => covers(own, key)))) return [];
    return has.filter((own) => !later.some((key) => overlaps(own, key)));
  }

  /** True where nothing is in question, going back, or on its way: whatever was touched is done. */
  get #isCalm(): boolean {
    const { runState, lifecycle } = this.#parts;
    const { open, records, aborted, discards, parts, publications, toRedeliver } = runState;
    if (lifecycle.answer('leave').is === 'no' || aborted.owed.size > 0) return false;
    if (parts.decisions.pending !== null || open.size + records.size + publications.length > 0) return false;
    return toRedeliver.length === 0 && ![...discards.all.values()].some(({ is }) => is === 'due');
  }

  #letGo(keys: readonly string[]): Promise<void> {
    return this.#inTurn(async () => {
      const standing = keys.filter((key) => this.#released.has(key));
      if (standing.length > 0) await this.#parts.claims?.letGo?.(this.#parts.run, standing);
    });
  }

  #inTurn<T>(act: () => Promise<T>): Promise<T> {
    const done = this.#turn.then(act);
    this.#turn = done.catch(() => {});
    return done;
  }
}

/** What a run has touched outside, each with the end that it needs before its key is released. */
class Touched {
  readonly #touches: { readonly key: Key; readonly isOver: boolean }[] = [];

  constructor({ runState, config }: RunParts) {
    const { registry, versions } = runState.history;
    for (const record of registry.all()) {
      const upTo = record.committed?.at ?? 0;
      for (const accesses of [versions.readsBy(record), versions.writesOf(record)])
        for (const { key, at } of accesses) if (isExternal(key)) this.#touches.push({ key, isOver: at <= upTo });
    }
    for (const { status, intent } of runState.ledger.all()) {
      const call = { tool: intent.tool, args: argsOf(runState, intent), entity: intent.instance.entity };
      const isOver = !isOpen(status) && status !== 'buffered';
      for (const key of keysTouched(config, call)) this.#touches.push({ key, isOver });
    }
  }

  /** True where each touch of a key lies before a boundary that its unit has certified. */
  isOver(key: Key): boolean {
    return this.#touches.every((touch) => touch.isOver || !overlaps(touch.key, key));
  }
}

/** True where a key has all that lies under another one. */
function covers(own: Key, key: Key): boolean {
  if (own.text === key.text) return true;
  const { segments } = own;
  const isWhole = segments.at(-1) === '**';
  const path = isWhole ? segments.slice(0, -1) : segments;
  if (path.length > key.segments.length) return false;
  return path.every((segment, index) => {
    const other = key.segments[index];
    return other !== '**' && (segment === '*' || segment === other);
  });
}

function passedText({ key, run, epoch }: PassedOn): string {
  return `${key} was released, and the run ${run} has been given it since (grant ${epoch})`;
}
