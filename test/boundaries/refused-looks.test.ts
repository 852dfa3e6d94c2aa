/** What a config may not say of looks at the world: each error with its place, and what no enumeration has played together. */
import { expect, test } from 'vitest';
import { loadConfig } from '../../src/boundaries/load.ts';

const said = (tools: string, more = '') => {
  const text = `belay: 1\nagent: a\n${more}tools:\n${tools}skeletons: {}\n`;
  const { config, findings } = loadConfig(text, { file: 'a.yaml' });
  return [config === null, findings.map(({ line, code, mend }) => [line, code, mend])];
};
const FARES = '  fares: { effect: none, writes: [fares], revalidate: 60s }\n';

test.each([
  ['an act', '  pay: { effect: idempotent, revalidate: 60s }\n', 'bad_revalidate', 'Take it out.'],
  ['a decision', '  ask: { effect: none, decides: true, revalidate: 0s }\n', 'bad_revalidate', 'Take one of both out.'],
  [
    'no time',
    '  fare: { effect: none, revalidate: soon }\n',
    'bad_timeout',
    'Write milliseconds, or 0s, 500ms, 5s, 2m, 1h, 2d.',
  ],
  [
    'no tool to see by',
    "  pay: { effect: irreversible, reconcile: { see: fare, applied: 'true' } }\n",
    'bad_see',
    'Did you mean "fares"?',
  ],
  [
    'a look that is not kept',
    "  pay: { effect: irreversible, reconcile: { see: fare, applied: 'true' } }\n  fare: { effect: none }\n",
    'bad_see',
    'Add revalidate: 0s to fare, and have the call read what it answers.',
  ],
  ['a key that nothing has', '  look: { effect: none, key_valid: 24h }\n', 'bad_key_valid', 'Take it out.'],
  [
    'a key of a staged call',
    '  mail: { effect: irreversible, buffer: true, key_valid: 24h }\n',
    'bad_key_valid',
    'Take one of both out.',
  ],
])('%s', (_, tool, code, mend) => {
  expect(said(`${FARES}${tool}`)).toEqual([true, [[5, code, mend]]]);
});

test('a word of another type in `same`, and one that is not known there', () => {
  const [isRefused, findings] = said("  fares: { effect: none, revalidate: { for: 0s, same: 'memory.x == 1' } }\n");
  expect([isRefused, findings]).toEqual([true, [[4, expect.any(String), expect.any(String)]]]);
});

test('looks beside alternatives, and either beside an early release of claims', () => {
  const trip = 'alternatives: { Trip: { at: planning, branch: tries, choose: { rule: first } } }\n';
  const early = 'claims: { release: final }\n';
  expect(said(FARES)).toEqual([false, []]);
  expect(said(FARES, trip)).toEqual([true, [[5, 'bad_revalidate', 'Take one of both out.']]]);
  expect(said(FARES, early)).toEqual([true, [[5, 'bad_revalidate', 'Take one of both out.']]]);
  expect(said('  look: { effect: none }\n', `${trip}${early}`)).toEqual([
    true,
    [[3, 'bad_alternatives', 'Take claims out.']],
  ]);
});
