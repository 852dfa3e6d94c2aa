/** Runs a share of the enumeration of small loops (`npm run enumerate:loops`), and shows that its judge can tell a wrong ending. */
import { expect, test } from 'vitest';
import { type Case, ofTwoTurns } from './cases.ts';
import { runCase } from './drive.ts';
import { casesOf, drawing, enumerate, totalsText } from './enumerate.ts';
import { judge } from './judge.ts';

test('loops of two turns of one act say what the world has, wherever a process dies, a reply is lost or an answer is found wrong (LP1 to LP3)', async () => {
  const draw = drawing(3);
  const all = [...ofTwoTurns()].flatMap((turns) => casesOf(turns));
  expect(all.length).toBe(1_248);
  const counts = new Map<string, number>();
  for (let nth = 0; nth < 150; nth += 1) {
    const one = { ...(all[draw(all.length)] as Case), dies: draw(3) === 0 ? null : draw(24) };
    const judged = judge(one, await runCase(one));
    expect(judged.why, JSON.stringify(one)).toBe('');
    counts.set(judged.is, (counts.get(judged.is) ?? 0) + 1);
  }
  expect([...counts.keys()].sort()).toEqual(['parked', 'refused', 'right']);
});

test('larger loops, with calls side by side and turns of several rounds, end so, too', async () => {
  const totals = await enumerate({ of: 'drawn', cases: 100, seed: 7 });
  expect(totals.told, totalsText(totals)).toEqual([]);
  expect(totals.cases).toBe(100);
});

test('turns that another process leaves end as those that the program hands in (RC6)', async () => {
  const totals = await enumerate({ of: 'drawn', cases: 60, seed: 5, by: 'message' });
  expect(totals.told, totalsText(totals)).toEqual([]);
  expect(totals.cases).toBe(60);
}, 120_000);

test('the judge sees an act that stands twice, and one that was said and is undone', async () => {
  const one: Case = { turns: [[['reversible']]], said: 'stands', complaint: null, lost: null, dies: null };
  const result = await runCase(one);
  expect(judge(one, result).is).toBe('right');
  const [first] = result.world.acts;
  if (first === undefined) throw new Error('nothing was done');
  result.world.acts.push({ ...first, answer: 'right act 9' });
  expect(judge(one, result).why).toMatch(/right act 9 stands, and is not said/);
  result.world.acts.pop();
  first.undone = true;
  expect(judge(one, result).why).toMatch(/was said, and is undone/);
});
