/** The schema that an address of a database, or an option beside it, names. */
import { expect, test } from 'vitest';
import { postgresPlace } from '../../../src/journal/postgres/address.ts';
import { postgresStore } from '../../../src/journal/postgres/store.ts';

test.each([
  [undefined, undefined, undefined, 'belay'],
  ['postgres://h/d', undefined, 'postgres://h/d', 'belay'],
  ['postgres://h/d', 'orders', 'postgres://h/d', 'orders'],
  ['postgres://h/d?schema=orders', undefined, 'postgres://h/d', 'orders'],
  ['postgres://h/d?schema=orders', 'orders', 'postgres://h/d', 'orders'],
  ['postgres://h/d?schema=a&schema=a', undefined, 'postgres://h/d', 'a'],
  [
    'postgres://h/d?sslmode=require&schema=a%20%26b&keepalives=1',
    undefined,
    'postgres://h/d?sslmode=require&keepalives=1',
    'a &b',
  ],
  ['postgres://u:p&schema=x@h/d?sslmode=require', undefined, 'postgres://u:p&schema=x@h/d?sslmode=require', 'belay'],
  ['postgres://h/d?search_schema=x', undefined, 'postgres://h/d?search_schema=x', 'belay'],
])('the address %s with the option %s means %s and the schema %s', (address, option, bare, schema) => {
  expect(postgresPlace(address, option)).toEqual({ address: bare, schema });
});

test.each([
  ['postgres://h/d?schema=orders', 'belay'],
  ['postgres://h/d?schema=orders', 'Orders'],
  ['postgres://h/d?schema=a&schema=b', undefined],
  ['postgres://h/d?schema=', undefined],
  ['postgres://h/d?schema', undefined],
  ['postgres://h/d?schema=%zz', undefined],
  [`postgres://h/d?schema=${'x'.repeat(64)}`, undefined],
  ['postgres://h/d?schema=a%00', undefined],
  ['postgres://h/d', ''],
])('the address %s with the option %s is refused when the store is made', (address, schema) => {
  const refused = expect.objectContaining({ code: 'journal_cannot_read' });
  expect(() => postgresStore({ address, ...(schema !== undefined && { schema }) })).toThrow(refused);
});
