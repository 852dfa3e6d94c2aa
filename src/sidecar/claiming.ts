/** What a run claims before a call leaves: the things outside that the call touches, by what its config says of the tool. */
import type { BoundaryConfig } from '../boundaries/config.ts';
import type { Claim } from '../effects/claims.ts';
import { type Key, overlaps, parseKey } from '../model/key.ts';
import type { Facts } from '../predicates/predicate.ts';
import { isOutside } from './outside.ts';

/** A call as far as claims are concerned. */
interface Touching {
  readonly tool: string;
  readonly args: unknown;
  /** The entity of its instance; null where there is none, which makes keys wider. */
  readonly entity: string | null;
}

/** The keys outside that a call touches. A tool that is not declared may touch anything (E6). */
export function touched({ tools }: BoundaryConfig, call: Touching): readonly Key[] {
  const tool = tools.get(call.tool);
  if (tool === undefined) return [parseKey('**')];
  return [...tool.reads, ...tool.writes].flatMap((template) => template.fillAll(factsOf(call))).filter(isOutside);
}

/** The claims on keys. What no tool of the config writes is shared with others who only read it, too. */
export function claimsOn({ tools }: BoundaryConfig, keys: readonly Key[]): readonly Claim[] {
  const any = factsOf({ tool: '', args: {}, entity: null });
  const written = [...tools.values()].flatMap(({ writes }) => writes.flatMap((template) => template.fillAll(any)));
  const shared = (key: Key) => !written.some((other) => overlaps(other, key));
  return [...new Map(keys.map((key) => [key.text, { key, shared: shared(key) }])).values()];
}

function factsOf({ tool, args, entity }: Touching): Facts {
  return { state: '', action: tool, args, entity, memory: {}, event: {} };
}
