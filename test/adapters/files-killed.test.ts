import { cpSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { fileAdapter } from '../../src/adapters/index.ts';
import { scratchFolder } from '../scratch.ts';
import { ACTS, type Act, STAGED } from './acts-on-files.ts';
import { thrown, undoOf } from './calls.ts';
import { Lives } from './lives.ts';
import { keptAside, tree } from './tree.ts';

const lives = new Lives('dying-files.ts');
const folder = scratchFolder('files-killed');
afterAll(() => {
  lives.close();
});

const BEFORE = { 'a.txt': 'one', 'b.txt': 'b' };

/** A folder with two files, in which some acts were done undisturbed. */
async function begun(name: string, acts: readonly Act[]): Promise<string> {
  const root = join(folder, name);
  mkdirSync(root);
  for (const [file, content] of Object.entries(BEFORE)) writeFileSync(join(root, file), content);
  const files = fileAdapter({ root });
  for (const act of acts) await ACTS[act](files);
  return root;
}

/** Every nth moment is one at which a process is killed indeed; `BELAY_KILLS=1` has one killed at each (`npm run prove soak-files`). */
const EVERY = Number(process.env.BELAY_KILLS ?? 7);

/**
 * The disk as it is at each moment of an act: as a process leaves it that lives and copies it, and at a sample of the moments as
 * one leaves it that is killed there, which has to be the same.
 */
async function* killed(base: string, act: Act): AsyncGenerator<{ root: string; dieAt: number; done: string }> {
  const done = `${base}-done`;
  cpSync(base, done, { recursive: true, preserveTimestamps: true });
  const moments = Number((await lives.live('dying-files.ts', { root: done, act, dieAt: 0, copies: base })).said);
  expect(moments).toBeGreaterThan(3);
  for (let dieAt = 1; dieAt <= moments; dieAt += 1) {
    const root = `${base}-${dieAt}`;
    if (dieAt % EVERY === moments % EVERY) {
      const own = `${root}-killed`;
      cpSync(base, own, { recursive: true });
      expect((await lives.live('dying-files.ts', { root: own, act, dieAt })).killed).toBe(true);
      expect([dieAt, tree(own), aside(own)]).toEqual([dieAt, tree(root), aside(root)]);
    }
    yield { root, dieAt, done };
  }
}

const aside = (root: string) => (existsSync(join(root, '.belay')) ? keptAside(join(root, '.belay')) : null);

/** Somebody else writes before the publication is asked for again: it is refused, and nothing of it is visible. */
async function contended(root: string, dieAt: number): Promise<void> {
  const other = `${root}-contended`;
  cpSync(root, other, { recursive: true });
  writeFileSync(join(other, 'a.txt'), 'mine');
  const files = fileAdapter({ root: other });
  expect([dieAt, (await thrown(() => ACTS.publish(files))).applied]).toEqual([dieAt, 'no']);
  expect([dieAt, tree(other)]).toEqual([dieAt, { ...BEFORE, 'a.txt': 'mine' }]);
}

describe('a process that is killed at any moment of', () => {
  test.each<[Act, readonly Act[]]>([
    ['replace', []],
    ['create', []],
    ['delete', []],
    ['undoReplace', ['replace']],
    ['undoCreate', ['create']],
    ['undoDelete', ['delete']],
  ])('%s has done it or not, and asked again ends as if it had never been killed', async (act, before) => {
    const base = await begun(act, before);
    const untouched = tree(base);
    for await (const { root, dieAt, done } of killed(base, act)) {
      const now = tree(root);
      expect([untouched, tree(done)]).toContainEqual(now);
      const files = fileAdapter({ root });
      if (before.length === 0) {
        const finding = await files.reconcile(undoOf(act));
        const applied = JSON.stringify(now) !== JSON.stringify(untouched);
        expect([dieAt, finding.is]).toEqual([dieAt, applied ? 'applied' : 'not_applied']);
        if (applied) expect(finding).toEqual({ is: 'applied', output: await ACTS[act](files) });
      }
      await ACTS[act](files);
      expect([dieAt, tree(root), aside(root)]).toEqual([dieAt, tree(done), aside(done)]);
      if (before.length === 0) {
        const other = `${root}-undone`;
        cpSync(root, other, { recursive: true });
        expect(fileAdapter({ root: other }).inverse.moved(undoOf(act))).toBe(null);
        await fileAdapter({ root: other }).inverse.undo(undoOf(act));
        expect([dieAt, tree(other)]).toEqual([dieAt, BEFORE]);
      }
      writeFileSync(join(root, 'a.txt'), 'mine');
      writeFileSync(join(root, 'b.txt'), 'mine');
      const after = tree(root);
      await ACTS[act](files);
      expect([dieAt, tree(root)]).toEqual([dieAt, after]);
    }
  });

  test('staging shows nothing, and asked again stages all; discarded, nothing is left', async () => {
    const base = await begun('stage', []);
    for await (const { root, dieAt, done } of killed(base, 'stage')) {
      expect(tree(root)).toEqual(BEFORE);
      const files = fileAdapter({ root });
      if (dieAt % 2 === 0) {
        await ACTS.discard(files);
        expect(aside(root)).toEqual([]);
      }
      await ACTS.stage(files);
      expect([dieAt, aside(root)]).toEqual([dieAt, aside(done)]);
      await ACTS.publish(files);
      expect([dieAt, tree(root)]).toEqual([dieAt, { 'a.txt': 'two', 'new/c.txt': 'three' }]);
    }
  });

  test('publishing publishes all of it when it is asked again, once, and undoes to what was there before it was published', async () => {
    const base = await begun('publish', ['stage']);
    for await (const { root, dieAt, done } of killed(base, 'publish')) {
      const now = tree(root);
      if (now['a.txt'] !== 'two') await contended(root, dieAt);
      // In order, and at the place of the last of two to one path.
      if (now['new/c.txt'] === 'three') expect(now['a.txt']).toBe('two');
      if (now['b.txt'] === undefined) expect(now['new/c.txt']).toBe('three');
      const files = fileAdapter({ root });
      await ACTS.publish(files);
      expect([dieAt, tree(root), aside(root)]).toEqual([dieAt, tree(done), aside(done)]);
      expect(tree(root)).toEqual({ 'a.txt': 'two', 'new/c.txt': 'three' });
      writeFileSync(join(root, 'a.txt'), 'mine');
      await ACTS.publish(files);
      expect(tree(root)['a.txt']).toBe('mine');
      writeFileSync(join(root, 'a.txt'), 'two');
      expect(STAGED.map(({ key }) => files.inverse.moved(undoOf(key)))).toEqual([null, null, null, null]);
      await ACTS.undoAll(files);
      expect([dieAt, tree(root)]).toEqual([dieAt, BEFORE]);
    }
  });

  test('discarding leaves nothing when it is asked again', async () => {
    const base = await begun('discard', ['stage']);
    for await (const { root, dieAt } of killed(base, 'discard')) {
      const other = `${root}-again`;
      cpSync(root, other, { recursive: true });
      // Half discarded is not staged any more: it is staged anew.
      const again = fileAdapter({ root: other });
      await ACTS.stage(again);
      await ACTS.publish(again);
      expect([dieAt, tree(other)]).toEqual([dieAt, { 'a.txt': 'two', 'new/c.txt': 'three' }]);
      const files = fileAdapter({ root });
      await ACTS.discard(files);
      expect([dieAt, tree(root), aside(root)]).toEqual([dieAt, BEFORE, []]);
      expect(await files.reconcile(undoOf('k0'))).toEqual({ is: 'not_applied' });
    }
  });

  test('undoing what was published puts back what was there before when it is asked again', async () => {
    const base = await begun('undo-all', ['stage', 'publish']);
    for await (const { root, dieAt } of killed(base, 'undoAll')) {
      await ACTS.undoAll(fileAdapter({ root }));
      expect([dieAt, tree(root)]).toEqual([dieAt, BEFORE]);
    }
  });
});
