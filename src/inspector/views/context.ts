/** The context of a machine after one row of its journal, and the changes that this row made to it. */
import { type Change, diff } from '../../history/context.ts';
import { entriesOf } from '../../journal/entries.ts';
import type { Entry } from '../../model/entry.ts';
import { RunState } from '../../projection/run-state.ts';
import { stateText } from '../../reports/timeline.ts';
import type { WireContext } from '../course-data.ts';
import { linesOf, shortOf } from '../http/shown.ts';
import { InspectorError } from '../inspector-error.ts';
import type { Read } from '../reading.ts';
import { actorName } from './words.ts';

/** Changes that are listed at most. */
const MOST = 200;

/** The context at a row. @throws InspectorError where the run has no such row. */
export function contextView({ rows, timeline }: Read, seq: number): WireContext {
  const runState = new RunState();
  for (const { entry, row, fold } of entriesOf(rows)) {
    if (row.seq > seq) break;
    if (row.seq < seq) {
      fold(() => runState.apply(entry, row.time));
      continue;
    }
    const number = actorOf(entry);
    // What becomes known as redacted later is not shown of earlier rows either.
    const hide = (value: unknown) => timeline.runState.redaction.value(value);
    const before = hide(runState.actors[number]?.context);
    fold(() => runState.apply(entry, row.time));
    const actor = runState.actors[number];
    const after = hide(actor?.context);
    return {
      seq,
      actor: actorName(actor),
      event: linesOf(hide(shownEvent(entry))),
      state: stateText(actor?.value),
      context: linesOf(after),
      changes: diff(before, after, () => false)
        .slice(0, MOST)
        .map((change) => changeOf(change, before)),
    };
  }
  throw new InspectorError('not_found', `The run has no entry in row ${seq}.`);
}

function actorOf(entry: Entry): number {
  return 'actor' in entry && typeof entry.actor === 'number' && entry.do === 'step' ? entry.actor : 0;
}

/** The event of a step; of any other entry its kind, and no more: what it says is in the other views. */
function shownEvent(entry: Entry): unknown {
  return entry.do === 'step' ? entry.event : { entry: entry.do };
}

function changeOf(change: Change, before: unknown): WireContext['changes'][number] {
  const path = change.path.length === 0 ? '(all of it)' : change.path.join('/');
  const was = change.path.reduce<unknown>(member, before);
  switch (change.op) {
    case 'set':
      return {
        op: was === undefined ? 'new' : 'changed',
        path,
        before: was === undefined ? '' : shortOf(was),
        after: shortOf(change.value),
      };
    case 'delete':
      return { op: 'gone', path, before: shortOf(was), after: '' };
    case 'append':
      return { op: 'appended', path, before: '', after: shortOf(change.values) };
  }
}

function member(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
  return (value as Record<string, unknown>)[name];
}
