/**
 * Enumerates the legal endings of a machine: every ending of every interleaving in which all calls answered right the first time.
 */
import { begin, isOver, type Manner, type RunState, steps } from './interpreter.ts';
import type { LittleMachine } from './little-machine.ts';

/** One legal ending: the memory as text, and the acts that stand. */
export interface LegalEnding {
  readonly memory: string;
  readonly acts: readonly string[];
}

const MANNER: Manner = { startsAtOnce: false, wrong: null };

/** Lists the legal endings, each once. */
export function legalEndings(machine: LittleMachine): readonly LegalEnding[] {
  const seen = new Set<string>();
  const endings = new Map<string, LegalEnding>();
  const open: RunState[] = [begin(machine, MANNER)];
  for (let state = open.pop(); state !== undefined; state = open.pop()) {
    const text = JSON.stringify(state);
    if (seen.has(text)) continue;
    seen.add(text);
    if (isOver(state)) {
      const ending = { memory: memoryText(state.memory), acts: state.acts };
      endings.set(JSON.stringify(ending), ending);
    } else open.push(...steps(machine, MANNER, state).map(({ to }) => to));
  }
  return [...endings.values()];
}

/** Prints a memory with its keys in order; keys without a value are left out. */
export function memoryText(memory: object): string {
  const entries = Object.entries(memory).filter(([, value]) => value !== undefined && value !== null);
  return JSON.stringify(Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1))));
}

/** True where everything in `part` is also in `whole`, as often. */
export function isWithin(part: readonly string[], whole: readonly string[]): boolean {
  return minus(part, whole).length === 0;
}

/** Takes the members of `taken` out of `from`, each once. */
export function minus(from: readonly string[], taken: readonly string[]): readonly string[] {
  const left = [...taken];
  return from.filter((one) => {
    const at = left.indexOf(one);
    if (at >= 0) left.splice(at, 1);
    return at < 0;
  });
}
