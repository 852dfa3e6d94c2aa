/** References to actors in a context: after a restore they point to the actors that are there now. */
import type { AnyActorRef } from 'xstate';
import { isReference } from '../model/actor-reference.ts';
import type { ActorPlan } from '../runtime/restore-plan.ts';

/** The values that are known to hold no reference. A context is never changed in place (semantics.md §3), so they hold none for good. */
const free = new WeakSet<object>();

/**
 * The context of a plan, in which references to actors point to those that are there now. Copies only what holds one, and searches only what
 * no earlier plan has searched.
 */
export function withReferences(
  { context, since }: ActorPlan,
  children: Readonly<Record<string, AnyActorRef>>,
): unknown {
  if (since !== undefined) carryOver(context, since);
  return isFree(context) ? context : revived(context, children);
}

function revived(context: unknown, children: Readonly<Record<string, AnyActorRef>>): unknown {
  if (!isSearched(context) || free.has(context)) return context;
  if (isReference(context)) return children[context.id as string] ?? context;
  let copy: Record<string, unknown> | undefined;
  for (const [name, value] of Object.entries(context)) {
    const now = revived(value, children);
    if (now === value) continue;
    copy ??= (Array.isArray(context) ? [...context] : { ...context }) as Record<string, unknown>;
    copy[name] = now;
  }
  return copy ?? context;
}

/** True where a value holds no reference. */
function isFree(value: unknown): boolean {
  if (!isSearched(value) || free.has(value)) return true;
  if (isReference(value)) return false;
  for (const name of Object.keys(value)) if (!isFree(value[name])) return false;
  free.add(value);
  return true;
}

/** Changes that hold no reference leave a container that held none without one. */
function carryOver(context: unknown, { context: before, edits }: NonNullable<ActorPlan['since']>): void {
  if (!edits.every((edit) => edit.op === 'delete' || isFree(edit.value))) return;
  for (const { path } of edits) {
    let [old, now] = [before, context];
    for (const name of path) {
      if (!isSearched(old) || !isSearched(now)) break;
      if (isFree(old)) free.add(now);
      [old, now] = [old[name], now[name]];
    }
  }
}

/** True for a value in which references are looked for, or that is one. */
function isSearched(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false;
  return Array.isArray(value) || isReference(value) || Object.getPrototypeOf(value) === Object.prototype;
}
