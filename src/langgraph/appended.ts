/** The channels of a graph that are only added to, as their reducers show with lists made up for it. */
import type { Graph } from './copy.ts';
import { stateChannels } from './refusals/support.ts';

/** Longer than a reducer keeps that lets go of what is old. */
const LONG = 1_000;
/** Lists, and what is added to each: also the same again, which a reducer of a set leaves out. */
const PROBES: readonly (readonly [readonly string[], readonly string[]])[] = [
  [['a'], ['b']],
  [['a'], ['a']],
  [
    ['b', 'a'],
    ['c', 'b'],
  ],
  [['a'], []],
  [Array.from({ length: LONG }, () => 'a'), ['b']],
];

/** The names of the channels of lists, or of messages, whose reducer adds what is written at the end, whatever is there already. */
export function appendedChannels(graph: Graph): string[] {
  return stateChannels(graph).filter((name) => {
    const { operator } = graph.channels[name] as { readonly operator?: unknown };
    return typeof operator === 'function' && PROBES.every(([list, more]) => isAdded(operator, list, more));
  });
}

function isAdded(operator: unknown, list: readonly string[], more: readonly string[]): boolean {
  try {
    const all: unknown = (operator as (list: string[], more: string[]) => unknown)([...list], [...more]);
    const texts = Array.isArray(all) ? all.map(textOf) : [];
    return texts.join() === [...list, ...more].join();
  } catch {
    // A reducer of other things than texts is none of lists.
    return false;
  }
}

/** The text of an item: a reducer of messages makes a message of each. */
function textOf(item: unknown): unknown {
  return typeof item === 'object' && item !== null ? (item as { readonly content?: unknown }).content : item;
}
