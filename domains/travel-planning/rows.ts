/**
 * The rows that trips have left in a world, by table. A locator is no part of them, since it differs from hold to hold.
 * The hold that it names is: the city whose seat a journey goes on from, and the one whose seat an itinerary shows;
 * `nothing` where that is held no more.
 */

const seat = (locator: string) => `iif(${locator} IS NULL, 'home', coalesce(
  (SELECT city FROM hold AS other WHERE other.locator = ${locator} AND status <> 'given up'), 'nothing'))`;

const QUERIES = {
  hold: `SELECT kind, trip, city, what, day, nights, cents, iif(kind = 'flight', ${seat('hold.after')}, NULL) AS after, status
    FROM hold ORDER BY kind, city, what, day, status, after`,
  deposit: `SELECT trip, city, hotel, day, ${seat('deposit.after')} AS after, cents FROM deposit ORDER BY trip, city, day, after`,
  booking: 'SELECT * FROM booking ORDER BY kind, trip, city, what, status',
  fee: 'SELECT * FROM fee ORDER BY trip, why, cents',
  ledger: 'SELECT * FROM ledger ORDER BY account, trip, cents',
  itinerary: `SELECT trip, city, day, ${seat('itinerary.flight')} AS flight, hotel, restaurant
    FROM itinerary ORDER BY trip, day, city`,
};

/** The rows of every table, in an order that does not hang on who came first. */
export function rowsIn(ask: (sql: string) => readonly object[]): Readonly<Record<string, readonly object[]>> {
  return Object.fromEntries(Object.entries(QUERIES).map(([table, sql]) => [table, ask(sql)]));
}
