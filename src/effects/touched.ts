/** The keys that a call must claim before it leaves: the external keys that its tool touches, by the config. */
import type { BoundaryConfig } from '../boundaries/config.ts';
import type { Claim } from '../journal/claims.ts';
import { isExternal } from '../model/external-keys.ts';
import { type Key, overlaps, parseKey } from '../model/key.ts';
import type { Facts } from '../predicates/predicate.ts';

const EVERYTHING = parseKey('**');

/** A call as far as claims are concerned. */
interface Touching {
  readonly tool: string;
  readonly args: unknown;
  /** The entity of its instance; null where there is none, which makes keys wider. */
  readonly entity: string | null;
}

/** The keys outside that a call touches. A tool that is not declared may touch anything (E6). */
export function keysTouched(config: BoundaryConfig, call: Touching): readonly Key[] {
  return outsideOf([...readsOf(config, call), ...writesOf(config, call)]);
}

/** True where one of two calls writes what the other reads or writes. */
export function meet(config: BoundaryConfig, one: Touching, other: Touching): boolean {
  const touches = (call: Touching, written: readonly Key[]) =>
    [...readsOf(config, call), ...writesOf(config, call)].some((key) => written.some((each) => overlaps(key, each)));
  return touches(one, writesOf(config, other)) || touches(other, writesOf(config, one));
}

/** The keys that a call reads. A tool that is not declared may read anything (E6). */
export function readsOf({ tools }: BoundaryConfig, call: Touching): readonly Key[] {
  const tool = tools.get(call.tool);
  return tool === undefined ? [EVERYTHING] : tool.reads.flatMap((template) => template.fillAll(factsOf(call)));
}

/** The keys that a call writes. A tool that is not declared may write anything (E6). */
export function writesOf({ tools }: BoundaryConfig, call: Touching): readonly Key[] {
  const tool = tools.get(call.tool);
  return tool === undefined ? [EVERYTHING] : tool.writes.flatMap((template) => template.fillAll(factsOf(call)));
}

/** The keys outside that a call reads. A tool that is not declared may read anything (E6). */
export function readBy(config: BoundaryConfig, call: Touching): readonly Key[] {
  return outsideOf(readsOf(config, call));
}

function outsideOf(keys: readonly Key[]): readonly Key[] {
  return keys.includes(EVERYTHING) ? keys : keys.filter(isExternal);
}

/** The keys outside that a staged call changes: anything, where its tool declares none. */
export function changedBy({ tools }: BoundaryConfig, call: Touching): readonly Key[] {
  const writes = tools.get(call.tool)?.writes ?? [];
  const keys = writes.flatMap((template) => template.fillAll(factsOf(call))).filter(isExternal);
  return keys.length === 0 ? [EVERYTHING] : keys;
}

/** The staging areas of which calls may change something that lies under keys, by their names. */
export function areasOver(config: BoundaryConfig, keys: readonly Key[]): readonly string[] {
  const names = [...config.tools].flatMap(([tool, { buffer }]) => {
    if (typeof buffer !== 'object' || buffer === null) return [];
    const changed = changedBy(config, { tool, args: {}, entity: null });
    return changed.some((key) => keys.some((other) => overlaps(key, other))) ? [buffer.name] : [];
  });
  return [...new Set(names)];
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
