/**
 * A region of a machine: an actor, by its number, and the path of the region's state in it, `''` for the whole machine.
 * Printed `0:A.b`.
 */
export type Region = string;

/** A region from an actor's number and the path of a state. */
export function regionName(actor: number, path: string): Region {
  return `${actor}:${path}`;
}

/** The actor and the path of a region. */
export function split(region: Region): [actor: number, path: string] {
  const colon = region.indexOf(':');
  return [Number(region.slice(0, colon)), region.slice(colon + 1)];
}
