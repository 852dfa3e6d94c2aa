import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, describe, expect, test } from 'vitest';
import { scratchFolder } from '../scratch.ts';
import { ACTS, type Act } from './acts-on-rows.ts';
import { everything, openLedger } from './ledger.ts';
import { Lives } from './lives.ts';

/** Every nth moment is one at which a process is killed indeed; `BELAY_KILLS=1` has one killed at each (`npm run prove soak-files`). */
const EVERY = Number(process.env.BELAY_KILLS ?? 3);

const lives = new Lives('dying-rows.ts');
const folder = scratchFolder('rows-killed');
afterAll(() => {
  lives.close();
});

const seen = (file: string) => {
  const db = new Database(file);
  try {
    return everything(db);
  } finally {
    db.close();
  }
};

/** Does acts here, undisturbed. */
async function acted(file: string, acts: readonly Act[]): Promise<void> {
  const { db, adapter } = openLedger(file);
  try {
    for (const act of acts) await ACTS[act](adapter);
  } finally {
    db.close();
  }
}

describe('a process that is killed at any moment of', () => {
  test.each<[Act, readonly Act[], boolean]>([
    ['write', [], true],
    ['insert', [], true],
    ['undo', ['write'], true],
    ['stage', [], false],
    ['publish', ['stage'], true],
    ['discard', ['stage'], true],
  ])(
    '%s has done all of it or nothing, and asked again ends as if it had never been killed',
    async (act, before, atomic) => {
      const base = join(folder, `${act}.sqlite`);
      await acted(base, before);
      const untouched = seen(base);
      const whole = join(folder, `${act}-whole.sqlite`);
      copyFileSync(base, whole);
      const { said } = await lives.live('dying-rows.ts', { file: whole, act, dieAt: 0 });
      const done = seen(whole);
      expect(done).not.toEqual(untouched);
      const moments = Number(said);
      expect(moments).toBeGreaterThan(4);
      for (let dieAt = 1 + (act.length % EVERY); dieAt <= moments; dieAt += EVERY) {
        const file = join(folder, `${act}-${dieAt}.sqlite`);
        copyFileSync(base, file);
        expect((await lives.live('dying-rows.ts', { file, act, dieAt })).killed).toBe(true);
        if (atomic) expect([untouched, done]).toContainEqual(seen(file));
        await acted(file, [act]);
        expect([dieAt, seen(file)]).toEqual([dieAt, done]);
        await acted(file, [act]);
        expect(seen(file)).toEqual(done);
      }
    },
  );
});
