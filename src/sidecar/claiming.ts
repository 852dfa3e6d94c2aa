/** What a run claims before a call leaves: the things outside that the call touches, by what its config says of the tool. */
import type { BoundaryConfig } from '../boundaries/config.ts';
import type { Claim } from '../effects/claims.ts';
import type { InstanceId } from '../model/instance.ts';
import { type Key, overlaps, parseKey } from '../model/key.ts';
import type { Facts } from '../predicates/predicate.ts';
import { isOutside } from './outside.ts';

/** A call as far as claims are concerned. */
interface Touching {
  readonly tool: string;
  readonly args: unknown;
  readonly instance: InstanceId;
}

/**
 * The claims of calls. What no tool of the config writes is shared with others who only read it, too. A tool that is not declared may
 * touch anything (E6).
 */
export function claimsOf({ tools }: BoundaryConfig, calls: readonly Touching[]): readonly Claim[] {
  const facts = (call: Partial<Touching>): Facts => {
    const { tool = '', args = {}, instance } = call;
    return { state: '', action: tool, args, entity: instance?.entity ?? '', memory: {}, event: {} };
  };
  const written = [...tools.values()].flatMap(({ writes }) =>
    writes.flatMap((template) => template.fillAll(facts({}))),
  );
  const shared = (key: Key) => !written.some((other) => overlaps(other, key));
  const keys = calls.flatMap((call): readonly Key[] => {
    const tool = tools.get(call.tool);
    if (tool === undefined) return [parseKey('**')];
    return [...tool.reads, ...tool.writes].flatMap((template) => template.fillAll(facts(call))).filter(isOutside);
  });
  return [...new Map(keys.map((key) => [key.text, { key, shared: shared(key) }])).values()];
}
