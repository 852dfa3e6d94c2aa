/** Delays come late, never, with a process that dies, and at the same time as a reply; events come to machines within a machine. */
import { describe, expect, test } from 'vitest';
import { recordingWorld, rehearse } from '../../src/testing/index.ts';
import { permit, config as permitConfig } from './agents/desk.ts';
import { config as parcelConfig, parcelOn } from './agents/parcel.ts';

async function rehearsed(looks: boolean, only: string) {
  const world = recordingWorld({ forgetful: ['book', 'handOver'] });
  if (parcelConfig === null) throw new Error('the config has errors');
  const report = await rehearse({ machine: parcelOn(world, looks), config: parcelConfig, world, only });
  return report.cells;
}

const verdictsOf = (cells: Awaited<ReturnType<typeof rehearsed>>) =>
  Object.fromEntries(cells.map(({ id, verdict }) => [id.replace('path 1/timer/', ''), verdict.is]));

describe('an agent with delays', () => {
  test('is rehearsed with each delay that rang, and with each reply that a delay may meet', async () => {
    const cells = await rehearsed(true, 'timer/');
    expect(verdictsOf(cells)).toEqual({
      'booking after patience#1/timer-first/book#1': 'same',
      'booking after patience#1/reply-first/book#1': 'same',
      'resting after rest#1/late': 'same',
      'resting after rest#1/lost': 'same',
      'resting after rest#1/never': 'parked',
    });
    const never = cells.find(({ id }) => id.endsWith('/never'))?.verdict;
    expect(never).toMatchObject({ reasons: ['waiting'], unblock: [expect.stringMatching(/in another process/)] });
  });

  test('hears of the delay before the reply, or of the reply before the delay, whichever is rehearsed', async () => {
    const told = (cells: Awaited<ReturnType<typeof rehearsed>>) =>
      cells[0]?.timeline.filter((line) => line.startsWith('state') || line.startsWith('the delay booking'));
    expect(told(await rehearsed(true, 'timer-first'))?.slice(1, 4)).toEqual([
      'the delay booking after patience is over',
      'state checking',
      'state resting',
    ]);
    expect(told(await rehearsed(true, 'reply-first'))?.slice(0, 3)).toEqual([
      'state booking',
      'state resting',
      'state handing',
    ]);
  });

  test('does harm where it gives up what has happened meanwhile', async () => {
    const cells = await rehearsed(false, 'timer/booking');
    expect(cells.map(({ verdict }) => verdict)).toEqual([
      { is: 'harm', harms: [{ is: 'left over', text: expect.stringContaining('book still has') }] },
      { is: 'same' },
    ]);
  });

  test('is taken up by a process that finds its delay overdue', async () => {
    const [cell] = await rehearsed(true, 'rest#1/lost');
    const at = cell?.timeline.indexOf('the process is killed') ?? -1;
    expect(cell?.timeline.slice(at, at + 3)).toEqual([
      'the process is killed',
      'the delay resting after rest is over',
      'state handing',
    ]);
  });
});

describe('an event for a machine within the machine', () => {
  test('comes late, twice and never', async () => {
    const world = recordingWorld();
    const paths = [{ events: [{ send: { type: 'yes' }, to: 'counter', at: 'waiting' }] }];
    const { cells, totals } = await rehearse({ machine: permit, config: permitConfig as never, world, paths });
    expect(totals.harm).toBe(0);
    const events = cells.filter(({ fault }) => fault.kind === 'event').map(({ verdict }) => verdict);
    expect(events).toEqual([{ is: 'same' }, { is: 'same' }, expect.objectContaining({ is: 'parked' })]);
  });

  test('is not sent to a machine that is not there', async () => {
    const paths = [{ events: [{ send: { type: 'yes' }, to: 'nobody' }] }];
    const refused = rehearse({ machine: permit, config: permitConfig as never, world: recordingWorld(), paths });
    await expect(refused).rejects.toMatchObject({ code: 'never_ends' });
  });
});
