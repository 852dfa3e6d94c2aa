/** The functions that a program brings: a sidecar that has given its run back calls none of them any more (semantics.md E2). */
import { never } from '../runtime/calls-under-way.ts';
import type { RunParts } from './parts.ts';

/** The parts of a run that are the program's own. */
export type Outside = Pick<RunParts, 'reconcilers' | 'undos' | 'buffers' | 'checks' | 'governor'>;

/** Closes the functions of a program to a run once `isGone`: who calls one then waits for ever, so that nothing goes on from it. */
export function outside({ reconcilers, undos, buffers, checks, governor }: Outside, isGone: () => boolean): Outside {
  const closing = <T extends object>(value: T) => closed(value, isGone);
  const all = <T extends object>(bag: Readonly<Record<string, T>>): Readonly<Record<string, T>> =>
    Object.fromEntries(Object.entries(bag).map(([name, value]) => [name, value && closing(value)]));
  return {
    reconcilers: all(reconcilers),
    undos: all(undos),
    buffers: all(buffers),
    checks: all(checks),
    governor: closing(governor),
  };
}

/** The same function, or object with methods, which never answers once it is closed. */
function closed<T extends object>(value: T, isGone: () => boolean): T {
  return new Proxy(value, {
    apply: (target, self, args) => (isGone() ? never() : Reflect.apply(target as () => unknown, self, args)),
    get: (target, name) => {
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== 'function' || typeof target === 'function') return member;
      return (...args: unknown[]) => (isGone() ? never() : Reflect.apply(member, target, args));
    },
  });
}
