/** Names the suspect of a case, as `fail()` takes it. */
import type { EnumeratedCase } from './failures.ts';
import { keyOf, pieces, skeletonOf, toolsIn } from './little-machine.ts';
import { childKey } from './real-machine.ts';

/** The second argument of `fail()`. */
export interface Suspect {
  readonly instance: { readonly skeleton: string; readonly entity: string; readonly ordinal: number };
  readonly key?: string;
}

export function suspectOf({ machine, kind, call: { tool, pass } }: EnumeratedCase): Suspect {
  const perPass = pass !== null && machine.passes === 'entity';
  const isInChild = pieces(machine.body).some((part) => part.is === 'child' && toolsIn(part.body).includes(tool));
  const skeleton = skeletonOf(machine, tool);
  const instance = { skeleton, entity: perPass ? String(pass) : skeleton, ordinal: perPass ? 0 : (pass ?? 0) };
  if (kind !== 'wrong key') return { instance };
  // What a child machine has in its memory is written under the id of its actor.
  const key = isInChild ? `actor:child/${childKey(keyOf(tool))}` : keyOf(tool);
  return { instance, key: perPass ? `${key}/${pass}` : key };
}
