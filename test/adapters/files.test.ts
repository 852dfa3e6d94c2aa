import fs, {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type FileAdapter, type FileWrite, fileAdapter } from '../../src/adapters/index.ts';
import type { Publication, StagedCall, UndoCall } from '../../src/effects/counterparty.ts';
import { callOf, keyless, newKey, thrown } from './calls.ts';
import { keptAside, tree } from './tree.ts';

let folder: string;
let root: string;
let files: FileAdapter;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'belay-files-'));
  root = join(folder, 'root');
  mkdirSync(join(root, 'notes'), { recursive: true });
  writeFileSync(join(root, 'notes/a.txt'), 'one');
  files = fileAdapter({ root });
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const undoOf = (key: string): UndoCall => ({ key, undoKey: `${key} undo`, tool: 'write', args: {}, output: {} });
const undo = async (key: string) => files.inverse.undo(undoOf(key));
const moved = (key: string) => files.inverse.moved(undoOf(key));
const asked = (key: string) => ({ key, tool: 'write', args: {} });
const commit = (id: string): Publication => ({ id, run: 'r', instance: 'Write::a::0', boundary: 'written' });

async function wrote(path: string, content: FileWrite['content']): Promise<string> {
  const key = newKey();
  await files.write(callOf({ path, content }, key));
  return key;
}

async function staged(...writes: readonly (readonly [string, FileWrite['content']])[]): Promise<StagedCall[]> {
  const calls: StagedCall[] = [];
  for (const [path, content] of writes) {
    const key = newKey();
    const args = { path, content };
    calls.push({ key, tool: 'write', args, staged: await files.stage(callOf(args, key)) });
  }
  return calls;
}

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

