/** OB7 and OB8: obligations beside other configs, forks and bases. */
import { expect, test } from 'vitest';
import { ledgersOf, memoryStore } from '../../src/index.ts';
import { SPACING } from '../../src/sidecar/opening/options.ts';
import { DrivenClock } from '../../src/testing/driven-clock.ts';
import { workClient } from '../../src/workers/index.ts';
import { migrate } from '../../src/xstate/attach.ts';
import { resume, type Sidecar, tool } from '../../src/xstate/index.ts';
import { value } from '../semantics/dying.ts';
import { machineOf } from '../semantics/little.ts';
import { loaded } from './loaded.ts';

import { begun, config, Desk, entries, findings, next, owedNow, passes, rows, send } from './owing-desk.ts';

test('OB7: a person is asked at once where no tool of the config keeps what is owed any more', () =>
  new DrivenClock().during(async () => {
    const [desk, store] = [new Desk(), memoryStore()];
    let run = await begun(desk, store);
    await send(run, { type: 'REPLY', promises: [{ cents: 5 }] });
    const without = loaded(`belay: 1
agent: m
tools:
  reply: { reads: [], writes: [told], effect: irreversible }
skeletons: {}
`);
    run = await next(run, desk, store, without, { adopt: true });
    expect((await findings(store)).filter((code) => code === 'no_keeper')).toHaveLength(1);
    run = await next(run, desk, store, without, { adopt: true });
    expect((await findings(store)).filter((code) => code === 'no_keeper')).toHaveLength(1);
    expect(ledgersOf(await rows(store), Date.now()).obligations).toMatchObject([
      { owes: 'act', unkept: expect.stringContaining('refund') },
    ]);
    run = await next(run, desk, store, config(), { adopt: true });
    expect(ledgersOf(await rows(store), Date.now()).obligations).toMatchObject([{ owes: 'act', unkept: null }]);
    await run.close();
  }));

test('OB7: a person is asked in the commit that moves a run to a machine which has no such tool', () =>
  new DrivenClock().during(async () => {
    const [desk, store] = [new Desk(), memoryStore()];
    const run = await begun(desk, store);
    await send(run, { type: 'REPLY', promises: [{ cents: 5 }] });
    await run.close();
    // What is parked at rest goes the same way in a machine whose states are fewer.
    const { refund: _, ...states } = desk.machine.config.states as Record<string, object>;
    const [rest, ...others] = [states['rest'] as { on: object }, { initial: 'rest' }];
    const { REFUND: __, ...on } = rest.on as Record<string, object>;
    const less = machineOf({ reply: tool(() => Promise.resolve()) }, {
      ...desk.machine.config,
      ...others[0],
      states: { ...states, rest: { ...rest, on } },
    } as never);
    await migrate(less, { ...desk.options(store), journal: store } as never, { by: 'ann' } as never);
    const all = await entries(store);
    expect(all.slice(-3)).toMatchObject([
      { do: 'migrated' },
      { do: 'obligation', is: 'unkept', why: expect.stringContaining('no actor refund') },
      { do: 'finding', code: 'no_keeper' },
    ]);
  }));

test('a base holds what is owed, and what was said of it', () =>
  new DrivenClock().during(async () => {
    const [desk, store] = [new Desk(), memoryStore()];
    const more = { [SPACING]: { rows: 2, times: 0, newest: 2 } };
    let run = await begun(desk, store, config(), more);
    await send(run, { type: 'REPLY', promises: [{ cents: 5 }, { cents: 7 }] });
    await send(run, { type: 'REFUND', cents: 6 });
    const before = ledgersOf(await rows(store), Date.now()).obligations;
    expect(before).toMatchObject([{ owes: 'act', says: { cents: 7 } }]);
    run = await next(run, desk, store, config(), more);
    await send(run, { type: 'REFUND', cents: 7 });
    await send(run, { type: 'END' });
    await expect(run.finished()).resolves.toMatchObject({ status: 'done' });
    expect(value(run)).toBe('end');
    await run.close();
  }));

test('OB8: a fork owes nothing of what its parent has said', () =>
  new DrivenClock().during(async () => {
    const [desk, store] = [new Desk(), memoryStore()];
    const run = await begun(desk, store);
    await send(run, { type: 'REPLY', promises: [{ cents: 5 }] });
    await run.close();
    await workClient(store).fork('r', { as: 'child', by: 'ann' });
    const child = (await resume(desk.machine, { ...desk.options(store), run: 'child' } as never)) as unknown as Sidecar;
    child.actor.start();
    await passes(500);
    await send(child, { type: 'END' });
    await expect(child.finished()).resolves.toMatchObject({ status: 'done' });
    await child.close();
    expect(await owedNow(store)).toHaveLength(1);
  }));
