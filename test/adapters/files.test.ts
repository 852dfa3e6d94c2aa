/** Files are written, deleted and put back: once per key, and never over what another has written. */
import fs, {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type FileWrite, fileAdapter } from '../../src/adapters/index.ts';
import { asked, callOf, keyless, newKey, thrown } from './calls.ts';
import { eachOnNewFiles, files, folder, moved, root, undo, wrote } from './files-at-work.ts';
import { keptAside, tree } from './tree.ts';

eachOnNewFiles();

describe('a write', () => {
  test('creates, replaces and deletes a file, and makes the folders on the way', async () => {
    const write = (path: string, content: FileWrite['content']) => files.write(callOf({ path, content }));
    expect(await write('new/deep/b.txt', 'two')).toEqual({ path: 'new/deep/b.txt', change: 'created' });
    expect(await write('notes/a.txt', new Uint8Array([0, 255]))).toEqual({ path: 'notes/a.txt', change: 'replaced' });
    expect(tree(root)).toEqual({ 'new/deep/b.txt': 'two', 'notes/a.txt': '\0\xff' });
    expect(await write('notes/a.txt', null)).toEqual({ path: 'notes/a.txt', change: 'deleted' });
    expect(await write('notes/a.txt', null)).toEqual({ path: 'notes/a.txt', change: 'absent' });
    expect(await write('nowhere/x', null)).toEqual({ path: 'nowhere/x', change: 'absent' });
    expect(await write('empty', '')).toEqual({ path: 'empty', change: 'created' });
    expect(tree(root)).toEqual({ 'new/deep/b.txt': 'two', empty: '' });
    expect(existsSync(join(root, 'nowhere'))).toBe(false);
  });

  test('with the same key again writes nothing and gives the same answer, whatever came after', async () => {
    const key = newKey();
    const input = { path: 'notes/a.txt', content: 'two' };
    const first = await files.write(callOf(input, key));
    await wrote('notes/a.txt', 'three');
    expect(await files.write(callOf(input, key))).toEqual(first);
    rmSync(join(root, 'notes'), { recursive: true });
    symlinkSync(folder, join(root, 'notes'));
    expect(await files.write(callOf(input, key))).toEqual(first);
    expect(tree(root)).toEqual({ notes: `-> ${folder}` });
  });

  test('of something else under the same key is refused, and its outcome left open', async () => {
    const key = await wrote('notes/a.txt', 'two');
    for (const input of [
      { path: 'notes/a.txt', content: 'three' },
      { path: 'notes/b.txt', content: 'two' },
      { path: 'notes/a.txt', content: null },
    ])
      expect(await thrown(() => files.write(callOf(input, key)))).toEqual({
        applied: 'unknown',
        message: expect.stringContaining('names another write already'),
      });
    expect(tree(root)).toEqual({ 'notes/a.txt': 'two' });
  });

  test('replaces the file as a whole, so that who has it open keeps reading the old one, and keeps its permissions', async () => {
    chmodSync(join(root, 'notes/a.txt'), 0o640);
    linkSync(join(root, 'notes/a.txt'), join(folder, 'old'));
    const key = await wrote('notes/a.txt', 'two');
    expect(readFileSync(join(folder, 'old'), 'utf8')).toBe('one');
    expect(statSync(join(root, 'notes/a.txt')).mode & 0o777).toBe(0o640);
    await undo(key);
    expect(statSync(join(root, 'notes/a.txt')).mode & 0o777).toBe(0o640);
  });

  test('is known to the reconciler once it was made, with what it answered', async () => {
    const key = newKey();
    expect(await files.reconcile(asked(key))).toEqual({ is: 'not_applied' });
    const output = await files.write(callOf({ path: 'notes/a.txt', content: 'two' }, key));
    expect(await files.reconcile(asked(key))).toEqual({ is: 'applied', output });
    expect(await fileAdapter({ root }).reconcile(asked(key))).toEqual({ is: 'applied', output });
  });

  test('that cannot be made did not happen, leaves nothing, and can be made later', async () => {
    mkdirSync(join(root, 'locked'));
    chmodSync(join(root, 'locked'), 0o500);
    const key = newKey();
    const input = { path: `locked/${'x'.repeat(300)}`, content: 'two' };
    expect((await thrown(() => files.write(callOf(input, key)))).applied).toBe('no');
    if (process.getuid?.() !== 0) {
      input.path = 'locked/x';
      expect((await thrown(() => files.write(callOf(input, key)))).applied).toBe('no');
    }
    expect(keptAside(join(root, '.belay'))).toEqual([]);
    expect(await files.reconcile(asked(key))).toEqual({ is: 'not_applied' });
    chmodSync(join(root, 'locked'), 0o700);
    expect((await files.write(callOf({ ...input, path: 'locked/x' }, key))).change).toBe('created');
  });

  test('whose rename fails did not happen and leaves nothing, unless the rename came about all the same', async () => {
    const rename = fs.renameSync;
    const failing = (comesAbout: boolean) => {
      fs.renameSync = (from, to) => {
        const publishes = !String(to).includes('.belay');
        if (comesAbout || !publishes) rename(from, to);
        if (publishes) throw new Error('EIO');
      };
      syncBuiltinESMExports();
    };
    const key = newKey();
    const input = { path: 'notes/a.txt', content: 'two' };
    try {
      failing(false);
      expect((await thrown(() => files.write(callOf(input, key)))).applied).toBe('no');
      expect([tree(root), keptAside(join(root, '.belay'))]).toEqual([{ 'notes/a.txt': 'one' }, []]);
      failing(true);
      expect((await thrown(() => files.write(callOf(input, key)))).applied).toBe('unknown');
    } finally {
      fs.renameSync = rename;
      syncBuiltinESMExports();
    }
    expect(await files.reconcile(asked(key))).toMatchObject({ is: 'applied', output: { change: 'replaced' } });
    await undo(key);
    expect(tree(root)).toEqual({ 'notes/a.txt': 'one' });
  });

  test('without a key says that nothing happened', async () => {
    for (const act of [files.write, files.stage])
      expect((await thrown(() => act(keyless({ path: 'a', content: 'b' })))).applied).toBe('no');
    expect(
      (await thrown(() => files.write(callOf({ path: 'a', content: 'b' }, 'k', AbortSignal.abort())))).applied,
    ).toBe('no');
    expect(tree(root)).toEqual({ 'notes/a.txt': 'one' });
  });
});

