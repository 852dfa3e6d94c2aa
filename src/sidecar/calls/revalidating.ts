/** Looks again at what a call rests on, right before it leaves (semantics.md RV2 to RV4). */
import type { Revalidate } from '../../boundaries/config.ts';
import { failed, type MovedAnswer, type Reply, type SecondLooks } from '../../effects/guarded-call.ts';
import { asHeld } from '../../effects/looking.ts';
import { isSame } from '../../journal/value-codec.ts';
import type { Entry } from '../../model/entry.ts';
import type { InstanceId } from '../../model/instance.ts';
import type { LookedAt } from '../../projection/looks.ts';
import { type ReliedRead, reliedReads } from '../../projection/relied-reads.ts';
import type { RunParts } from '../parts.ts';

/** The time in milliseconds for which a second look counts whatever its tool says: the commit of the call takes some. */
const COMMIT = 1_000;
/** The most rounds of looking before one call: looks that are slower than they are good for would go on for ever. */
const MOST_ROUNDS = 5;

type Facts = Pick<RunParts, 'config' | 'runState' | 'now'>;

/** The call that is about to leave. */
interface Leaving {
  readonly actor: number;
  readonly instance: InstanceId;
  readonly tool: string;
}

/** Makes the call of a tool that only looks. */
export type Look = (read: number, look: Pick<LookedAt, 'tool' | 'args'>) => Promise<Reply>;

/** An answer that a call rests on, with the rule of its tool. */
interface Relied extends ReliedRead {
  readonly look: LookedAt;
  readonly rule: Revalidate;
}

/** The answers of revalidated tools that a call rests on. */
function reliedBy({ config, runState }: Facts, of: Leaving): readonly Relied[] {
  return reliedReads(runState, of).flatMap((read) => {
    const look = runState.looks.all.get(read.actor);
    const rule = config.tools.get(look?.tool ?? '')?.revalidate ?? null;
    return look === undefined || rule === null ? [] : [{ ...read, look, rule }];
  });
}

/** The age in milliseconds of the oldest answer that a call will leave on; what is looked at again counts as 0. Null where it rests on none. */
export function ageBehind(parts: Facts, of: Leaving): number | null {
  const ages = reliedBy(parts, of).map(({ look, rule }) => {
    const age = Math.max(0, parts.now() - look.at);
    return age > rule.for ? 0 : age;
  });
  return ages.length === 0 ? null : Math.max(...ages);
}

/** The second looks of one call. */
export class SecondLooking implements SecondLooks {
  readonly #parts: Facts;
  readonly #of: Leaving;
  readonly #look: Look;
  readonly #unmet: () => string | null;
  /** The answers that were looked at again for this call: when it was asked, and when the answer came. */
  readonly #seen = new Map<number, { readonly at: number; readonly came: number }>();

  /** @param unmet says which condition on the age of the answers is not met. */
  constructor(parts: Facts, of: Leaving, look: Look, unmet: () => string | null) {
    this.#parts = parts;
    this.#of = of;
    this.#look = look;
    this.#unmet = unmet;
  }

  /** True where the call rests on any answer that may have to be looked at again. */
  get isAny(): boolean {
    return reliedBy(this.#parts, this.#of).length > 0;
  }

  isDue(): boolean {
    return this.#old().length > 0;
  }

  unmet(): string | null {
    return this.#unmet();
  }

  relied(key: string): readonly Entry[] {
    const reads = reliedBy(this.#parts, this.#of).map(({ actor, look }) => {
      const seen = this.#seen.get(actor);
      return seen === undefined ? { actor, at: look.at } : { actor, at: seen.at, again: true as const };
    });
    return reads.length === 0 ? [] : [{ do: 'verified', key, reads }];
  }

  /** The answers that are too old, each actor once, in the order of their writes. */
  #old(): readonly Relied[] {
    const now = this.#parts.now();
    const old = reliedBy(this.#parts, this.#of).filter(({ actor, look, rule }) => {
      const seen = this.#seen.get(actor);
      if (seen !== undefined && Math.abs(now - seen.came) <= COMMIT) return false;
      // A clock that was set back makes nothing fresh.
      const age = now - (seen?.at ?? look.at);
      return age < 0 || age > rule.for || (rule.for === 0 && seen === undefined);
    });
    return old.filter(({ actor }, nth) => old.findIndex((other) => other.actor === actor) === nth);
  }

  async make(): Promise<Reply | null> {
    for (let round = 0; round < MOST_ROUNDS; round += 1) {
      const old = this.#old();
      if (old.length === 0) return null;
      const replies = await Promise.all(old.map((relied) => this.#again(relied)));
      const first = replies.find((reply) => reply !== null);
      if (first !== undefined) return first;
    }
    const error = new Error(
      `what ${this.#of.tool} rests on cannot be looked at as fast as it has to be: it is too old again`,
    );
    return failed('TIMEOUT', error, null);
  }

  /** Looks once more. @returns null where it is the same. */
  async #again({ actor, look, rule, write }: Relied): Promise<Reply | null> {
    const at = this.#parts.now();
    const reply = await this.#look(actor, look);
    if (reply.is === 'failed') {
      const cause = reply.error;
      const why = cause instanceof Error ? cause.message : String(cause);
      const text = `${look.tool}, which ${this.#of.tool} rests on, could not be looked at again: ${why}`;
      return {
        ...reply,
        error: Object.assign(new Error(text, { cause }), cause instanceof Error && { name: cause.name }),
      };
    }
    if (reply.is !== 'done') return reply;
    if (this.#isSame(look, rule, reply.output)) {
      this.#seen.set(actor, { at, came: this.#parts.now() });
      return null;
    }
    const moved: MovedAnswer = {
      tool: look.tool,
      instance: write.by.id,
      key: write.key,
      at: write.at,
      else: rule.else,
    };
    return { is: 'moved', moved };
  }

  /** True where two answers count as the same; a comparison that cannot be told counts as a change. */
  #isSame({ tool, args, output: then }: LookedAt, { same }: Revalidate, now: unknown): boolean {
    const { codecs } = this.#parts.runState;
    if (same === null) return isSame(asHeld(now, codecs), asHeld(then, codecs));
    return same.ask({ state: '', action: tool, args, entity: null, memory: null, event: null, now, then }).is === 'yes';
  }
}
