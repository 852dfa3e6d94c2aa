/** What `belay init` makes of the five agents, beside their reviewed configs: the counts add up, and a second draft is the same. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { compared, reviewedByScript } from '../../audit/candidates/compare.ts';
import { draftOf } from '../../audit/candidates/draft.ts';

const reviewedOf = (agent: string) => readFileSync(new URL(`../../boundaries/${agent}.yaml`, import.meta.url), 'utf8');

test.each(['schedule-form', 'navigation', 'diagnosis', 'etl-pipeline', 'travel-planning'])(
  'the drafts of %s are one, and a script that changes what differs comes to the reviewed config',
  (agent) => {
    const [first, second] = [draftOf(agent), draftOf(agent)];
    const reviewed = reviewedOf(agent);
    const { exact, differs, missing, drafted, stable, decide, ...counts } = compared(first, second, reviewed);
    expect(exact + differs.length + missing.length).toBe(counts.reviewed);
    expect([stable, exact > 0, decide > 0]).toEqual([drafted, true, true]);
    expect(reviewedByScript(first, reviewed)).toMatchObject({ isReviewed: true });
  },
);

test('a field that another draft has otherwise is not stable, and one that is changed counts', () => {
  const page = (effect: string) => `belay: 1
agent: m
tools: { work: { reads: [], writes: [], effect: ${effect} } } # TODO
skeletons: { One: { entity: '"it"', states: [a], entry: [a], outputs: [], commit: [{ id: x, at: a -> b, when: 'true' }], rollback: { anchors: [] } } }
`;
  const reviewed = page('none')
    .replace('One:', 'Two:')
    .replace('id: x', 'id: y')
    .replace('anchors: []', 'anchors: [y]');
  const counted = compared(page('irreversible'), page('none'), reviewed);
  expect(counted).toMatchObject({
    differs: ['tools work effect', 'skeletons Two rollback anchors'],
    missing: [],
    beyond: [],
    decide: 1,
  });
  expect([counted.drafted - counted.stable, counted.reviewed - counted.exact]).toEqual([1, 2]);
  expect(reviewedByScript(page('irreversible'), reviewed)).toMatchObject({ changes: 2, isReviewed: true });
});
