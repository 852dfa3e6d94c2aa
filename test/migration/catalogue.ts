/** The catalogue of changes: one thing of a release each. */
import type { Release } from './little.ts';

export const CHANGES: Readonly<Record<string, Release>> = {
  nothing: {},
  'a state that no run comes to': { beside: 'else' },
  'an edge that no run takes': { edge: true },
  'a guard that goes the same way': { from: 50 },
  'a guard that goes another way': { from: 5 },
  'an assign': { factor: 3 },
  'the input of a call': { asks: 'more' },
  'a tool of another version': { pay: { version: '2' } },
  'a tool that takes the version before': { pay: { version: '2', takes: ['1'] } },
  'a class: idempotent to reversible': { effect: 'reversible' },
  'a class: idempotent to irreversible': { effect: 'irreversible' },
  'a timeout': { timeout: '9s' },
  'a key of the context': { key: 'paper' },
  'an entry action that assigns nothing': { entry: 'log' },
  'an entry action that assigns': { entry: 'assign' },
  'a delay': { delay: 5_000 },
  'the order of two calls': { isSwapped: true },
  'the unit around a call': { unit: 'Money' },
  'the name of a state': { paying: 'charging' },
};
