/** A config file as read: plain values, each with its place, so that a finding can name the place. */
import type { Place } from './finding.ts';

/** A value in its place. */
export type Item = TableItem | ListItem | ScalarItem;

/** A map. */
interface TableItem {
  readonly kind: 'map';
  readonly at: Place;
  readonly entries: ReadonlyMap<string, Entry>;
}

/** A value under a name; `at` is where the name stands. */
export interface Entry {
  readonly at: Place;
  readonly item: Item;
}

/** A list. */
interface ListItem {
  readonly kind: 'list';
  readonly at: Place;
  readonly items: readonly Item[];
}

/** A text, a number, a boolean or null. */
export interface ScalarItem {
  readonly kind: 'scalar';
  readonly at: Place;
  readonly value: string | number | boolean | null;
  /**
   * The offset in the source at which the text begins; null unless the source has the text letter for letter on one
   * line.
   */
  readonly verbatim: number | null;
}

/** A whole file. `root` is null where nothing could be read. */
export interface ConfigDocument {
  readonly file: string;
  readonly root: Item | null;
}

/** The value under a name; null where there is none or where the item is no map. */
export function field(item: Item | null, name: string): Item | null {
  return item?.kind === 'map' ? (item.entries.get(name)?.item ?? null) : null;
}

/** The names and values of a map; none where it is no map. */
export function entriesOf(item: Item | null): readonly (readonly [string, Entry])[] {
  return item?.kind === 'map' ? [...item.entries] : [];
}

/** The values of a list; none where it is no list. */
export function itemsOf(item: Item | null): readonly Item[] {
  return item?.kind === 'list' ? item.items : [];
}

/** The text of an item; null where it is none. */
export function textOf(item: Item | null): string | null {
  return item?.kind === 'scalar' && typeof item.value === 'string' ? item.value : null;
}

/** The number of an item; null where it is none. */
export function numberOf(item: Item | null): number | null {
  return item?.kind === 'scalar' && typeof item.value === 'number' ? item.value : null;
}

/** The texts of a list, each with its item; what is no text is left out. */
export function textsOf(item: Item | null): readonly (readonly [string, Item])[] {
  return itemsOf(item).flatMap((member) => {
    const text = textOf(member);
    return text === null ? [] : [[text, member] as const];
  });
}

/** The place of the character at an offset of an item's text, as nearly as that is known. */
export function placeWithin(item: Item, offset: number): Place {
  if (item.kind !== 'scalar' || item.verbatim === null) return item.at;
  return { line: item.at.line, column: item.at.column + item.verbatim + offset };
}

/** The item at a path of names and indexes, or the nearest one above it. */
export function nearest(root: Item, path: readonly string[]): { readonly item: Item; readonly at: Place } {
  let [item, at] = [root, root.at];
  for (const name of path) {
    const entry: Entry | undefined = item.kind === 'map' ? item.entries.get(name) : undefined;
    const next: Item | undefined = item.kind === 'list' ? item.items[Number(name)] : entry?.item;
    if (next === undefined) break;
    at = next.kind === 'map' && entry !== undefined ? entry.at : next.at;
    item = next;
  }
  return { item, at };
}

/** The plain value of an item. Maps have no prototype. */
export function plain(item: Item): unknown {
  switch (item.kind) {
    case 'scalar':
      return item.value;
    case 'list':
      return item.items.map(plain);
    case 'map': {
      const table: Record<string, unknown> = Object.create(null);
      for (const [name, entry] of item.entries) table[name] = plain(entry.item);
      return table;
    }
  }
}
