/** Sandboxes (semantics.md SB1 to SB8): drawn scenarios on the product, some of them with a death at each append, and each rule once by hand. */
import { expect, test } from 'vitest';
import { deaths, type Happens, type Scenario, scenarios } from './scenario.ts';
import { play } from './trial.ts';

const scenario = (kind: Scenario['class'], happens: readonly Happens[], more: Partial<Scenario> = {}): Scenario => ({
  ...{ class: kind, snapshot: false, cold: 2, happens, crash: null },
  ...more,
});

test('no drawn scenario leaves a sandbox, an edit or a claim that should not be (SB1 to SB7)', async () => {
  for (const each of scenarios().filter((_, nth) => nth % 23 === 5))
    expect((await play(each)).wrong, JSON.stringify(each)).toEqual([]);
});

test('a process dies at each append, and the sandbox is lost between (SB2, SB4)', async () => {
  const one = scenario('reversible', [{ is: 'gone', at: 42 }], { snapshot: true });
  const { appends, wrong } = await play(one);
  expect(wrong).toEqual([]);
  for (const death of deaths(one, appends))
    if (death.crash !== null && death.crash.append % 4 === 1)
      expect((await play(death)).wrong, JSON.stringify(death)).toEqual([]);
});

test('a start whose answer is lost is asked about, and one that was never made is made again under its key (SB2)', async () => {
  for (const is of ['lost', 'unstarted'] as const)
    expect(await play(scenario('reversible', [{ is }]))).toMatchObject({ wrong: [], status: 'done', rooms: 1 });
});

test('a cold start of 90 s is waited for; one that is never ready is destroyed, and another is made (SB3)', async () => {
  expect(await play(scenario('reversible', [], { cold: 90 }))).toMatchObject({ wrong: [], status: 'done', rooms: 1 });
  expect(await play(scenario('reversible', [{ is: 'never' }]))).toMatchObject({ wrong: [], status: 'done', rooms: 2 });
});

test('what was done in a sandbox that is gone is done again; what lies beyond it stands (SB4)', async () => {
  for (const kind of ['reversible', 'idempotent', 'compensable'] as const)
    expect(await play(scenario(kind, [{ is: 'gone', at: 80 }])), kind).toMatchObject({
      wrong: [],
      status: 'done',
      rooms: 2,
    });
  for (const kind of ['beyond', 'irreversible'] as const)
    expect(await play(scenario(kind, [{ is: 'gone', at: 80 }])), kind).toMatchObject({
      wrong: [],
      status: 'done',
      rooms: 1,
    });
});

test('a restore behind the first use makes no second sandbox (SB1)', async () => {
  expect(await play(scenario('reversible', [{ is: 'complain', at: 42 }]))).toMatchObject({ wrong: [], rooms: 1 });
});

test('a paused run stops its sandbox, and an abort undoes in it (SB5, SB6)', async () => {
  const paused = await play(scenario('reversible', [{ is: 'pause', at: 20 }]));
  expect(paused).toMatchObject({ wrong: [], status: 'done', rooms: 1 });
  const aborted = await play(
    scenario('reversible', [
      { is: 'pause', at: 20 },
      { is: 'abort', at: 90 },
    ]),
  );
  expect(aborted).toMatchObject({ wrong: [], status: 'compensated', rooms: 1 });
});
