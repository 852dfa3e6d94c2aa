/** Runs a share of the enumeration of small threads (`npm run prove threads`), and shows that its judge can tell a wrong ending. */
import { expect, test } from 'vitest';
import { caseNamed, complaintsAbout, nameOf, ofTwoTurns, SETTINGS } from './cases.ts';
import { runCase } from './drive.ts';
import { casesOf, drawing, enumerate, totalsText } from './enumerate.ts';
import { judge } from './judge.ts';

test('a share of all small threads keeps what was said, pays once and asks no model again, wherever a process dies (RC1 to RC4)', async () => {
  const three = await enumerate({ turns: 3, cases: 90, seed: 7 });
  expect(three.told, totalsText(three)).toEqual([]);
  expect(three.cases).toBe(90);
});

test('threads of two turns, a complaint about each turn while it is open and behind it, and deaths of a process that are drawn, end so, too', async () => {
  const draw = drawing(11);
  const all = [...ofTwoTurns()].flatMap((thread) =>
    SETTINGS.flatMap((setting) => complaintsAbout(thread).map((complaint) => ({ thread, setting, complaint }))),
  );
  expect(all.length).toBeGreaterThan(1_000);
  const counts = new Map<string, number>();
  for (let nth = 0; nth < 90; nth += 1) {
    const one = { ...(all[draw(all.length)] as (typeof all)[number]), dies: draw(3) === 0 ? null : draw(24) };
    const judged = judge(one, await runCase(one));
    expect(judged.why, JSON.stringify(one)).toBe('');
    counts.set(judged.is, (counts.get(judged.is) ?? 0) + 1);
  }
  expect([...counts.keys()].sort()).toEqual(['parked', 'refused', 'right']);
});

test('acts on turns and answers move what rests on them, or nothing, wherever a process dies (PA14, RC8, RC9)', async () => {
  const draw = drawing(5);
  const all = [...ofTwoTurns()].flatMap((thread) => [...casesOf(thread, { acts: true })]);
  const counts = new Map<string, number>();
  for (let nth = 0; nth < 40; nth += 1) {
    const one = { ...(all[draw(all.length)] as (typeof all)[number]), dies: draw(3) === 0 ? null : draw(24) };
    const judged = judge(one, await runCase(one));
    expect(judged.why, JSON.stringify(one)).toBe('');
    counts.set(judged.is, (counts.get(judged.is) ?? 0) + 1);
  }
  expect([...counts.keys()].sort()).toEqual(['refused', 'right']);
  const three = await enumerate({ turns: 3, cases: 15, seed: 3, acts: true });
  expect(three.told, totalsText(three)).toEqual([]);
});

test('the judge sees a payment that is made twice, and what was said being taken back', async () => {
  const node = { class: 'reversible', reads: false, asks: 'never' } as const;
  const one = { thread: { nodes: [node], turns: [0, 0] }, setting: 'stands', complaint: null, dies: null } as const;
  const result = await runCase(one);
  expect(judge(one, result).is).toBe('right');
  const [first] = result.world.acts;
  if (first === undefined) throw new Error('nothing was paid');
  result.world.acts.push({ ...first, answer: 'right n0 9' });
  expect(judge(one, result).why).toMatch(/stands 3 times for 2 turns/);
  result.world.acts.pop();
  first.undone = true;
  expect(judge(one, result).why).toMatch(/was said, and is undone/);
});

test('a case is found again by its name, also one of three turns', async () => {
  const names: string[] = [];
  await enumerate({ turns: 3, cases: 2, seed: 3, acts: true, onCase: (one) => void names.push(nameOf(one)) });
  const found: string[] = [];
  for (const only of names) await enumerate({ turns: 3, only, onCase: (one) => void found.push(nameOf(one)) });
  expect(found).toEqual(names);
  for (const thread of ofTwoTurns())
    for (const acts of [true, false])
      for (const one of casesOf(thread, { acts })) expect(caseNamed(nameOf(one))).toEqual(one);
  expect(() => caseNamed('none / 0 / stands')).toThrow(/no case is named/);
});
