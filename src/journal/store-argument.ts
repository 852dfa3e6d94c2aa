/** A store, as exported functions take it. */
import { kind } from '../model/argument.ts';

/** A program may hand over a store of its own with the part that is needed. */
const PARTS = ['open', 'read', 'post', 'runs'];

export const STORE = kind(
  'a store, as memoryStore(), sqliteStore() or postgresStore() makes it',
  (value) =>
    typeof value === 'object' && value !== null && PARTS.some((name) => typeof Reflect.get(value, name) === 'function'),
);
