/** LC1: outside of `sidecar/lifecycle/` nothing keeps a state of the run; what looks like it is listed here, each with what it is. */
import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { QUESTIONS } from '../../src/sidecar/lifecycle/table.ts';

const ROOT = new URL('../../src/sidecar/', import.meta.url).pathname;
const FILES = readdirSync(ROOT, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));
const OUTSIDE = FILES.filter((name) => !name.startsWith('lifecycle'));
const textOf = (name: string) => readFileSync(`${ROOT}${name}`, 'utf8');

/** Fields that are yes or no, and controllers: each says of something smaller than the run that it is under way. */
const FLAGS: Readonly<Record<string, string>> = {
  'calls/calls.ts AbortController': 'one wait for one call',
  'calls/claiming.ts AbortController': 'the wait for keys of other runs, which the store makes',
  'calls/under-way.ts AbortController': 'one call',
  'failures/run-ending.ts #isTold': 'the promise of `finished()`',
  'reuse.ts #isBetween': 'a turn of others between two claims',
  'reuse.ts #isScheduled': 'a microtask',
  'run/cancelling.ts #isEnding': 'a loop in itself',
  'run/deliveries.ts #isHandingOn': 'a loop in itself',
  'run/ending.ts #isOwed': 'the same',
  'run/ending.ts #isTrying': 'a loop in itself',
  'run/messages.ts #isSending': 'a loop in itself',
};

test('no field outside says how the run stands', () => {
  const found = OUTSIDE.flatMap((name) => {
    const fields = [...textOf(name).matchAll(/^ {2}(?:readonly )?(#is[A-Z]\w*) ?[=:]/gm)].map(([, field]) => field);
    const controllers = textOf(name).includes('new AbortController') ? ['AbortController'] : [];
    return [...fields, ...controllers].map((one) => `${name} ${one}`);
  });
  expect([...new Set(found)].toSorted()).toEqual(Object.keys(FLAGS).toSorted());
});

test('each question of the table is asked in the product', () => {
  const asked = OUTSIDE.map(textOf).join('\n');
  const asks = (question: string) =>
    new RegExp(`\\b(?:may|until|past|answer|whenever|mayAnswerItself)\\('${question}'`).test(asked);
  expect(Object.keys(QUESTIONS).filter((question) => !asks(question))).toEqual([]);
});
