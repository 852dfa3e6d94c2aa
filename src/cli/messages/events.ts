/** The verb `events`: the events that a run was sent from outside, each with its present content and its fate. */
import { eventsOf, type RunEvent } from '../../reports/events.ts';
import { timelineOf } from '../../reports/timeline.ts';
import type { Told } from '../reading/reading.ts';
import { type Listed, listed } from './listing.ts';
import { outcomeText } from './messages.ts';

/** Lists the events of a run. */
export function listEvents(asked: Listed): Promise<Told> {
  const of = (rows: Parameters<typeof timelineOf>[0]) => eventsOf(timelineOf(rows).runState);
  return listed(asked, { of, none: 'no events yet', columns: COLUMNS, cells: cellsOf });
}

const COLUMNS = [
  { name: 'EVENT' },
  { name: 'TYPE' },
  { name: 'SAYS' },
  { name: 'VERSION', right: true },
  { name: 'BY' },
  { name: 'IS' },
];

/** The longest text of an event in the table; --json has all of it. */
const LONGEST = 60;

function cellsOf({ name, type, event, version, by, is, why }: RunEvent): string[] {
  return [name, type, saysText(event), String(version), by ?? '', outcomeText({ is, why })];
}

/** The members of an event but its type, as JSON. */
function saysText(event: unknown): string {
  if (typeof event !== 'object' || event === null) return event == null ? '' : JSON.stringify(event);
  const { type: _, ...members } = event as { readonly type?: unknown };
  const text = Object.keys(members).length === 0 ? '' : JSON.stringify(members);
  return text.length > LONGEST ? `${text.slice(0, LONGEST).toWellFormed()}…` : text;
}
