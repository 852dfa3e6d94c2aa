/** The seed of every property that names none: the same from change to change, so that a change is judged by what it changes. */

/** The seed of `npm test`. `npm run prove soak-properties` draws others. */
const STAYS = 20;
const MOST = 2 ** 31 - 1;

/**
 * Reads the seed that `BELAY_SEED` gives.
 * @param text its value; where it is not set, the seed is the one that stays.
 * @throws where it is no whole number that a generator takes.
 */
export function seedOf(text: string | undefined): number {
  if (text === undefined) return STAYS;
  if (!/^\d{1,10}$/.test(text) || Number(text) > MOST) {
    throw new Error(`BELAY_SEED is ${JSON.stringify(text)}, not a whole number from 0 to ${MOST}`);
  }
  return Number(text);
}
