/** Paths and contents that lead out of the folder, or are none, are refused, and nothing is written. */
import { mkdirSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type FileWrite, fileAdapter } from '../../src/adapters/index.ts';
import { ArgumentError } from '../../src/model/argument.ts';
import { callOf, thrown } from './calls.ts';
import { eachOnNewFiles, files, folder, root, undo, wrote } from './files-at-work.ts';
import { keptAside, tree } from './tree.ts';

eachOnNewFiles();

describe('hostile input', () => {
  test.each([
    '../outside',
    'notes/../../outside',
    '..',
    '.',
    '',
    '/etc/passwd',
    './notes/a.txt',
    'notes//a.txt',
    'notes/a.txt/',
    'notes/./a.txt',
    'notes/../notes/a.txt',
    'notes/a.txt\0.png',
    'notes',
    'notes/a.txt/b',
    'link',
    'link/outside',
    'inside/a.txt',
    'dangling',
    '.belay',
    '.belay/calls/x',
    'lone\ud800',
    'x'.repeat(5000),
    'y/'.repeat(5000),
    7,
    null,
    undefined,
    ['notes', 'a.txt'],
    { toString: () => 'notes/a.txt' },
  ])('in a path is refused, written at once or staged: %j', async (path) => {
    symlinkSync(folder, join(root, 'link'));
    symlinkSync(join(root, 'notes'), join(root, 'inside'));
    symlinkSync(join(folder, 'not-yet'), join(root, 'dangling'));
    const before = tree(folder);
    for (const act of [files.write, files.stage])
      for (const content of ['owned', null])
        expect((await thrown(() => act(callOf({ path, content } as FileWrite)))).applied).toBe('no');
    expect(tree(folder)).toEqual(before);
    expect(keptAside(join(root, '.belay'))).toEqual([]);
  });

  test.each([undefined, 7, {}, ['a'], '\udc00', { path: '/etc/passwd' }, new ArrayBuffer(1)])(
    'as content is refused: %j',
    async (content) => {
      for (const act of [files.write, files.stage])
        expect((await thrown(() => act(callOf({ path: 'b', content } as FileWrite)))).applied).toBe('no');
      expect((await thrown(() => files.write(callOf(undefined as unknown as FileWrite)))).applied).toBe('no');
      expect(tree(root)).toEqual({ 'notes/a.txt': 'one' });
    },
  );

  test('is told why, where a path leads through a link', async () => {
    symlinkSync(folder, join(root, 'link'));
    for (const path of ['link', 'link/outside'])
      expect((await thrown(() => files.write(callOf({ path, content: 'owned' })))).message).toBe(
        `"${path}" leads through a symbolic link`,
      );
  });

  test('names that look like more are names', async () => {
    for (const path of ['...', '..a', 'a..', '~', 'C:', 'a\\..\\b', '-rf', 'a\nb', '__proto__', '.belayed/x']) {
      const key = await wrote(path, path);
      expect(readFileSync(join(root, path), 'utf8')).toBe(path);
      await undo(key);
    }
    expect(tree(root)).toEqual({ 'notes/a.txt': 'one' });
  });

  test('does not reach a folder aside that lies deeper or under another name', async () => {
    const aside = join(root, 'var/kept');
    mkdirSync(join(root, 'var'));
    symlinkSync('var', join(root, 'v'));
    const deep = fileAdapter({ root, aside: join(root, 'v/kept') });
    const outcome = await thrown(() => deep.write(callOf({ path: 'var/kept/calls/x', content: 'owned' })));
    expect(outcome).toEqual({ applied: 'no', message: expect.stringContaining('kept aside') });
    expect(keptAside(aside)).toEqual([]);
  });

  test('a root that is none, or that lies in the folder aside, is refused at once', () => {
    expect(() => fileAdapter({ root: join(root, 'nowhere') })).toThrow();
    expect(() => fileAdapter({ root: join(root, 'notes/a.txt') })).toThrow();
    for (const aside of [root, folder]) expect(() => fileAdapter({ root, aside })).toThrow(ArgumentError);
    expect(() => fileAdapter({ root, aside: '/proc/self' })).toThrow();
  });

  test('what is kept aside is nobody else to read', async () => {
    await wrote('notes/a.txt', 'two');
    expect(statSync(join(root, '.belay')).mode & 0o077).toBe(0);
  });
});
