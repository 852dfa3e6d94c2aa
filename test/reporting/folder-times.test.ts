import { expect, test } from 'vitest';
import { folderTimes, skippedText } from './folder-times.ts';

test('adds the files of a folder up, and begins with the folder that took longest', () => {
  const files = [
    { file: 'model/key.test.ts', time: 250 },
    { file: 'cli/run.test.ts', time: 9_000 },
    { file: 'cli/deep/show.test.ts', time: 1_500 },
    { file: 'words.test.ts', time: 60 },
  ];
  expect(folderTimes(files)).toBe(
    [
      'Time per folder, 10.8 s in all workers:',
      '  10.5 s  cli/',
      '   0.3 s  model/',
      '   0.1 s  (beside the folders)',
      '',
    ].join('\n'),
  );
});

test('names the files that have skipped tests, and counts them', () => {
  const files = [
    { file: 'cli/store.test.ts', skipped: 4 },
    { file: 'cli/run.test.ts', skipped: 0 },
    { file: 'journal/postgres/writers.test.ts', skipped: 9 },
  ];
  expect(skippedText(files)).toBe(
    'SKIPPED, whole or in part: 2 files. Each says what it needs: cli/store.test.ts, journal/postgres/writers.test.ts\n',
  );
  expect(skippedText(files.slice(1, 2))).toBe('');
});
