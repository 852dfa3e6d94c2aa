/**
 * Early release of claims (semantics.md ER1 to ER9): a key that no state to come can touch, or that a boundary promises not to touch again, is released
 * while the run goes on. Whatever goes back takes its keys back first; what another run has been given is never had again.
 */
import type { LedgerCall } from '../../effects/ledger-call.ts';
import { keysTouched } from '../../effects/touched.ts';
import type { Claim } from '../../journal/claims.ts';
import { isExternal } from '../../model/external-keys.ts';
import { type InstanceId, instanceName } from '../../model/instance.ts';
import { type Key, overlaps, parseKey } from '../../model/key.ts';
import type { PassedOn } from '../../model/passed-on.ts';
import type { Promised } from '../../model/promised-entry.ts';
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
    if (this.hasAll(wanted)) return null;
    const [passed] = await this.takeBack();
    return passed === undefined ? null : `nothing is claimed any more: ${passedText(passed)}`;
  }

  /** True where the run has each of these keys alone, or under a key that covers it. */
  hasAll(wanted: readonly Claim[]): boolean {
    const has = [...this.#has.values()];
    return wanted.every(({ key }) => has.some((own) => covers(own, key)));
  }

  /** Says which promise a touch would break, and tells it as a finding; null where it breaks none (ER9). */
  brokenBy(wanted: readonly Claim[], instance: InstanceId): string | null {
    for (const [text, promised] of this.#parts.runState.ledger.promised) {
      const touched = wanted.find(({ key }) => overlaps(key, parseKey(text)));
      if (touched === undefined || !this.#stands(promised)) continue;
      const { boundary, instance: by } = promised;
      const says = `the boundary ${boundary} of ${instanceName(by)} has promised that ${text} is not touched any more`;
      const finding = {
        do: 'finding',
        code: 'late_touch',
        instance,
        text: `${touched.key.text}: ${says}`,
        boundary,
      } as const;
      this.#write.append([finding]);
      this.#parts.onFinding(finding);
      return finding.text;
    }
    return null;
  }

  /** True while the boundary of a promise is certified: a restore behind which it does not stand takes the promise back as well. */
  #stands({ instance, at }: Promised): boolean {
    const checkpoints = this.#parts.runState.history.registry.get(instance)?.checkpoints;
    return checkpoints?.at(checkpoints.countUpTo(at) - 1)?.at === at;
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

  /**
   * Tells the claims once more what is released: the process may have died before (ER4). What a person has freed since is taken back, but for what
   * another run was given (ER8).
   */
  async again(): Promise<void> {
    const { claims, run } = this.#parts;
    const freed = ((await claims?.freed?.(run)) ?? []).filter((key) => !this.#released.has(key));
    if (freed.length > 0) {
      this.#write.append([{ do: 'freed', keys: freed }]);
      await this.#write.durable();
      await this.takeBack();
    } else if (this.#released.size > 0) await this.#letGo([...this.#released.keys()]);
  }

  /**
   * Releases the keys that no state to come can touch, where the run has all others, and those that are promised.
   * @param ahead the tools that may still be called; null where that is not known.
   */
  async release(ahead: ReadonlySet<string> | null): Promise<void> {
    const { claims, config } = this.#parts;
    if (claims?.letGo === undefined || this.#has.size === 0) return;
    const final = config.release === 'final' && ahead !== null ? this.#releasable(ahead) : [];
    const keys = [...new Set([...final, ...this.#promised()])];
    if (keys.length === 0 || !this.#isCalm) return;
    const open = openTouches(this.#parts);
    const free = keys.filter((key) => !open.some((touched) => overlaps(touched, key))).map(({ text }) => text);
    if (free.length === 0) return;
    for (const key of free) this.#has.delete(key);
    this.#write.append([{ do: 'released', keys: free }]);
    await this.#write.durable();
    await this.#letGo(free);
  }

  /** The keys that the run has and promises not to touch again: what states to come may touch is not asked for (ER9). */
  #promised(): readonly Key[] {
    const { promised } = this.#parts.runState.ledger;
    if (promised.size === 0) return [];
    const keys = [...promised].flatMap(([text, by]) => (this.#stands(by) ? [parseKey(text)] : []));
    return [...this.#has.values()].filter((own) => keys.some((key) => covers(key, own)));
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

/**
 * The keys outside that the run has touched behind the last boundary of their unit, and those of calls that are open or held back. Costs a look at
 * each unit, and what was touched since its boundary.
 */
function openTouches({ runState, config }: RunParts): readonly Key[] {
  const { registry, versions } = runState.history;
  const keys: Key[] = [];
  for (const record of registry.all()) {
    const upTo = record.committed?.at ?? 0;
    if (!versions.hasActedAfter(record, upTo)) continue;
    for (const { key } of versions.readsBetween(record, upTo, Number.MAX_SAFE_INTEGER)) keys.push(key);
    for (const { key } of versions.writesBetween(record, upTo, Number.MAX_SAFE_INTEGER)) keys.push(key);
  }
  for (const { intent } of [...runState.ledger.open(), ...runState.ledger.buffered()])
    keys.push(
      ...keysTouched(config, { tool: intent.tool, args: argsOf(runState, intent), entity: intent.instance.entity }),
    );
  return keys.filter(isExternal);
}

/** True where a key has all that lies under another one. */
function covers({ segments: own }: Key, { segments }: Key): boolean {
  return own.length <= segments.length && own.every((segment, at) => segment === '*' || segment === segments[at]);
}

function passedText({ key, run, epoch }: PassedOn): string {
  return `${key} was released, and the run ${run} has been given it since (grant ${epoch})`;
}
