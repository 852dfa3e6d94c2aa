/** Claims the keys of a run's calls, if runs are kept apart (semantics.md §12). */
import { ClaimRefused, type Claims, ClaimsClosed } from '../../effects/claims/claims.ts';
import { underEither } from '../../effects/either.ts';
import type { ForkedFrom } from '../../effects/ledger.ts';
import { claimsOn, keysTouched } from '../../effects/touched.ts';
import type { Access } from '../../history/key-tree.ts';
import type { Claim } from '../../journal/claims.ts';
import { isExternal } from '../../model/external-keys.ts';
import type { InstanceId } from '../../model/instance.ts';
import type { Key } from '../../model/key.ts';
import { endedChild } from '../../model/reply-event.ts';
import type { ActorState } from '../../projection/state-types.ts';
import type { Call } from '../../runtime/runtime.ts';
import type { RunParts, RunWriter } from '../parts.ts';
import { argsOf } from './args.ts';
import type { Releasing } from './releasing.ts';

/**
 * The calls whose keys an event names: calls that have touched nothing, and calls whose answer the event's step has
 * received.
 */
interface Named {
  readonly calls: readonly ActorState[];
  readonly answered: readonly ActorState[];
}

/** A key that was touched, and the run of the common past that did it; null for this run itself. */
interface Touch {
  readonly key: Key;
  readonly of: string | null;
}

/** The claiming of one run. */
export class Claiming {
  readonly #parts: RunParts;
  readonly #write: RunWriter;
  readonly #cancelled = new AbortController();
  readonly #releasing: Releasing;
  readonly #standsInLine: (reason: string) => void;

  /** @param standsInLine is told of each wait for a claim, with its reason. */
  constructor(parts: RunParts, write: RunWriter, releasing: Releasing, standsInLine: (reason: string) => void) {
    this.#standsInLine = standsInLine;
    this.#parts = parts;
    this.#write = write;
    this.#releasing = releasing;
  }

  /** Ends every wait: a person has ended the run, and no call of it leaves any more. */
  cancel(): void {
    this.#cancelled.abort();
  }

  /** Waits until what a call touches is this run's, or the run is cancelled. @returns why it does not get that, or null. */
  async claim({ tool, input: args, signal }: Call, instance: InstanceId): Promise<ClaimRefused | null> {
    const { claims, config } = this.#parts;
    const keys = claims === null ? [] : keysTouched(config, { tool, args, entity: instance.entity });
    if (claims === null || keys.length === 0) return null;
    try {
      const touched = claimsOn(config, keys);
      const broken = this.#releasing.brokenBy(touched, instance);
      if (broken !== null) return new ClaimRefused('late_touch', broken);
      const late = await this.#releasing.mayTake(touched);
      if (late !== null) return new ClaimRefused('claim_refused', late);
      const isAnnounced = config.lineUp === 'announce';
      if (isAnnounced && this.#releasing.hasAll(touched)) return null;
      const wanted = isAnnounced ? this.#announced(touched) : touched;
      const why = await underEither([signal, this.#cancelled.signal], (either) =>
        this.#take(claims, wanted, either, instance),
      );
      return why === null ? null : new ClaimRefused('claim_refused', why);
    } catch (error) {
      // The next process makes the call; where claims cannot be kept, nothing more is written, as with a journal that fails.
      if (!(error instanceof ClaimsClosed)) this.#write.break(error);
      return new Promise(() => {});
    }
  }

  /**
   * Claims again every key that this run has touched, as a run that is taken up must: the keys that its history has
   * read and written, and the keys of calls that a restore has undone. A call that never left has touched nothing:
   * another run may have its keys, and wait for this one. @returns the reason why the run does not get the claims, or
   * null; null as well if the run was cancelled meanwhile.
   */
  async claimAgain(): Promise<string | null> {
    const { claims, config, runState } = this.#parts;
    if (claims === null) return null;
    const { registry, versions } = runState.history;
    const untouched = this.#untouched();
    const isUntouched = ({ at, by, key }: Access) => {
      const names = (call: ActorState) => this.#keysOf(call, by.id).some(({ text }) => text === key.text);
      const named = untouched.get(at);
      return named?.calls.some(names) === true && !named.answered.some(names);
    };
    const touched: Touch[] = [];
    for (const record of registry.all())
      for (const accesses of [versions.readsBy(record), versions.writesOf(record)])
        for (const access of accesses)
          if (isExternal(access.key) && !isUntouched(access))
            touched.push({ key: access.key, of: this.#ownerOf((fork) => access.at <= fork.upTo) });
    for (const [index, { intent }] of [...runState.ledger.all()].entries()) {
      const call = { tool: intent.tool, args: argsOf(runState, intent), entity: intent.instance.entity };
      const of = this.#ownerOf((fork) => index < fork.calls);
      for (const key of keysTouched(config, call)) touched.push({ key, of });
    }
    await this.#releasing.again();
    const { released } = runState.ledger;
    const kept = touched.filter(({ key }) => !released.has(key.text));
    if (kept.length === 0) return null;
    // What was announced and not touched is the run's still, or is announced once more with its next call.
    return this.#take(claims, this.#shared(kept), this.#cancelled.signal, null);
  }

  /** What is touched now, and whatever the tools of the config touch: it is claimed in one act, so that no circle is closed (ER6). */
  #announced(touched: readonly Claim[]): readonly Claim[] {
    const { config } = this.#parts;
    const keys = [...config.tools.keys()].flatMap((tool) => keysTouched(config, { tool, args: {}, entity: null }));
    const lacking = claimsOn(config, keys).filter(({ key }) => touched.every((claim) => claim.key.text !== key.text));
    return [...touched, ...lacking];
  }

  /** The first ancestor of this fork whose past has a touch; null for a touch behind the fork. */
  #ownerOf(isIn: (fork: ForkedFrom) => boolean): string | null {
    return this.#parts.runState.ledger.forks.find(isIn)?.of ?? null;
  }

  /** The claims on keys: what the common past has touched is shared with kin (FK6). */
  #shared(touched: readonly Touch[]): readonly Claim[] {
    const line = this.#parts.runState.ledger.forks.map(({ of }) => of);
    const first = new Map<string, string>();
    for (const of of line)
      for (const { key, of: owner } of touched) if (owner === of && !first.has(key.text)) first.set(key.text, of);
    const keys = touched.map(({ key }) => key);
    return claimsOn(this.#parts.config, keys).map((claim) => {
      const from = first.get(claim.key.text);
      return from === undefined ? claim : { ...claim, from };
    });
  }

