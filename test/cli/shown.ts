/** Runs that are done, parked, restored and advised to rerun, in one folder, with names that a terminal would obey. */
import { afterAll, beforeAll } from 'vitest';
import { Desk } from './agents.ts';

export let desk: Desk;
export const LONG =
  'a very long name of a run, which somebody has made of a customer, a day and a case: 2026-11-21/0000000042';
export const EVIL = 'evil\u001b[2J\u202e';

/** Whether a terminal would take something in a text for more than text. */
export const obeyed = (text: string) => text.includes('\u001b') || text.includes('\u202e');

/** Makes the runs before the tests of a file. */
export function makeShownRuns(): void {
  desk = new Desk();
  beforeAll(async () => {
    await desk.ask('run', 'order', '--run', 'plain');
    await desk.ask('run', 'order', '--run', 'parked', '--fail-at', 'ship');
    await desk.ask('run', 'order', '--run', 'restored', '--fail-at', 'ship', '--signal', 'GOVERNOR_DENIED');
    await desk.ask('run', 'paper', '--run', 'advised', '--fail-at', 'polish', '--when', 'before');
    await desk.ask('run', 'order', '--run', LONG, '--input', JSON.stringify({ item: EVIL }), '--fail-at', 'ship');
    await desk.ask('run', 'order', '--run', EVIL);
  });
  afterAll(() => desk.clear());
}
