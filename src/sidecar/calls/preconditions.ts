/** Tells if a call may leave, and if it waits for an approval: by the governor, and by the conditions and checks of its tool. */
import { errorMessage } from '../../effects/signals.ts';
import type { InstanceId } from '../../model/instance.ts';
import type { Facts } from '../../predicates/predicate.ts';
import type { Call } from '../../runtime/runtime.ts';
import type { RunParts } from '../parts.ts';
import { broughtAs } from '../registered.ts';
import { ageBehind } from './revalidating.ts';

/** The preconditions of one run's calls. */
export class Preconditions {
  readonly #parts: RunParts;

  constructor(parts: RunParts) {
    this.#parts = parts;
  }

  /** Says why the governor denies a call; null where it does not. An error of its own denies it. */
  async denied({ tool, input: args }: Call, instance: InstanceId): Promise<string | null> {
    try {
      return await this.#parts.governor({ tool, args, instance });
    } catch (error) {
      return errorMessage(error);
    }
  }

  /** Says which precondition of a call is not met, or cannot be told; null where all are met. */
  async unmet({ tool: name, input: args }: Call, number: number, instance: InstanceId): Promise<string | null> {
    const tool = this.#parts.config.tools.get(name);
    const why = this.whenUnmet({ tool: name, input: args }, number, instance);
    if (why !== null) return why;
    if (!tool?.check) return null;
    const check = broughtAs(this.#parts.checks, tool.check);
    if (check === undefined) return `nothing is registered that checks ${tool.check}`;
    try {
      return await check({ tool: name, args, instance });
    } catch (error) {
      return `${tool.check}: ${errorMessage(error)}`;
    }
  }

  /** Says that the condition of its tool does not hold for a call, or that it cannot be told; null where it holds. */
  whenUnmet(
    { tool: name, input: args }: Pick<Call, 'tool' | 'input'>,
    number: number,
    instance: InstanceId,
  ): string | null {
    const when = this.#parts.config.tools.get(name)?.when ?? null;
    if (when === null) return null;
    const answer = when.ask(this.#facts(name, args, number, instance));
    if (answer.is === 'no') return `${name} is called only when ${when.text}`;
    return answer.is === 'unknown' ? `it is unknown whether ${when.text}: ${answer.reason}` : null;
  }

  /** The reason why a condition on the age of a read fails by now; null where the condition holds, or where a call has no such condition. */
  tooOld(
    { tool: name, input: args }: Pick<Call, 'tool' | 'input'>,
    number: number,
    instance: InstanceId,
  ): string | null {
    const when = this.#parts.config.tools.get(name)?.when ?? null;
    return when === null || !asksAge(when.text) ? null : this.whenUnmet({ tool: name, input: args }, number, instance);
  }

  /** The reason why a condition on the mandate fails for the mandate that a call leaves under; null where it holds, or there is no such condition (MD2). */
  outsideMandate(
    { tool: name, input: args }: Pick<Call, 'tool' | 'input'>,
    number: number,
    instance: InstanceId,
  ): string | null {
    const when = this.#parts.config.tools.get(name)?.when ?? null;
    return when === null || !asksMandate(when.text)
      ? null
      : this.whenUnmet({ tool: name, input: args }, number, instance);
  }

  /** True where a call waits for an approval: also where that cannot be told. */
  isGated({ tool: name, input: args }: Call, number: number, instance: InstanceId): boolean {
    const gate = this.#parts.config.tools.get(name)?.gate ?? null;
    if (gate === null) return false;
    return gate.when === null || gate.when.ask(this.#facts(name, args, number, instance)).is !== 'no';
  }

  #facts(action: string, args: unknown, number: number, instance: InstanceId): Facts {
    const { runState, config } = this.#parts;
    const { entity } = instance;
    const { context } = runState.actor(runState.actor(number).parent ?? 0);
    const { last } = runState.mandates;
    const mandate = last === null ? {} : { mandate: last.terms };
    const facts = { state: '', action, args, entity, memory: context, event: {}, ...mandate };
    const { when = null, gate = null } = config.tools.get(action) ?? {};
    if (!asksAge(`${when?.text} ${gate?.when?.text}`)) return facts;
    const age = ageBehind(this.#parts, { actor: number, instance, tool: action });
    return age === null ? facts : { ...facts, verified: { age } };
  }
}

/** True where a condition asks how old the answers are that a call rests on. */
function asksAge(text: string): boolean {
  return /\bverified\b/.test(text);
}

/** True where a condition asks what the mandate of the run says. */
function asksMandate(text: string): boolean {
  return /\bmandate\b/.test(text);
}
