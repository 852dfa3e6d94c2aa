/** Wrong answers: one that a tool could have given, and did not. */
import { isDeepStrictEqual } from 'node:util';

/**
 * An answer that differs from a right one in its first value that can differ, and that the schema of the tool takes.
 * @param refuses says what is wrong with an answer, or null.
 * @returns null where no such answer is found.
 */
export function wrongValue(
  right: unknown,
  refuses: (output: unknown) => string | null,
): { readonly output: unknown } | null {
  for (const output of others(right, 0))
    if (!isDeepStrictEqual(output, right) && refuses(output) === null) return { output };
  return null;
}

/** An answer of a broken counterparty that a schema refuses; undefined where it takes all of them. */
export function refusedValue(refuses: (output: unknown) => string | null): { readonly output: unknown } | null {
  for (const output of [undefined, null, {}, [], '', 0, false]) if (refuses(output) !== null) return { output };
  return null;
}

/** Values near a value, the nearest first. */
function* others(value: unknown, depth: number): Generator<unknown> {
  if (depth > 6) return;
  if (typeof value === 'number') yield* [value + 1, value - 1, value * 2, 0, 1];
  else if (typeof value === 'string') yield* [`${value} (wrong)`, value.slice(1), 'wrong'];
  else if (typeof value === 'boolean') yield !value;
  else if (Array.isArray(value)) yield* otherLists(value, depth);
  else if (typeof value === 'object' && value !== null) yield* otherRecords(value as Record<string, unknown>, depth);
  else yield* ['wrong', 1, true];
}

function* otherLists(list: readonly unknown[], depth: number): Generator<unknown> {
  for (const [index, member] of list.entries())
    for (const other of others(member, depth + 1)) yield list.with(index, other);
  if (list.length > 0) yield list.slice(1);
}

function* otherRecords(record: Record<string, unknown>, depth: number): Generator<unknown> {
  for (const [name, member] of Object.entries(record))
    for (const other of others(member, depth + 1)) yield { ...record, [name]: other };
}
