/** Runs a fixed share of the exhaustive check, spread over all shapes, and shows that its judge can tell a wrong ending. */
import { expect, test } from 'vitest';
import { machines } from './assignments.ts';
import { benchOf, runCase } from './driver.ts';
import { enumerate } from './enumerate.ts';
import { casesOf, type EnumeratedCase } from './failures.ts';
import { judge } from './judge.ts';
import { isWithin, legalEndings, memoryText } from './legal.ts';
import { callText, type LittleMachine } from './little-machine.ts';
import { reportText } from './report.ts';
import { SHAPES } from './shapes.ts';

const HONEST = { reconciles: true, lies: false };

function machineOf(text: string): LittleMachine {
  const found = [...machines()].find((machine) => machine.text === text);
  if (found === undefined) throw new Error(`no machine is "${text}"`);
  return found;
}

function caseOf(machine: LittleMachine, kind: EnumeratedCase['kind'], call: string, heard: string): EnumeratedCase {
  const found = [...casesOf(machine)].find(
    (one) => one.kind === kind && callText(one.call) === call && one.heard.join(' ') === heard,
  );
  if (found === undefined) throw new Error(`${machine.text} has no such case`);
  return found;
}

test('a share of all failures ends as if nothing had failed, or parked without harm', async () => {
  const result = await enumerate({ ...HONEST, machines: machines(), shares: [{ number: 0, of: 300 }] });
  const text = reportText(result, 5);
  const shapes = Object.values(SHAPES).flat();
  expect(
    shapes.filter((shape) => result.shapes[shape]?.cases === 0),
    text,
  ).toEqual([]);
  expect(result.totals.unsafe, text).toBe(0);
  expect(result.totals.hang, text).toBe(0);
  expect(result.totals.same / result.totals.cases, text).toBeGreaterThanOrEqual(2 / 3);
});

test('a run in which nothing goes wrong ends legally in every shape', async () => {
  const seen = new Set<string>();
  for (const machine of machines()) {
    const name = `${machine.shape} ${machine.passes}`;
    if (seen.has(name) || machine.tools.some((tool) => tool.class !== 'irreversible')) continue;
    seen.add(name);
    const [first] = [...casesOf(machine)].filter(({ kind }) => kind === 'throws before acting');
    if (first === undefined) continue;
    // Nothing fails: the driver is told to hear everything, and of a failure that is none.
    const bench = benchOf(machine, HONEST);
    const { memory, world } = await runCase({ ...first, heard: [], kind: 'nothing' }, bench);
    const legal = legalEndings(machine).filter((ending) => ending.memory === memoryText(memory));
    expect(
      legal.some(({ acts }) => isWithin(world.standing(), acts) && isWithin(acts, world.standing())),
      name,
    ).toBe(true);
  }
});

test('the judge sees a payment that is made twice under a config that calls it harmless', async () => {
  const machine = machineOf('n0; n1; n2 | n0:none() n1:irreversible(k0) n2:none()');
  const one = caseOf(machine, 'wrong key', 'n0', 'n0 n1');
  const run = await runCase(one, benchOf(machine, { reconciles: true, lies: true }));
  expect(judge(one, run, legalEndings(machine), true)).toMatchObject({ is: 'unsafe' });
});
