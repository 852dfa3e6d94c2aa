/** JU1 to JU6, each once: what a judge is asked, what its verdict does, and what waits for it. */
import { describe, expect, test } from 'vitest';
import { assign } from 'xstate';
import { type JournalStore, memoryStore } from '../../src/index.ts';
import { attach, resume, type Sidecar } from '../../src/xstate/index.ts';
import { calm, until } from '../poll.ts';
import { value } from '../semantics/dying.ts';
import { type Answering, judgedConfig, Office } from './judged-agent.ts';
import { entries, findings } from './owing-desk.ts';

const ADA = { by: 'ada' };
const is = (sidecar: Sidecar, ...words: readonly string[]) =>
  until(
    () => words.includes(sidecar.status) || words.includes(String(value(sidecar))),
    () => `${String(value(sidecar))}, ${sidecar.status}`,
  );
const asked = async (sidecar: Sidecar) => {
  await until(
    () => sidecar.requests().length === 1,
    () => `${String(value(sidecar))}, ${sidecar.status}`,
  );
  return sidecar.requests()[0] as ReturnType<Sidecar['requests']>[number];
};
const verdicts = async (store: JournalStore) =>
  (await entries(store)).flatMap((entry) => (entry.do === 'judged' ? [`${entry.is} by ${entry.by ?? 'judge'}`] : []));

const ends = async (store: JournalStore) =>
  (await entries(store)).flatMap((entry) => (entry.do === 'end' ? [entry.status] : []));

async function begun(answers: Answering, judge = '', store = memoryStore()) {
  const office = new Office(answers);
  const options = { run: 'r', config: judgedConfig(judge), journal: store, undo: office.undo };
  const run = (await attach(office.machine(), options as never)) as unknown as Sidecar;
  run.actor.start();
  return { office, run, store, options };
}

