/** Claims what the calls of a run touch, where runs are kept apart (semantics.md §12). */
import { type Claims, ClaimsClosed } from '../../effects/claims/claims.ts';
import { claimsOn, keysTouched } from '../../effects/touched.ts';
import type { Claim } from '../../journal/claims.ts';
import { isExternal } from '../../model/external-keys.ts';
import type { InstanceId } from '../../model/instance.ts';
import type { Key } from '../../model/key.ts';
import type { Call } from '../../runtime/runtime.ts';
import type { RunParts, RunWriter } from '../parts.ts';
import { argsOf } from './args.ts';

/** The claiming of one run. */
export class Claiming {
  readonly #parts: RunParts;
  readonly #write: RunWriter;

  constructor(parts: RunParts, write: RunWriter) {
    this.#parts = parts;
    this.#write = write;
  }

  /** Waits until what a call touches is this run's. @returns why it does not get that, or null. */
  async claim({ tool, input: args, signal }: Call, instance: InstanceId): Promise<string | null> {
    const { claims, config } = this.#parts;
    const keys = claims === null ? [] : keysTouched(config, { tool, args, entity: instance.entity });
    if (claims === null || keys.length === 0) return null;
    try {
      return await this.#take(claims, claimsOn(config, keys), signal, instance);
    } catch (error) {
      // The next process makes the call; where claims cannot be kept, nothing more is written, as with a journal that fails.
      if (!(error instanceof ClaimsClosed)) this.#write.break(error);
      return new Promise(() => {});
    }
  }

  /**
   * Claims what this run has touched so far, as one that is taken up has to: what its history has read and written, and what calls have
   * changed that a restore has undone. @returns why it does not get that, or null.
   */
  async claimAgain(): Promise<string | null> {
    const { claims, config, runState } = this.#parts;
    if (claims === null) return null;
    const { registry, versions } = runState.history;
    const accessed: Key[] = [];
    for (const record of registry.all())
      for (const accesses of [versions.readsBy(record), versions.writesOf(record)])
        for (const { key } of accesses) if (isExternal(key)) accessed.push(key);
    const calls = [...runState.ledger.all()].flatMap(({ intent }) =>
      keysTouched(config, { tool: intent.tool, args: argsOf(runState, intent), entity: intent.instance.entity }),
    );
    const keys = [...accessed, ...calls];
    if (keys.length === 0) return null;
    return this.#take(claims, claimsOn(config, keys), new AbortController().signal, null);
  }

  #take(claims: Claims, wanted: readonly Claim[], signal: AbortSignal, instance: InstanceId | null) {
    return claims.take(this.#parts.run, wanted, signal, (reason) => {
      const finding = { do: 'finding', code: 'waits_for_run', instance, text: `waits: ${reason}` } as const;
      this.#write.append([finding]);
      this.#parts.onFinding(finding);
    });
  }
}