describe('the inverse', () => {
  test.each<[string, string, FileWrite['content']]>([
    ['a file that was replaced', 'notes/a.txt', 'two'],
    ['a file that was deleted', 'notes/a.txt', null],
    ['a file that was created', 'new/b.txt', 'two'],
    ['a file that was not there to be deleted', 'new/b.txt', null],
    ['a file that was replaced by the same', 'notes/a.txt', 'one'],
  ])('puts back %s', async (_, path, content) => {
    const key = await wrote(path, content);
    expect(moved(key)).toBe(null);
    await undo(key);
    expect(tree(root)).toEqual({ 'notes/a.txt': 'one' });
    expect(moved(key)).toBe(null);
    expect(await files.reconcile(asked(key))).toEqual({ is: 'unknown' });
  });

  test('is carried out once, also when it is asked again after others have written', async () => {
    const key = await wrote('notes/a.txt', 'two');
    await undo(key);
    writeFileSync(join(root, 'notes/a.txt'), 'two');
    await undo(key);
    expect(tree(root)).toEqual({ 'notes/a.txt': 'two' });
    const again = await thrown(() => files.write(callOf({ path: 'notes/a.txt', content: 'two' }, key)));
    expect(again.message).toContain('was undone');
  });

  test.each<[string, FileWrite['content'], (file: string) => void]>([
    ['was changed', 'two', (file) => writeFileSync(file, 'mine')],
    ['was deleted', 'two', (file) => rmSync(file)],
    ['came back after it was deleted', null, (file) => writeFileSync(file, 'mine')],
    [
      'is a link now',
      'two',
      (file) => {
        rmSync(file);
        symlinkSync('/etc/passwd', file);
      },
    ],
    [
      'is a folder now',
      'two',
      (file) => {
        rmSync(file);
        mkdirSync(file);
      },
    ],
  ])('does not touch a file that %s since, and says why', async (_, content, change) => {
    const key = await wrote('notes/a.txt', content);
    change(join(root, 'notes/a.txt'));
    const after = tree(root);
    expect(moved(key)).toContain('notes/a.txt');
    await expect(undo(key)).rejects.toThrow('notes/a.txt');
    await expect(undo(key)).rejects.toThrow('notes/a.txt');
    expect(tree(root)).toEqual(after);
    rmSync(join(root, 'notes/a.txt'), { recursive: true, force: true });
    if (content !== null) writeFileSync(join(root, 'notes/a.txt'), content);
    expect(moved(key)).toBe(null);
    await undo(key);
    expect(tree(root)).toEqual({ 'notes/a.txt': 'one' });
  });

  test('of several writes to one file goes newest first, and none of them has moved', async () => {
    const keys = [
      await wrote('notes/a.txt', 'two'),
      await wrote('notes/a.txt', null),
      await wrote('notes/a.txt', 'two'),
    ];
    expect(keys.map(moved)).toEqual([null, null, null]);
    for (const [n, key] of [...keys.entries()].reverse()) {
      await undo(key);
      expect(tree(root)).toEqual([{ 'notes/a.txt': 'one' }, { 'notes/a.txt': 'two' }, {}][n]);
      expect(keys.map(moved)).toEqual([null, null, null]);
    }
  });

  test('of several writes has moved where somebody else wrote in between', async () => {
    const first = await wrote('notes/a.txt', 'two');
    writeFileSync(join(root, 'notes/a.txt'), 'mine');
    const second = await wrote('notes/a.txt', 'three');
    expect(moved(second)).toBe(null);
    expect(moved(first)).toContain('was changed since');
    await undo(second);
    expect(moved(first)).toContain('was changed since');
    await expect(undo(first)).rejects.toThrow('was changed since');
    expect(tree(root)).toEqual({ 'notes/a.txt': 'mine' });
  });

  test('is refused where what was there before is not kept as it was', async () => {
    const key = await wrote('notes/a.txt', 'two');
    const [call] = readdirSync(join(root, '.belay/calls'));
    writeFileSync(join(root, '.belay/calls', call as string, 'before'), 'a lie');
    expect(moved(key)).toContain('is not kept any more');
    await expect(undo(key)).rejects.toThrow('is not kept any more');
    expect(tree(root)).toEqual({ 'notes/a.txt': 'two' });
  });

  test('of what was never written, or was forgotten, is refused', async () => {
    await expect(undo(newKey())).rejects.toThrow('nothing that can be undone');
    const key = await wrote('notes/a.txt', 'two');
    files.forget([key, newKey()]);
    expect(keptAside(join(root, '.belay'))).toEqual([]);
    expect(moved(key)).toContain('forgotten');
    await expect(undo(key)).rejects.toThrow('nothing that can be undone');
  });
});