describe('a judge', () => {
  test('JU1, JU2: is asked what is promised and what is held back, and nothing leaves before its yes', async () => {
    let free = () => {};
    const { office, run, store } = await begun(
      () =>
        new Promise((resolve) => {
          free = () => resolve({ ok: true });
        }),
    );
    await until(() => office.asked.length === 1);
    expect(office.asked).toEqual([
      {
        unit: 'WRITE',
        entity: 'it',
        outputs: { draft: 'draft0' },
        calls: [{ tool: 'mail', args: { text: 'draft0' } }],
      },
    ]);
    expect([office.told, office.mailed, run.status]).toEqual([[], [], 'running']);
    free();
    await is(run, 'done');
    expect([office.told, office.mailed]).toEqual([['draft0'], ['draft0']]);
    expect(await verdicts(store)).toEqual(['accepted by judge']);
    await run.close();
  });

  test('JU1: a machine that is over in its first step ends behind its verdict', async () => {
    let free = () => {};
    const office = new Office(
      () =>
        new Promise((resolve) => {
          free = () => resolve({ ok: true });
        }),
    );
    const always = (target: string) => ({ always: { target, actions: assign({ draft: 'draft0' } as never) } });
    const machine = office.machine('draft', { draft: always('mail'), mail: always('tell'), tell: { type: 'final' } });
    const store = memoryStore();
    const options = { run: 'r', config: judgedConfig(), journal: store, undo: office.undo };
    const run = (await attach(machine, options as never)) as unknown as Sidecar;
    run.actor.start();
    await until(() => office.asked.length === 1);
    await calm(8);
    expect(await ends(store)).toEqual([]);
    free();
    expect((await run.finished()).status).toBe('done');
    const told = (await entries(store)).map((entry) => entry.do);
    expect(told.filter((kind) => ['judging', 'judged', 'end'].includes(kind))).toEqual(['judging', 'judged', 'end']);
    await run.close();
  });

  test('JU3, JU4: a sure no has the work found wrong, and the next version is another question', async () => {
    const { office, run, store } = await begun(({ outputs }) => ({ ok: outputs.draft !== 'draft0', why: 'thin' }));
    await is(run, 'done');
    expect(office.asked.map(({ outputs }) => outputs.draft)).toEqual(['draft0', 'draft1']);
    expect([office.told, office.mailed]).toEqual([['draft1'], ['draft1']]);
    expect(await verdicts(store)).toEqual(['rejected by judge', 'accepted by judge']);
    await run.close();
  });

  test('JU2: a version that is met again keeps its verdict, and the tries bound it', async () => {
    const { office, run } = await begun(() => ({ ok: false, why: 'thin' }));
    office.isSame = true;
    await is(run, 'parked');
    expect(office.asked).toHaveLength(1);
    expect([office.told, office.mailed]).toEqual([[], []]);
    await run.close();
  });

  test('JU3: an answer that is not sure waits for a person, whose yes stands', async () => {
    const { office, run, store } = await begun(() => ({ ok: false, sure: false, why: 'thin' }));
    const { gate, asks, reason, args } = await asked(run);
    expect([asks, args]).toMatchObject(['review', { outputs: { draft: 'draft0' } }]);
    expect(reason).toBe(
      'grade says no, and is not sure: thin: approve it and told of WRITE::it::0 stands, deny it and it is rejected',
    );
    expect(run.waitsFor).toMatchObject([{ for: 'verdict' }]);
    expect([office.told, office.mailed]).toEqual([[], []]);
    await run.answer(gate, 'approved', ADA);
    await is(run, 'done');
    expect(office.mailed).toEqual(['draft0']);
    expect(await verdicts(store)).toEqual(['weak by judge', 'accepted by ada']);
    await run.close();
  });

  test('JU3: the no of a person rejects', async () => {
    const { office, run, store } = await begun(({ outputs }) => ({ ok: true, sure: outputs.draft !== 'draft0' }));
    await run.answer((await asked(run)).gate, 'denied', { ...ADA, why: 'not this' });
    await is(run, 'done');
    expect(office.mailed).toEqual(['draft1']);
    expect(await verdicts(store)).toEqual(['weak by judge', 'rejected by ada', 'accepted by judge']);
    await run.close();
  });

  test('JU3: what is not sure is rejected where the config says so', async () => {
    const { office, run } = await begun(
      ({ outputs }) => ({ ok: true, sure: outputs.draft !== 'draft0' }),
      'weak: reject',
    );
    await is(run, 'done');
    expect(office.mailed).toEqual(['draft1']);
    await run.close();
  });

  test('JU4: a rejection that aborts undoes what the run did, and says who', async () => {
    const { office, run } = await begun(() => ({ ok: false, why: 'thin' }), 'reject: abort');
    expect(await run.finished()).toMatchObject({ status: 'compensated', by: 'grade' });
    expect([office.mailed, office.told]).toEqual([[], []]);
    await run.close();
  });

  test('JU4: a judge that names a key has that found wrong, and a name that is none means all of it', async () => {
    const { office, run, store } = await begun(({ outputs }) => ({ ok: outputs.draft !== 'draft0', found: 'nothing' }));
    await is(run, 'done');
    expect(office.mailed).toEqual(['draft1']);
    expect(await findings(store)).toContain('judge_found_unknown');
    await run.close();
  });

  test.each([
    ['throws', () => Promise.reject(new Error('x'.repeat(1_000_000)))],
    ['answers garbage', () => ({ ok: 'yes' })],
    ['answers nothing', () => undefined],
    ['does not come back', () => new Promise(() => {})],
    ['answers hostile text', () => ({ ok: true, sure: false, why: `\u202E<script>\ud800${'x'.repeat(1_000_000)}` })],
  ])('JU3, JU5: a judge that %s is no yes: a person is asked, in few words', async (_, answers) => {
    const { office, run } = await begun(answers as Answering);
    const { gate, reason } = await asked(run);
    expect(reason.length).toBeLessThan(1_300);
    expect(reason.isWellFormed()).toBe(true);
    expect([office.told, office.mailed]).toEqual([[], []]);
    await run.answer(gate, 'approved', ADA);
    await is(run, 'done');
    await run.close();
  });

  test('JU2: a verdict is kept over a restart, and a review waits on in the next process', async () => {
    const { office, run, store, options } = await begun(() => ({ ok: true, sure: false }));
    const { gate } = await asked(run);
    await run.close();
    const next = (await resume(office.machine(), options as never)) as unknown as Sidecar;
    next.actor.start();
    expect((await asked(next)).gate).toBe(gate);
    await next.answer(gate, 'approved', ADA);
    await is(next, 'done');
    expect(office.asked).toHaveLength(1);
    expect(await verdicts(store)).toEqual(['weak by judge', 'accepted by ada']);
    await next.close();
  });

  test('JU3: a review takes no change of arguments', async () => {
    const { run } = await begun(() => ({ ok: true, sure: false }));
    const { gate } = await asked(run);
    const said = run.answer(gate, 'approved', { ...ADA, with: { draft: 'x' } } as never);
    expect(await said).toBe('a review changes nothing of the work');
    await run.close();
  });
});
