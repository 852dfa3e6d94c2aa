/** The verb `claims`: lists the claims of runs, since when they hold, and the runs that wait for them. */
import type { ClaimsListed, FreedClaims, HeldClaim, WaitingClaim } from '../../journal/claims.ts';
import { reading, type Told } from '../reading/reading.ts';
import { table } from '../terminal/table.ts';
import type { Medium } from '../terminal/terminal.ts';
import { timeText } from '../terminal/wording.ts';

/** Lists the claims of a store. Changes nothing in it. */
export async function listClaims(place: string, json: boolean, medium: Medium): Promise<Told> {
  return reading(place, async (store) => {
    const listed = await store.claims.list();
    return json ? jsonLines(listed) : text(listed, medium);
  });
}

function jsonLines({ held, waiting, freed }: ClaimsListed): string[] {
  const at = (time: number) => new Date(time).toISOString();
  const lines = [
    ...held.map((each) => ({ is: 'held', ...each, since: at(each.since) })),
    ...waiting.map((each) => ({ is: 'waits', ...each, since: at(each.since) })),
    ...freed.map((each) => ({ is: 'freed', ...each, time: at(each.time) })),
  ];
  return lines.map((line) => `${JSON.stringify(line)}\n`);
}

function text({ held, waiting, freed }: ClaimsListed, medium: Medium): string[] {
  if (held.length + waiting.length + freed.length === 0) return ['no run has claims\n'];
  const columns = [{ name: 'RUN' }, { name: 'KEY' }, { name: 'SINCE' }, { name: 'STANDS' }];
  const rows = [...held.map(heldRow), ...waiting.map(waitingRow), ...freed.map(freedRow)];
  return [table(columns, rows, medium)];
}

function heldRow({ run, key, shared, since, from, released, passed }: HeldClaim): string[] {
  const kin = from === undefined ? '' : `, with its kin of ${from}`;
  const stands = `${shared ? 'shared' : 'its own'}${kin}`;
  if (released !== true) return [run, key, timeText(since), stands];
  return [run, key, timeText(since), passed === undefined ? 'released' : `released, passed to ${passed}`];
}

function waitingRow({ run, wanted, since, waitsFor }: WaitingClaim): string[] {
  const stands = waitsFor.length === 0 ? 'is next' : `waits for ${waitsFor.join(', ')}`;
  return [run, wanted.map(({ key }) => key).join(', '), timeText(since), stands];
}

function freedRow({ run, by, why, keys, time }: FreedClaims): string[] {
  const stands = `freed${by === null ? '' : ` by ${by}`}${why === null ? '' : `: ${why}`}`;
  return [run, keys.join(', '), timeText(time), stands];
}
