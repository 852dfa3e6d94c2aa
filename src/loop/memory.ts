/** The context of a loop: its input, what it has received and said by the numbers of its turns, and the answers to its calls by their names. */
import { createHash } from 'node:crypto';
import { type Lane, laneOf } from '../runtime/lanes.ts';
import { OWN, type OwnNotes } from '../runtime/receiving.ts';

/** The tool of a model's calls, and the state of a call of a model. */
export const MODEL = 'model';

/** The notes of the runtime's own. */
interface Notes extends OwnNotes {
  /** The calls that go on side by side, by their names. */
  readonly round: readonly string[];
  /** The digests of what calls were made with, by their names. */
  readonly asked: Readonly<Record<string, string>>;
}

/** The context of a run. */
export interface Memory {
  readonly input: unknown;
  readonly turns: Readonly<Record<string, unknown>>;
  readonly said: Readonly<Record<string, unknown>>;
  readonly steps: Readonly<Record<string, unknown>>;
  /** There once the program has returned. */
  readonly output?: unknown;
  readonly [OWN]: Notes;
}

/** The context of a run that begins. */
export function firstMemory(input: unknown, salt: string): Memory {
  const own = { salt, thread: { turn: 0, isOpen: true }, round: [], asked: {} };
  return { input, turns: {}, said: {}, steps: {}, [OWN]: own };
}

/** The context with other notes. */
export function noted(memory: Memory, more: Partial<Notes>): Memory {
  return { ...memory, [OWN]: { ...memory[OWN], ...more } };
}

/** The context with the answer to a call. */
export function answered(memory: Memory, name: string, is: string, output: unknown): Memory {
  const { asked } = memory[OWN];
  return noted({ ...memory, steps: { ...memory.steps, [name]: output } }, { asked: { ...asked, [name]: is } });
}

/** The context as a call sees it that begins beside others: without their answers. */
export function seenInRound(memory: Memory): Memory {
  const beside = new Set(memory[OWN].round);
  const steps = Object.fromEntries(Object.entries(memory.steps).filter(([name]) => !beside.has(name)));
  return { ...memory, steps };
}

/** The name of a call: its tool, and behind an `@` its id. */
export function nameOf(tool: string, id: string): string {
  return `${tool}@${id}`;
}

/** The id in the name of a call. */
export function idIn(name: string): string {
  return name.slice(name.indexOf('@') + 1);
}

/** The lane of a call. */
export function laneFor(name: string): Lane {
  const [tool = ''] = name.split('@', 1);
  return laneOf(tool, `c${createHash('sha256').update(idIn(name)).digest('hex').slice(0, 16)}`);
}
