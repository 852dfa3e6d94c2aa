/** Staged files stay invisible until they are published, all of them or none. */
import { existsSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { StagedCall } from '../../src/effects/counterparty.ts';
import { asked, callOf, newKey, thrown } from './calls.ts';
import { commit, eachOnNewFiles, files, folder, moved, root, staged, undo, wrote } from './files-at-work.ts';
import { tree } from './tree.ts';

eachOnNewFiles();

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
