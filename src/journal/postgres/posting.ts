/** Leaves messages in a database. */
import type { Database } from './database.ts';
import { failingOf } from './errors.ts';
import { whole } from './tables.ts';

const POST = 'SELECT belay.post($1, $2, $3, $4, $5, $6) AS number';

/** Leaves a message; where the answer stays out, once more, under the same nonce. */
export async function posted(database: Database, values: readonly unknown[]): Promise<number> {
  try {
    return answer(await database.once(POST, [...values, false]));
  } catch (error) {
    if (failingOf(error) === 'refused') throw database.named('write', error);
    return answer(await database.ask('write', POST, [...values, true]));
  }
}

function answer(rows: readonly Readonly<Record<string, unknown>>[]): number {
  const number = Number(rows[0]?.number);
  return whole(number) ?? -1;
}
