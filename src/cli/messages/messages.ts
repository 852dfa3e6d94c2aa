/** The verb `messages`: the messages that reached a run from outside, and the fate of each. */
import { messagesOf, type RunMessage } from '../../reports/messages.ts';
import { timelineOf } from '../../reports/timeline.ts';
import type { Told } from '../reading/reading.ts';
import { timeText } from '../terminal/wording.ts';
import { type Listed, listed } from './listing.ts';

/** Lists the messages of a run. */
export function listMessages(asked: Listed): Promise<Told> {
  return listed<RunMessage>(asked, {
    of: async (rows, store) => messagesOf(rows, await store.posts(asked.run), timelineOf(rows).runState),
    none: 'no messages yet',
    columns: COLUMNS,
    cells: cellsOf,
  });
}

const COLUMNS = [
  { name: 'NUMBER', right: true },
  { name: 'LEFT' },
  { name: 'KIND' },
  { name: 'SAYS' },
  { name: 'BY' },
  { name: 'IS' },
];

function cellsOf({ post, id, time, kind, says, by, is, why }: RunMessage): string[] {
  const named = id === undefined ? says : `${says} (${id})`;
  const when = time === null ? 'by its program' : timeText(time);
  return [post === null ? '' : String(post), when, kind, named, by ?? '', outcomeText({ is, why })];
}

/** The outcome of a message, in words. */
export function outcomeText({ is, why }: Pick<RunMessage, 'is' | 'why'>): string {
  switch (is) {
    case 'left':
      return 'not read yet';
    case 'held':
      return 'held: the run cannot take it now';
    case 'taken':
      return 'taken';
    case 'taken_back':
      return 'taken back by a restore: it comes again where it meets the same';
    case 'retracted':
      return 'retracted: it never was';
    case 'refused':
      return `refused: ${why ?? ''}`;
    case 'untaken':
      return 'never taken: the run has ended';
  }
}
