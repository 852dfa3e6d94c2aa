/** Leaves messages in a database. */
import type { Database } from './database.ts';
import { failingOf } from './errors.ts';
import { whole } from './tables.ts';

/**
 * Leaves a message; where the answer stays out, once more, under the same nonce.
 * @param through the function that leaves it: `post` takes events only, and `operate` needs the right of an operator.
 */
export async function posted(
  database: Database,
  through: 'post' | 'operate',
  values: readonly unknown[],
): Promise<number> {
  const text = `SELECT belay.${through}($1, $2, $3, $4, $5, $6) AS number`;
  try {
    return answer(await database.once(text, [...values, false]));
  } catch (error) {
    if (failingOf(error) === 'refused') throw database.named('write', error);
    return answer(await database.ask('write', text, [...values, true]));
  }
}

function answer(rows: readonly Readonly<Record<string, unknown>>[]): number {
  const number = Number(rows[0]?.number);
  return whole(number) ?? -1;
}
