/** The names that a release has given anew: a reviewed map of the names of then to those of now (semantics.md CO5). */

/** New names by old ones, of one sort. */
export type Names = Readonly<Record<string, string>>;

/** The names of a release that are others than before; a name that is not listed is the same. */
export interface Renames {
  /** Paths of states of the agent's own machine. */
  readonly states: Names;
  /** Keys of its context. */
  readonly keys: Names;
  readonly tools: Names;
  readonly skeletons: Names;
}

/** The sorts of names. */
export const RENAMED = ['states', 'keys', 'tools', 'skeletons'] as const satisfies readonly (keyof Renames)[];

/** The name that a name has now. */
export function nameNow(names: Names, name: string): string {
  return Object.hasOwn(names, name) ? (names[name] as string) : name;
}

/** True where no name is another one. */
export function isSame(renames: Renames): boolean {
  return RENAMED.every((sort) => Object.keys(renames[sort]).length === 0);
}

/** The map that leads back. */
export function inverse(renames: Renames): Renames {
  const back = (names: Names): Names => Object.fromEntries(Object.entries(names).map(([then, now]) => [now, then]));
  const { states, keys, tools, skeletons } = renames;
  return { states: back(states), keys: back(keys), tools: back(tools), skeletons: back(skeletons) };
}

/** The path of a state now: a state lies below the states that its path begins with. */
export function pathNow(states: Names, path: string): string {
  for (let end = path.length; end > 0; end = path.lastIndexOf('.', end - 1)) {
    const above = path.slice(0, end);
    if (Object.hasOwn(states, above)) return `${states[above]}${path.slice(end)}`;
  }
  return path;
}
