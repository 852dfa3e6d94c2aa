/** Runs a share of the enumeration of small loops (`npm run prove loops`), and shows that its judge can tell a wrong ending. */
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
});

test('acts on turns move what rests on them, or nothing, wherever a process dies (RC8, RC9, PA12)', async () => {
  const draw = drawing(11);
  const all = [...ofTwoTurns()].flatMap((turns) => casesOf(turns, undefined, true));
  expect(all.length).toBe(2_592);
  const counts = new Map<string, number>();
  for (let nth = 0; nth < 60; nth += 1) {
    const one = { ...(all[draw(all.length)] as Case), dies: draw(3) === 0 ? null : draw(30) };
    const judged = judge(one, await runCase(one));
    expect(judged.why, JSON.stringify(one)).toBe('');
    counts.set(judged.is, (counts.get(judged.is) ?? 0) + 1);
  }
  expect([...counts.keys()].sort()).toEqual(['refused', 'right']);
  const drawn = await enumerate({ of: 'drawn', cases: 20, seed: 2, acts: true });
  expect(drawn.told, totalsText(drawn)).toEqual([]);
});

test('acts find the turns that were left before them, and change no others (RC12)', async () => {
  for (const as of [{}, { as: 'flow' }] as const) {
    const totals = await enumerate({ of: 'drawn', cases: 25, seed: 4, acts: 'ahead', by: 'message', ...as });
    expect(totals.told, totalsText(totals)).toEqual([]);
    expect(totals.cases).toBe(25);
  }
});

test('flows end so, too, by complaints, acts on turns, messages and pauses (RC10)', async () => {
  for (const more of [{}, { acts: true }, { by: 'message' }, { pauses: true }, { pauses: true, acts: true }] as const) {
    const totals = await enumerate({ of: 'drawn', cases: 15, seed: 6, as: 'flow', ...more });
    expect(totals.told, totalsText(totals)).toEqual([]);
    expect(totals.cases).toBe(15);
  }
});

test('flows whose tools are said to read nothing are served no answer to another question (PA13)', async () => {
  const totals = await enumerate({ of: 'drawn', cases: 25, seed: 2, as: 'flow', narrow: true });
  expect(totals.told, totalsText(totals)).toEqual([]);
});

test('a person pauses a loop behind any append, and it ends as it would have (LC10)', async () => {
  const totals = await enumerate({ of: 'drawn', cases: 20, seed: 9, pauses: true });
  expect(totals.told, totalsText(totals)).toEqual([]);
});

test('the judge sees a turn that was taken out and stands', async () => {
  const act = { about: 0, during: 1, while: 'over', does: 'retract', isBlind: false } as const;
  const one: Case = {
    turns: [[['none']], [['reversible']]],
    said: 'stands',
    complaint: null,
    act,
    lost: null,
    dies: null,
  };
  const result = await runCase(one);
  expect([judge(one, result).is, result.state]).toEqual(['right', []]);
  expect(judge(one, { ...result, state: ['in 1'] }).why).toMatch(/says 1 lines/);
  const [done] = result.world.acts.filter(({ tool }) => tool === 'reversible');
  if (done !== undefined) done.undone = false;
  expect(judge(one, result).why).toMatch(/stands, and is not said/);
});

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
