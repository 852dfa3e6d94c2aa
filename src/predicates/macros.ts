/** Questions about every member of a collection: the members of a list, the keys of a map. Each member is paid for. */
import { Failed, isList, isTable, ownMember } from './own.ts';
import { keysOf, type Meter, nameOf, Optional } from './values.ts';

/** Asks one question of each member and combines the answers as the macro of that name does. */
export function overMembers(name: string, collection: unknown, meter: Meter, ask: (item: unknown) => unknown): unknown {
  const items = itemsOf(collection, meter);
  if (items instanceof Failed) return items;
  switch (name) {
    case 'map':
      return transform(items, ask);
    case 'exists':
      return anyDecides(true, items, meter, ask);
    case 'all':
      return anyDecides(false, items, meter, ask);
    case 'filter':
      return choose(items, ask);
    case 'exists_one': {
      const chosen = choose(items, ask);
      return chosen instanceof Failed ? chosen : chosen.length === 1;
    }
    default:
      return new Failed(`there is no macro ${name}`);
  }
}

function itemsOf(collection: unknown, meter: Meter): readonly unknown[] | Failed {
  if (isList(collection)) return meter.pay(collection.length) ?? collection;
  if (collection instanceof Optional || !isTable(collection)) return new Failed(`${nameOf(collection)} has no members`);
  return keysOf(collection, meter);
}

/** The item at an index; a hole of a list is null. */
function itemAt(items: readonly unknown[], index: number): unknown {
  return ownMember(items, index) ?? null;
}

function transform(items: readonly unknown[], ask: (item: unknown) => unknown): unknown {
  const values: unknown[] = [];
  for (let index = 0; index < items.length; index += 1) {
    const item = itemAt(items, index);
    const value = item instanceof Failed ? item : ask(item);
    if (value instanceof Failed) return value;
    values.push(value);
  }
  return values;
}

/** One member that answers `decides` settles it, even if others fail; otherwise an error of one is an error of all. */
function anyDecides(
  decides: boolean,
  items: readonly unknown[],
  meter: Meter,
  ask: (item: unknown) => unknown,
): unknown {
  let failed: Failed | null = null;
  for (let index = 0; index < items.length; index += 1) {
    const answer = asked(itemAt(items, index), ask);
    if (answer === decides) return decides;
    if (answer instanceof Failed) failed ??= answer;
    if (meter.spent !== null) return meter.spent;
  }
  return failed ?? !decides;
}

function choose(items: readonly unknown[], ask: (item: unknown) => unknown): unknown[] | Failed {
  const chosen: unknown[] = [];
  for (let index = 0; index < items.length; index += 1) {
    const item = itemAt(items, index);
    const answer = asked(item, ask);
    if (answer instanceof Failed) return answer;
    if (answer) chosen.push(item);
  }
  return chosen;
}

function asked(item: unknown, ask: (item: unknown) => unknown): boolean | Failed {
  const answer = item instanceof Failed ? item : ask(item);
  if (typeof answer === 'boolean' || answer instanceof Failed) return answer;
  return new Failed(`a member is asked something that is ${nameOf(answer)}`);
}