  /**
   * The keys that events name though nothing has touched them, by the event: those of the steps that started calls which have not left, and of
   * the steps that heard that such a call was refused. What an answered call has read is named again by the step that heard the answer.
   */
  #untouched(): ReadonlyMap<number, Named> {
    const { runState } = this.#parts;
    const untouched = new Map<number, Named>();
    let refused: readonly ActorState[] = [];
    for (const step of runState.places.steps.all) {
      const { entry, firstStarted, act, to } = step;
      const ended = runState.family.endedBy(step);
      if (ended.length > 0 || !isRefusal(entry?.event)) refused = ended;
      const begun = runState.actors.slice(firstStarted, firstStarted + (entry?.started.length ?? 0));
      const calls = [...begun, ...(isRefusal(entry?.event) ? refused : [])].filter(
        ({ number }) => runState.ledger.ofActor(number) === undefined,
      );
      const child = isRefusal(entry?.event) ? null : endedChild((entry?.event as { type?: unknown } | undefined)?.type);
      const answered = ended.filter(({ started }) => started?.id === child);
      if (calls.length > 0) for (let at = act + 1; at <= to; at += 1) untouched.set(at, { calls, answered });
    }
    return untouched;
  }

  #keysOf({ started }: ActorState, { entity }: InstanceId): readonly Key[] {
    if (started?.kind !== 'promise' || started.src === null) return [];
    return keysTouched(this.#parts.config, { tool: started.src, args: started.input, entity });
  }

  /** @param instance whose call it is; null for a run that is taken up: that waits as long as it takes. */
  async #take(claims: Claims, wanted: readonly Claim[], signal: AbortSignal, instance: InstanceId | null) {
    const { run, config, onFinding } = this.#parts;
    const waits = (reason: string) => {
      const finding = { do: 'finding', code: 'waits_for_run', instance, text: `waits: ${reason}` } as const;
      this.#write.append([finding]);
      onFinding(finding);
      this.#standsInLine(reason);
    };
    const ttl = instance === null ? null : config.claimTtl;
    const why = await claims.take(run, wanted, signal, waits, ...(ttl === null ? [] : [ttl]));
    if (why === null && !signal.aborted) this.#releasing.took(wanted);
    return why;
  }
}

/** True for the event that tells a machine of a call that did not get what it touches. */
function isRefusal(event: unknown): boolean {
  const { error } = (event ?? {}) as { readonly error?: { readonly code?: unknown } | null };
  return error?.code === 'claim_refused' || error?.code === 'late_touch';
}
