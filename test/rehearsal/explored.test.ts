/** Paths that nobody wrote down: the events that a machine takes, in other states and another order, with the answers of a run. */
import { describe, expect, test } from 'vitest';
import { type RehearsalOptions, recordingWorld, rehearse } from '../../src/testing/index.ts';
import { config, offer, type Said } from './agents/offer.ts';

const CHANGED: Said = { type: 'change', wish: 'coffee' };

async function explored(explore: readonly Said[] | undefined, more: Partial<RehearsalOptions> = {}) {
  if (config === null) throw new Error('the config has errors');
  const options = { machine: offer, config, world: recordingWorld(), paths: [{ events: [{ type: 'accept' }] }] };
  return rehearse({ ...options, kills: 'none', ...(explore !== undefined && { explore }), ...more });
}

const edge = (name: string) => expect.stringContaining(name);

describe('an offer of which one path is written down', () => {
  test('leaves edges untaken without exploring, and none but what an answer never says with it', async () => {
    const alone = await explored(undefined);
    expect(alone.paths).toHaveLength(1);
    expect(alone.untaken).toEqual([
      edge('pricing -> calledOff'),
      edge('(callOff)'),
      edge('(change)'),
      edge('(xstate.after.3600000'),
    ]);
    const { paths, untaken, dropped, totals } = await explored([{ type: 'callOff' }, CHANGED]);
    expect(paths.map(({ name }) => name.replace(/^path 1, explored \d+: /, ''))).toEqual(
      expect.arrayContaining(['path 1', 'no event', 'callOff', 'change, accept']),
    );
    expect(untaken).toEqual([edge('pricing -> calledOff')]);
    expect(dropped).toEqual([]);
    expect(totals.harm).toBe(0);
  });

  test('goes the ways with what the events carry', async () => {
    const { cells } = await explored([CHANGED], { only: 'restart/deliver#1' });
    expect(cells.find(({ path }) => path.includes('change'))?.timeline).toContain('deliver#1 "coffee"');
  });
});

test('a way on which the answers are others than those of the first run is listed with the reason, and not rehearsed', async () => {
  const { paths, dropped } = await explored([{ type: 'change', wish: '' }], { sample: 1 });
  expect(paths.map(({ name }) => name)).toContainEqual(expect.stringMatching(/^path 1, explored \d+: change$/));
  expect(dropped.find(({ path }) => path.endsWith(': change, accept'))?.why).toMatch(
    /before it takes the event accept/,
  );
});
