/** Waiting in the sources: by the clock of a run, or in a place that is named here with its reason. */
import { expect, test } from 'vitest';
import { read, sources } from './pages.ts';

/** The files that set a timer of the platform. None is of `node:timers/promises`, which a driven clock does not reach. */
const TIMERS: Readonly<Record<string, string>> = {
  'sidecar/clock.ts': 'the clock of a run itself',
  'effects/alarm.ts':
    'looks at the clock of the run again and again, since a timer of the platform is short and sleeps with it',
  'effects/timed.ts': 'the limit of a call, in the time of the process that makes it',
  'effects/claims/waiting.ts': 'how often a store is asked, in the time of the process',
  'sidecar/calls/under-way.ts': 'how long a call that was aborted may take to end, in the time of the process',
  'journal/postgres/commits.ts': 'when rows are sent, and when again',
  'journal/postgres/database.ts': 'when a server that starts again is asked again',
  'journal/sqlite/log/commits.ts': 'when rows are written together',
  'workers/worker.ts': 'how often a worker looks for runs',
  'workers/going-on.ts': 'how long an idle run stays with its worker',
  'adapters/files/position.ts': 'the next tick of the file system',
  'cli/reading/machines.ts': 'how long a module of the user may take to load',
  'cli/approvals/answering.ts': 'how often it is looked whether an answer was taken',
  'rehearsal/trial/people.ts': 'persons of a rehearsal, in its driven time',
  'rehearsal/trial/transport.ts': 'lateness of a rehearsal, in its driven time',
  'testing/driven-clock.ts': 'the clock that a test drives',
};

/** The code of a file, without its comments. */
const codeOf = (file: string) => read(file).replace(/\/\*[\s\S]*?\*\/|\/\/.*/g, '');

test('only the clock of a run, and places that say why, set timers of the platform', () => {
  const files = sources('src').filter((file) => /\bsetTimeout\(/.test(codeOf(file)));
  expect(files.map((file) => file.slice('src/'.length))).toEqual(Object.keys(TIMERS).sort());
});

test('no file waits by promises of the platform', () => {
  expect(sources('src').filter((file) => codeOf(file).includes('timers/promises'))).toEqual([]);
});
