/** What is no question about a history is refused by the argument that is wrong, and never by an error of ours. */
import { expect, test } from 'vitest';
import { ArgumentError } from '../../src/model/argument.ts';
import { parseKey } from '../../src/model/key.ts';
import { decide } from '../../src/recovery/decide.ts';
import { story } from './stories.ts';
import { historyOf } from './written.ts';

const history = historyOf(story('enter A', 'write A k'));
const own = { skeleton: 'S', entity: 'A', ordinal: 0 };
const whole = { in: own, key: null };
const rules = { policy: 'line', joint: 'none' } as const;
const questions: readonly (readonly [words: string, ...given: unknown[]])[] = [
  ['history', {}, whole],
  ['failure.in', history, { key: null }],
  ['failure.why', history, { in: null, key: null }],
  ['failure.why', history, { in: null, key: null, why: 'anything' }],
  ['failure.key', history, { in: own, key: {} }],
  ['failure.key', history, { in: own, key: 'k' }],
  ['rules.policy', history, whole, { policy: 'toString', joint: 'none' }],
  ['rules.joint', history, whole, { policy: 'line' }],
  ['rules.joint', history, whole, { policy: 'line', joint: 'some' }],
];
for (const [words, ...given] of questions)
  test(`${words} of ${JSON.stringify(given.slice(1))}`, () => {
    const asked = () => decide(...(given as unknown as Parameters<typeof decide>));
    expect(asked).toThrow(ArgumentError);
    expect(asked).toThrow(words);
  });

test('names that objects have of themselves are names of nothing', () => {
  for (const name of ['__proto__', 'constructor', 'toString', '']) {
    const decision = decide(history, { in: { skeleton: name, entity: name, ordinal: 0 }, key: parseKey('k') }, rules);
    expect(decision.refusals).toMatchObject([{ code: 'ambiguous_instance', why: 'never_entered' }]);
  }
  const decision = decide(history, { in: own, key: parseKey('__proto__') }, rules);
  expect(decision.refusals).toMatchObject([{ code: 'ambiguous_instance', why: 'never_wrote' }]);
});
