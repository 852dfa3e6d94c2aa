/** ST2: a rehearsal revises and retracts the events of its paths at each place, and two of them at once; each run is judged by one that was told so. */
import { describe, expect, test } from 'vitest';
import { loadConfig } from '../../src/index.ts';
import { type RehearsalOptions, recordingWorld, rehearse } from '../../src/testing/index.ts';
import { config, offer, PAGE } from './agents/offer.ts';

const paths = [{ events: [{ type: 'change', wish: 'coffee' }, { type: 'accept' }] }];

function rehearsed(page = config, more: Partial<RehearsalOptions> = {}) {
  const acts = { kills: 'none', acts: 'all', only: '/steer/' } as const;
  if (page === null) throw new Error('the config of the offer is none');
  return rehearse({ machine: offer, config: page, world: recordingWorld(), paths, ...acts, ...more });
}

describe('acts on the events of a path', () => {
  test('are said at each later call or event, alone and two at once, and end as the run that was told so', async () => {
    const { cells, totals, paths: made } = await rehearsed();
    expect(cells.map(({ id }) => id)).toEqual([
      ...[3, 4, 5].map((moment) => `path 1/steer/change#1/revise/${moment}`),
      ...[3, 4, 5].map((moment) => `path 1/steer/change#1/retract/${moment}`),
      'path 1/steer/accept#2/retract/5',
      ...[3, 4, 5].map((moment) => `path 1/steer/change#1/revise+retract/${moment}`),
      'path 1/steer/change#1 and accept#2/revise+retract/5',
      'path 1/steer/change#1 and accept#2/retract+retract/5',
    ]);
    expect(totals).toEqual({ same: 12, parked: 0, harm: 0, unreached: 0 });
    expect(made[0]?.faults).toBeGreaterThan(12);
    const shown = (id: string) => cells.find((cell) => cell.id.endsWith(id))?.timeline ?? [];
    expect(shown('/change#1/revise/4')).toEqual(
      expect.arrayContaining(['revise event-1: done', 'deliver#1 "coffee (wrong)"']),
    );
    expect(shown('/change#1/retract/4')).toContain('deliver#1 "tea"');
    expect(shown('/accept#2/retract/5').join()).toContain('retract event-2: refused, irreversible_effect_policy');
  });

  test('undo what they take back, and show an undo that does nothing', async () => {
    const text = PAGE.replace('effect: irreversible', 'effect: reversible, undo: takeBack');
    const { config: undone } = loadConfig(text, { file: 'offer.yaml' });
    const [honest, idle] = [await rehearsed(undone), await rehearsed(undone, { undo: { takeBack: () => {} } })];
    expect([honest.totals.harm, honest.totals.same, idle.totals.harm]).toEqual([0, 12, 6]);
    const retracted = idle.cells.find(({ id }) => id === 'path 1/steer/accept#2/retract/5');
    expect(retracted?.verdict).toMatchObject({ is: 'harm', harms: [{ is: 'left over' }] });
  });

  test('are drawn by the seed, all of them said, or none', async () => {
    const drawn = await rehearsed(config, { only: '', acts: 'sampled' });
    const none = await rehearsed(config, { only: '', acts: 'none' });
    const steered = ({ cells }: typeof none) => cells.filter(({ fault }) => fault.kind === 'steer').length;
    expect([steered(drawn), steered(none)]).toEqual([12, 0]);
    expect(drawn.totals.harm).toBe(0);
  });
});
