/** The riddles of comments and pages may only get fewer, and the counter tells the examples of docs/style.md apart. */
import { describe, expect, test } from 'vitest';
import { read, root } from '../pages.ts';
import { emptyPlaces, isRiddle, perThousand, readAll } from './riddles.ts';
import { commentSentences, pageSentences } from './sentences.ts';

/** The riddles in 1,000 sentences that there may be. Lower a figure when you have rewritten sentences; never raise one. */
const MOST = { comments: 1, pages: 1 };

const readings = readAll(root);

describe('the riddles in 1,000 sentences', () => {
  test.each([
    ['comments', readings.filter(({ file }) => file.startsWith('src/'))],
    ['pages', readings.filter(({ file }) => !file.startsWith('src/'))],
  ] as const)('of %s are no more than before', (part, read) => {
    expect(read.reduce((sum, { sentences }) => sum + sentences, 0)).toBeGreaterThan(1_000);
    const found = read.flatMap(({ file, riddles }) => riddles.map(({ line, text }) => `${file}:${line}: ${text}`));
    expect([perThousand(read) <= MOST[part], found]).toEqual([true, expect.anything()]);
  });
});

describe('the examples of docs/style.md', () => {
  const rows = [...read('docs/style.md').matchAll(/^\| `(.*?)` \| (.*) \|$/gm)];

  test('are a dozen or more', () => expect(rows.length).toBeGreaterThanOrEqual(12));

  test.each(rows.map(([, before = '', after = '']) => [before, after]))('%s', (before, after) => {
    expect(before.split('. ').flatMap(emptyPlaces).length).toBeGreaterThanOrEqual(3);
    expect(after.split('. ').filter(isRiddle)).toEqual([]);
    expect(emptyPlaces(after).length).toBeLessThan(emptyPlaces(before).length);
  });
});

describe('the sentences', () => {
  test('of comments are those of its paragraphs and tags, without code and examples', () => {
    const text = [
      '/**',
      ' * Opens `a file`. Reads it,',
      ' * whole.',
      ' * @param name the name of it.',
      ' * @example',
      ' * open(the file that is there. Now)',
      ' * @throws an error of ours.',
      ' */',
      'const url = "https://a.b"; // A comment behind code.',
    ].join('\n');
    expect(commentSentences(text).map((sentence) => sentence.text)).toEqual([
      'Opens CODE.',
      'Reads it, whole.',
      'the name of it.',
      'an error of ours.',
      'A comment behind code.',
    ]);
  });

  test('of pages are those of paragraphs, items and cells, without fences', () => {
    const text =
      '# A title here\n\nOne [link](a.md) more. *Two\nlines.*\n\n```ts\nsome code here\n```\n- an item\n\n| one cell | other cell |';
    expect(pageSentences(text).map((sentence) => sentence.text)).toEqual([
      'A title here',
      'One [link] more.',
      '*Two lines.*',
      'an item',
      'one cell',
      'other cell',
    ]);
  });

  test('have the line of their paragraph', () => {
    expect(pageSentences('one line\n\ntwo lines\nof it\n\nthree here').map(({ line }) => line)).toEqual([1, 3, 6]);
  });
});

test('a noun fills an empty place', () => {
  expect(emptyPlaces('The answer of one call, and of this run.')).toEqual([]);
  expect(emptyPlaces('The answer of one, and of those that wait.')).toEqual(['those that', 'of one', 'of those']);
});
