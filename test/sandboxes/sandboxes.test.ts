/** Sandboxes (semantics.md SB1 to SB8): drawn scenarios on the product, some of them with a death at each append, and each rule once by hand. */
import { expect, test } from 'vitest';
import { besides, deaths, type Happens, type Scenario, scenarios, small } from './scenario.ts';
import { play } from './trial.ts';

const scenario = (kind: Scenario['class'], happens: readonly Happens[], more: Partial<Scenario> = {}): Scenario => ({
  ...{ class: kind, snapshot: false, cold: 2, happens, crash: null },
  ...more,
});

test('no drawn scenario leaves a sandbox, an edit or a claim that should not be (SB1 to SB7)', async () => {
  for (const each of scenarios().filter((_, nth) => nth % 151 === 5))
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

test('a sandbox that was started again in place is the same one: what it held before is known when it is lost (SB1)', async () => {
  const happens = [
    { is: 'pause', at: 20 },
    { is: 'gone', at: 110 },
  ] as const;
  expect(await play(scenario('reversible', happens))).toMatchObject({ wrong: [], status: 'done', rooms: 2 });
});

test('what is gone with a sandbox is not undone in another one (SB6)', async () => {
  const happens = [
    { is: 'gone', at: 20 },
    { is: 'abort', at: 21 },
  ] as const;
  expect(await play(scenario('reversible', happens))).toMatchObject({ wrong: [], status: 'compensated' });
});

test('a run that dies over its end keeps its sandbox, also after the grace (SB7)', async () => {
  const one = scenario('reversible', [{ is: 'nothing' }]);
  const { appends } = await play(one);
  for (const back of [0, 1, 2])
    for (const when of ['before', 'after', 'lost'] as const) {
      const death = { ...one, crash: { append: appends - back, when } };
      expect(await play(death), JSON.stringify(death)).toMatchObject({ wrong: [], status: 'done', rooms: 1 });
    }
});

test('a provider that does not answer parks the run, and an abort then starts the sandbox that it undoes in (SB2, SB6)', async () => {
  const dark = { is: 'dark', at: 36 } as const;
  expect(await play(scenario('reversible', [dark]))).toMatchObject({ wrong: [], status: 'done', rooms: 1 });
  const aborted = await play(scenario('reversible', [dark, { is: 'abort', at: 126 }]));
  expect(aborted).toMatchObject({ wrong: [], status: 'compensated', rooms: 1 });
});

test('a run that is given back while its sandbox starts leaves none that runs (SB5)', async () => {
  for (const is of ['reopen', 'drain', 'release'] as const)
    expect(await play(scenario('reversible', [{ is, at: 1 }], { cold: 90 })), is).toMatchObject({
      ...{ wrong: [], status: 'done', rooms: 1 },
    });
});

test('a run that dies in a pause is found with its sandbox stopped (SB5)', async () => {
  const one = scenario('reversible', [{ is: 'pause', at: 42 }]);
  for (const append of [12, 13, 14, 15])
    for (const when of ['after', 'lost'] as const)
      expect(await play({ ...one, crash: { append, when } }), `${append} ${when}`).toMatchObject({
        ...{ wrong: [], status: 'done', rooms: 1 },
      });
});

test('two runs of one store have a sandbox each, and neither loses it with the other (SB1, SB7)', async () => {
  for (const each of besides().filter((_, nth) => nth % 5 === 1))
    expect((await play(each)).wrong, JSON.stringify(each)).toEqual([]);
});

test('a death at some appends of the small family is no other ending (SB2 to SB7)', async () => {
  for (const [nth, each] of small().entries()) {
    const { appends, wrong } = await play(each);
    expect(wrong, JSON.stringify(each)).toEqual([]);
    for (const death of [...deaths(each, appends)].filter((_, at) => at % 113 === nth % 113))
      expect((await play(death)).wrong, JSON.stringify(death)).toEqual([]);
  }
});
