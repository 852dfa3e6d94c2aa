/** The queue of a file, with the errors of SQLite turned into JournalErrors. */
import type { WorkQueue } from '../work.ts';
import type { Work } from './work.ts';

/** Makes each call of a queue through `watched`, which turns errors of SQLite into JournalErrors. */
export function watchedQueue(work: Work, watched: <T>(call: () => T, doing: 'read' | 'write') => T): WorkQueue {
  return {
    start: (request) => watched(() => work.start(request), 'write'),
    handOver: (request, digests) => watched(() => work.handOver(request, digests), 'write'),
    order: (run) => watched(() => work.order(run), 'read'),
    ready: (asked) => watched(() => work.ready(asked), 'read'),
    left: (asked) => watched(() => work.left(asked), 'read'),
    others: (asked) => watched(() => work.others(asked), 'read'),
    ended: (...asked) => watched(() => work.ended(...asked), 'read'),
    bind: (run, digests) => watched(() => work.bind(run, digests), 'write'),
    delay: (run, milliseconds, note) => watched(() => work.delay(run, milliseconds, note), 'write'),
  };
}