describe('the buffer', () => {
  test('keeps staged files invisible until they are published', async () => {
    const calls = await staged(['notes/a.txt', 'two'], ['new/b.txt', 'three'], ['nowhere/c', null]);
    expect(calls[0]?.staged).toEqual({ path: 'notes/a.txt', change: 'staged' });
    expect(tree(root)).toEqual({ 'notes/a.txt': 'one' });
    expect(existsSync(join(root, 'new'))).toBe(false);
    await files.buffer.publish(calls, commit('c1'));
    expect(tree(root)).toEqual({ 'new/b.txt': 'three', 'notes/a.txt': 'two' });
  });

  test('publishes once, also when it is asked again after others have written', async () => {
    const calls = await staged(['notes/a.txt', 'two'], ['b.txt', 'three']);
    await files.buffer.publish(calls, commit('c1'));
    writeFileSync(join(root, 'notes/a.txt'), 'mine');
    rmSync(join(root, 'b.txt'));
    await files.buffer.publish(calls, commit('c1'));
    expect(tree(root)).toEqual({ 'notes/a.txt': 'mine' });
    expect((await thrown(() => files.buffer.publish(calls.slice(1), commit('c1')))).message).toContain('other calls');
    expect((await thrown(() => files.buffer.publish(calls, commit('c2')))).applied).toBe('no');
  });

  test('publishes in order, of two writes to one path the last, and undoes to what was there before', async () => {
    const calls = await staged(['b', '1'], ['notes/a.txt', 'two'], ['notes/a.txt', 'three'], ['b', null], ['b', '2']);
    await files.buffer.publish(calls, commit('c1'));
    expect(tree(root)).toEqual({ b: '2', 'notes/a.txt': 'three' });
    expect(calls.map(({ key }) => moved(key))).toEqual([null, null, null, null, null]);
    for (const { key } of calls.toReversed()) await undo(key);
    expect(tree(root)).toEqual({ 'notes/a.txt': 'one' });
  });

  test('publishes none of them where one of the paths has become one that is refused', async () => {
    const calls = await staged(['b.txt', 'two'], ['notes/a.txt', 'three']);
    rmSync(join(root, 'notes'), { recursive: true });
    symlinkSync(folder, join(root, 'notes'));
    expect((await thrown(() => files.buffer.publish(calls, commit('c1')))).applied).toBe('no');
    expect(tree(root)).toEqual({ notes: `-> ${folder}` });
    rmSync(join(root, 'notes'));
    mkdirSync(join(root, 'notes'));
    writeFileSync(join(root, 'notes/a.txt'), 'one');
    await files.buffer.publish(calls, commit('c2'));
    expect(tree(root)).toEqual({ 'b.txt': 'two', 'notes/a.txt': 'three' });
  });

  test('publishes none of them where one was not staged, or is not kept as it was staged', async () => {
    const calls = await staged(['b.txt', 'two'], ['c.txt', 'three']);
    const stranger = { ...(calls[0] as StagedCall), key: newKey() };
    expect((await thrown(() => files.buffer.publish([...calls, stranger], commit('c1')))).applied).toBe('no');
    for (const call of readdirSync(join(root, '.belay/calls')))
      writeFileSync(join(root, '.belay/calls', call, 'next'), 'a lie');
    expect(await thrown(() => files.buffer.publish(calls, commit('c1')))).toEqual({
      applied: 'no',
      message: 'what was staged for b.txt is not kept',
    });
    expect(tree(root)).toEqual({ 'notes/a.txt': 'one' });
    const gone = await staged(['notes/a.txt', null]);
    await files.buffer.publish(gone, commit('c2'));
    writeFileSync(join(root, 'notes/a.txt'), 'mine');
    const key = await wrote('c.txt', null);
    for (const done of [gone, [{ key, tool: 'write', args: {}, staged: null }]])
      expect(await thrown(() => files.buffer.publish(done, commit('c3')))).toEqual({
        applied: 'no',
        message: expect.stringContaining('is not staged'),
      });
    expect(tree(root)).toEqual({ 'notes/a.txt': 'mine' });
  });

  test('publishes nothing over what somebody else has written since the staging', async () => {
    const [call] = await staged(['notes/a.txt', 'two']);
    const { key } = call as StagedCall;
    expect(moved(key)).toContain('not published');
    await expect(undo(key)).rejects.toThrow('nothing that can be undone');
    writeFileSync(join(root, 'notes/a.txt'), 'mine');
    expect(await thrown(() => files.buffer.publish([call as StagedCall], commit('c1')))).toEqual({
      applied: 'no',
      message: 'notes/a.txt was changed since its change was staged',
    });
    expect(tree(root)).toEqual({ 'notes/a.txt': 'mine' });
  });

  test('staging with the same key again is the same, before and after it was published', async () => {
    const key = newKey();
    const input = { path: 'b.txt', content: 'two' };
    const first = await files.stage(callOf(input, key));
    expect(await files.stage(callOf(input, key))).toEqual(first);
    expect((await thrown(() => files.stage(callOf({ ...input, content: 'x' }, key)))).applied).toBe('unknown');
    expect((await thrown(() => files.write(callOf(input, key)))).applied).toBe('unknown');
    expect(await files.reconcile(asked(key))).toEqual({ is: 'applied', output: first });
    await files.buffer.publish([{ key, tool: 'write', args: input, staged: first }], commit('c1'));
    expect(await files.stage(callOf(input, key))).toEqual(first);
    expect(await files.reconcile(asked(key))).toEqual({ is: 'applied', output: first });
    const written = await wrote('c.txt', 'three');
    expect((await thrown(() => files.stage(callOf({ path: 'c.txt', content: 'three' }, written)))).applied).toBe(
      'unknown',
    );
  });

  test('discards without a trace, also when it is asked again, and never what was written', async () => {
    const calls = await staged(['b.txt', 'two'], ['notes/a.txt', null]);
    expect(() => files.forget([calls[0]?.key as string])).toThrow('is staged');
    await files.buffer.discard(calls);
    await files.buffer.discard(calls);
    expect(readdirSync(join(root, '.belay'), { recursive: true }).sort()).toEqual(['calls', 'publications']);
    expect(await files.reconcile(asked(calls[0]?.key as string))).toEqual({ is: 'not_applied' });
    const others = await staged(['b.txt', 'two']);
    await files.buffer.publish(others, commit('c1'));
    await expect((async () => files.buffer.discard(others))()).rejects.toThrow('is not discarded');
    const key = await wrote('c.txt', 'three');
    const direct = { key, tool: 'write', args: {}, staged: null };
    await expect((async () => files.buffer.discard([direct]))()).rejects.toThrow('is not discarded');
  });

  test('asked to publish what was forgotten since does nothing', async () => {
    const calls = await staged(['b.txt', 'two']);
    await files.buffer.publish(calls, commit('c1'));
    files.forget(calls.map(({ key }) => key));
    rmSync(join(root, 'b.txt'));
    await files.buffer.publish(calls, commit('c1'));
    expect(tree(root)).toEqual({ 'notes/a.txt': 'one' });
  });
});

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
    for (const aside of [root, folder]) expect(() => fileAdapter({ root, aside })).toThrow(TypeError);
    expect(() => fileAdapter({ root, aside: '/proc/self' })).toThrow();
  });

  test('what is kept aside is nobody else to read', async () => {
    await wrote('notes/a.txt', 'two');
    expect(statSync(join(root, '.belay')).mode & 0o077).toBe(0);
  });
});
