/** A recording of a model-driven domain, made from a planner that has a price, and what it comes to. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readCases } from '../../audit/case.ts';
import { record } from '../../audit/record.ts';
import { type Planner, PlannerError } from '../../domains/planner/planner.ts';
import { scripted } from '../../domains/schedule-form/planner.ts';
import { scratchFolder } from '../scratch.ts';

const folder = scratchFolder('record');
const given = readCases().filter(({ name }) => name === 'query-timeout');
const cost = { prompt: 10, completion: 2, milliseconds: 1 };

/** The script, at a price. */
function priced(): { planner: Planner; asked: () => number } {
  let times = 0;
  const planner: Planner = {
    answer: scripted.answer,
    async priced(...question) {
      times += 1;
      return { answer: await scripted.answer(...question), cost };
    },
  };
  return { planner, asked: () => times };
}

test('has each request once with its answer and its cost, and a second recording asks nothing', async () => {
  const file = join(folder, 'form.json');
  const { planner, asked } = priced();
  const made = await record(file, planner, given);
  expect(made).toMatchObject({ runs: 2, unfinished: 0, answers: asked() });
  expect(made.answers).toBeGreaterThan(3);
  expect([made.prompt, made.completion, made.milliseconds]).toEqual([10, 2, 1].map((each) => each * asked()));
  const held: { request: string; cost: unknown }[] = JSON.parse(readFileSync(file, 'utf8'));
  expect(new Set(held.map(({ request }) => request)).size).toBe(held.length);
  for (const each of held) expect(each.cost).toEqual(cost);
  const again = priced();
  expect(await record(file, again.planner, given)).toEqual(made);
  expect(again.asked()).toBe(0);
});

test('keeps what came before an endpoint gave up, and counts the runs that did not end', async () => {
  const file = join(folder, 'broken.json');
  const { planner, asked } = priced();
  const broken: Planner = {
    answer: planner.answer,
    async priced(...question) {
      if (asked() >= 2) throw new PlannerError('unreachable', 'gone');
      if (planner.priced === undefined) throw new PlannerError('not_set', 'no price');
      return planner.priced(...question);
    },
  };
  const made = await record(file, broken, given);
  expect(made).toMatchObject({ runs: 2, answers: 2 });
  expect(made.unfinished).toBeGreaterThan(0);
});
