import { expect, test } from 'vitest';
import { folderTimes } from './folder-times.ts';

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
