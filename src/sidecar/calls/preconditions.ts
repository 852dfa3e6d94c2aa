/** Tells if a call may leave, and if it waits for an approval: by the governor, and by the conditions and checks of its tool. */
import { errorMessage } from '../../effects/signals.ts';
import type { InstanceId } from '../../model/instance.ts';
import type { Facts } from '../../predicates/predicate.ts';
import type { Call } from '../../runtime/runtime.ts';
import type { RunParts } from '../parts.ts';
import { broughtAs } from '../registered.ts';

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
    if (tool?.when) {
      const answer = tool.when.ask(this.#facts(name, args, number, instance));
      if (answer.is === 'no') return `${name} is called only when ${tool.when.text}`;
      if (answer.is === 'unknown') return `it is unknown whether ${tool.when.text}: ${answer.reason}`;
    }
    if (!tool?.check) return null;
    const check = broughtAs(this.#parts.checks, tool.check);
    if (check === undefined) return `nothing is registered that checks ${tool.check}`;
    try {
      return await check({ tool: name, args, instance });
    } catch (error) {
      return `${tool.check}: ${errorMessage(error)}`;
    }
  }

  /** True where a call waits for an approval: also where that cannot be told. */
  isGated({ tool: name, input: args }: Call, number: number, instance: InstanceId): boolean {
    const gate = this.#parts.config.tools.get(name)?.gate ?? null;
    if (gate === null) return false;
    return gate.when === null || gate.when.ask(this.#facts(name, args, number, instance)).is !== 'no';
  }

  #facts(action: string, args: unknown, number: number, { entity }: InstanceId): Facts {
    const { runState } = this.#parts;
    const { context } = runState.actor(runState.actor(number).parent ?? 0);
    return { state: '', action, args, entity, memory: context, event: {} };
  }
}
