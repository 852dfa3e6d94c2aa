/** LC9: whatever random machines, people, pauses, deaths and complaints do to a run, its life changes only as its transitions say. */
import { expect, test } from 'vitest';
import { TABLE } from '../../src/sidecar/lifecycle/table.ts';
import { runCampaign } from '../simulation/campaign.ts';
import { keyOf, type Reached, reached } from './table-checks.ts';
import { watchingLives } from './watched-life.ts';

/** The most transitions that one change may be: what one moment brings is noted in one go, or in two. */
const MOST = 2;

/** True where one state comes of another by so many transitions at most. */
function follows(graph: Map<string, Reached>, from: string, to: string, left = MOST): boolean {
  if (from === to) return true;
  if (left === 0) return false;
  return graph.get(from)?.out.some((one) => follows(graph, one.to, to, left - 1)) ?? false;
}

test('150 random machines come to no state and make no change that the table does not have', async () => {
  const changes = await watchingLives(async () => {
    const also = { late: true, sharing: true, pauses: true, byHand: true, repeats: true };
    await runCampaign({ runs: 150, seed: 601, from: 0, only: null, ...also });
  });
  const graph = reached(TABLE);
  const seen = [...changes.values()];
  const unknown = seen.filter(({ to }) => !graph.has(keyOf(to))).map(({ to }) => keyOf(to));
  expect([...new Set(unknown)]).toEqual([]);
  const others = [...changes].filter(([, { from, to }]) => !follows(graph, keyOf(from), keyOf(to)));
  expect(others.map(([name, { count }]) => `${count} ${name}`)).toEqual([]);
  expect(new Set(seen.map(({ to }) => keyOf(to))).size).toBeGreaterThan(30);
});
