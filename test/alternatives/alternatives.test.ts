/** Alternatives by hand: AL1 to AL10, one small agent each. */

import { expect, test } from 'vitest';
import { sendParent } from 'xstate';
import { lintConfig } from '../../src/boundaries/lint/lint.ts';
import { loadConfig, memoryStore } from '../../src/index.ts';
import { entriesOf } from '../../src/journal/entries.ts';
import { choicesOf } from '../../src/reports/choices.ts';
import { timelineOf } from '../../src/reports/timeline.ts';
import { attach, resume } from '../../src/xstate/index.ts';
import { machineShape } from '../../src/xstate/shape.ts';
import { until } from '../poll.ts';
import { VirtualTime } from '../virtual-time.ts';
import { agentOf, run, type Seen } from './agent.ts';
import { play } from './trial.ts';

const LOOK = '  look: { reads: [], writes: [], effect: none }';
const BOOK = "  book: { reads: [], writes: ['seat:{args.branch}'], effect: compensable, undo: un, reconcile: find }";
const MAIL = '  mail: { reads: [], writes: [], effect: irreversible, reconcile: find }';
const PAY = '  pay: { reads: [], writes: [], effect: idempotent, reconcile: find }';
const ALL = [LOOK, BOOK, MAIL, PAY].join('\n');
const FIRST = 'rule: first';

const choicesIn = (rows: Iterable<unknown>) => choicesOf(timelineOf(rows as never).runState);

test('AL1: nothing leaves a branch but its output: its events and its end are not received', async () => {
  const entry = [sendParent({ type: 'NEWS' })];
  const { context, findings, ending } = await run({
    branches: { rome: ['look'], oslo: ['wait'] },
    tools: ALL,
    choose: FIRST,
    entry,
  });
  expect(ending.status).toBe('done');
  expect(context).toEqual({ won: 'rome', out: { outs: ['look rome'] }, heard: [] });
  expect(findings.filter((code) => code === 'branch_event_dropped').length).toBe(2);
});

test('AL1: the choice is no event that anyone can send', async () => {
  const { context, findings } = await run(
    { branches: { rome: ['wait'], oslo: ['look'] }, tools: ALL, choose: FIRST },
    async ({ actor }) => actor.send({ type: '@belay.chosen', branch: 'rome' } as never),
  );
  expect(context.won).toBe('oslo');
  expect(findings).toContain('choice_refused');
});

test('AL2: an act that nothing undoes waits for the choice: the winner makes it, and a loser never does', async () => {
  const branches = { rome: ['mail', 'pay', 'look'], oslo: ['mail', 'pay', 'wait'] };
  const { context, seen } = await run({ branches, tools: ALL, choose: FIRST });
  expect(context.out).toEqual({ outs: [undefined, undefined, 'look rome'] });
  expect(seen.map(({ tool, branch }) => `${tool} ${branch}`)).toEqual(['look rome', 'mail rome', 'pay rome']);
});

test('AL2: a tool that is not declared is held as well', async () => {
  const { seen } = await run({
    branches: { rome: ['mail', 'look'], oslo: ['mail', 'wait'] },
    tools: LOOK,
    choose: FIRST,
  });
  expect(seen.map(({ tool, branch }) => `${tool} ${branch}`)).toEqual(['look rome', 'mail rome']);
});

test('AL3: the second branch that touches what another has written fails, and its call does not leave', async () => {
  const shared = BOOK.replace('{args.branch}', 'one');
  const { context, seen, runOf } = await run({
    branches: { rome: ['book'], oslo: ['book'] },
    tools: shared,
    choose: 'rule: best, score: "1"',
  });
  expect(context.won).toBe('rome');
  expect(seen.map(({ branch }) => branch)).toEqual(['rome']);
  const [choice] = choicesIn(runOf());
  expect(choice?.candidates[1]).toMatchObject({
    branch: 'oslo',
    is: 'failed',
    why: expect.stringContaining('another branch has written'),
  });
});

test('AL3: branches that name themselves in the key do not meet, and each call has a key of its own', async () => {
  const { seen, undone } = await run({
    branches: { rome: ['book'], oslo: ['book'] },
    tools: ALL,
    choose: 'rule: best, score: "entity == \'oslo\' ? 2 : 1"',
  });
  expect(new Set(seen.map(({ key }) => key)).size).toBe(2);
  expect(undone).toEqual(['book']);
});

test('AL4: best waits for every branch, and a condition refuses some', async () => {
  const act = ({ branch }: Seen) => ({ rome: 300, oslo: 90, bonn: 120 })[branch];
  const branches = { rome: ['look'], oslo: ['look'], bonn: ['look'] };
  const score = 'score: "-int(event.output.outs[0])"';
  const best = await run({ branches, tools: ALL, act, choose: `rule: best, ${score}` });
  expect(best.context.won).toBe('oslo');
  const some = await run({ branches, tools: ALL, act, choose: `rule: best, ${score}, when: "entity != 'oslo'"` });
  expect(some.context.won).toBe('bonn');
  expect(choicesIn(some.runOf())).toEqual([
    {
      ...{ alternatives: 'Trip', by: 'best', winner: 'bonn' },
      candidates: [
        { branch: 'rome', is: 'lost', score: -300, calls: [] },
        { branch: 'oslo', is: 'refused', why: 'its condition does not hold', calls: [] },
        { branch: 'bonn', is: 'won', score: -120, calls: [] },
      ],
    },
  ]);
  const none = await run({
    branches,
    tools: ALL,
    act,
    choose: `rule: best, ${score}, when: "event.output.outs[0] > 900"`,
  });
  expect(none.context.won).toBe(null);
});

test('AL4: at the deadline the choice is made among the branches that are over', async () => {
  const choose = 'rule: best, score: "1", deadline: 40ms';
  const { context, runOf } = await run({ branches: { rome: ['look'], oslo: ['wait'] }, tools: ALL, choose });
  expect(context.won).toBe('rome');
  expect(choicesIn(runOf())[0]?.by).toBe('deadline');
  const none = await run({ branches: { rome: ['wait'], oslo: ['wait'] }, tools: ALL, choose });
  expect(none.context.won).toBe(null);
});

test('AL4: a branch of which a call is under way is not chosen before it has come back', async () => {
  const of = {
    rule: 'best',
    losers: 'owe',
    branches: [['compensable'], ['compensable']],
    word: null,
    person: 'helps',
  } as const;
  const lost = await play({ ...of, fault: { is: 'lost', branch: 1 }, crash: null });
  expect(lost.context.won).toBe('b1');
  const mute = await play({ ...of, fault: { is: 'mute', branch: 1 }, crash: null });
  expect(mute.context.won).toBe('b0');
  expect([...mute.world.acts.values()].filter(({ branch, isThere }) => branch === 'b1' && isThere)).toEqual([]);
});

test('AL4: a branch that has left a call under way waits for its outcome', async () => {
  const act = ({ tool }: Seen) => (tool === 'book' ? new Promise((resolve) => setTimeout(resolve, 40, 'late')) : tool);
  const branches = { rome: ['left'], oslo: ['wait'] };
  const { context, runOf } = await run({ branches, tools: ALL, choose: FIRST, act });
  expect(context.won).toBe('rome');
  const entries = [...entriesOf(runOf() as never)].map(({ entry }) => entry);
  const outcome = entries.findIndex((entry) => entry.do === 'outcome' && entry.status === 'confirmed');
  expect(outcome).toBeGreaterThan(0);
  expect(outcome).toBeLessThan(entries.findIndex((entry) => entry.do === 'choice'));
});

test('AL5: the choice is one entry whatever the number of branches, in one commit with the step that receives it', async () => {
  const names = ['a', 'b', 'c', 'd', 'e', 'f'];
  const branches = Object.fromEntries(names.map((name) => [name, ['book']]));
  const { runOf } = await run({ branches, tools: ALL, choose: 'rule: best, score: "1"' });
  const all = [...runOf()] as { kind: number; body: string }[];
  const rows = all.filter(({ kind }) => kind > 0);
  const at = rows.findIndex(({ kind }) => kind === 49);
  expect(rows.filter(({ kind }) => kind === 49).length).toBe(1);
  expect(rows[at + 1]?.kind).toBe(3);
  expect(choicesIn(all)[0]?.candidates.map(({ is, calls }) => [is, calls.map((call) => call.is)])).toEqual([
    ['won', []],
    ...names.slice(1).map(() => ['lost', ['undone']]),
  ]);
});

test('AL5: a choice that the machine threw on is handed on to it by the next process, and is not made anew', async () => {
  const given = { branches: { rome: ['look'], oslo: ['wait'] }, tools: ALL, choose: FIRST };
  const chosen = () => {
    throw new Error('a mistake');
  };
  const journal = memoryStore();
  const first = await new VirtualTime().during(async () => {
    const { machine, config } = agentOf({ ...given, chosen });
    const sidecar = await attach(machine, { run: 'r', config, journal, keepAlive: false, version: '1' });
    sidecar.actor.start();
    const ending = await sidecar.finished();
    await sidecar.close();
    return ending;
  });
  expect(first.status).toBe('parked');
  const context = await new VirtualTime().during(async () => {
    const { machine, config } = agentOf(given);
    const sidecar = await resume(machine, { run: 'r', config, journal, keepAlive: false, version: '2' });
    sidecar.actor.start();
    expect((await sidecar.finished()).status).toBe('done');
    return sidecar.actor.getSnapshot().context;
  });
  expect(context).toMatchObject({ won: 'rome', out: { outs: ['look rome'] } });
  expect(choicesIn(journal.read('r')).length).toBe(1);
});

test('AL6: approvals of losers are void, and what they did is undone once', async () => {
  const gated = BOOK.replace('undo: un', 'undo: un, gate: true');
  const { ending, undone, sidecar, seen } = await run(
    {
      branches: { rome: ['look'], oslo: ['book', 'wait'], bonn: ['wait'] },
      tools: [LOOK, gated].join('\n'),
      choose: 'rule: best, score: "1", deadline: 60ms',
    },
    (own) =>
      until(
        () => own.gates().length > 0,
        () => 'the gate',
        5_000,
      ),
  );
  expect(ending.status).toBe('done');
  expect([undone, seen.map(({ tool }) => tool)]).toEqual([[], ['look']]);
  expect(sidecar.gates()).toEqual([]);
});

test('AL6: leaving the state without a choice undoes all branches', async () => {
  const { undone, runOf } = await run(
    { branches: { rome: ['book', 'wait'], oslo: ['book', 'wait'] }, tools: ALL, choose: FIRST },
    async (own) => {
      const stateOf = () => {
        const { children } = own.actor.getSnapshot() as { children: { oslo?: { getSnapshot(): { value: string } } } };
        return children.oslo?.getSnapshot().value;
      };
      await until(
        () => stateOf() === 'wait1',
        () => 'oslo',
      );
      own.actor.send({ type: 'LEAVE' } as never);
    },
  );
  expect(undone).toEqual(['book', 'book']);
  expect(choicesIn(runOf())[0]).toMatchObject({ by: 'left', winner: null });
});

test('AL7: an undo that fails is owed: the run is stuck, nothing of the winner leaves, and a person lets it stand', async () => {
  const given = {
    ...{
      branches: { rome: ['mail', 'look'], oslo: ['book', 'wait'] },
      tools: ALL,
      choose: 'rule: best, score: "1", deadline: 80ms',
    },
    undo: () => {
      throw new Error('503');
    },
  };
  const { ending, seen, sidecar, runOf } = await run(given);
  expect(ending).toMatchObject({ status: 'stuck', error: '503' });
  expect(seen.map(({ tool }) => tool)).not.toContain('mail');
  const [oslo] = choicesIn(runOf())[0]?.candidates.flatMap(({ calls }) => calls) ?? [];
  expect(oslo).toMatchObject({ tool: 'book', is: 'owed', why: '503' });
  await sidecar.stand(oslo?.key as string, { by: 'ada', why: 'the seat is ours' });
  expect(await sidecar.finished()).toMatchObject({ status: 'done', standing: [oslo?.key] });
  expect(seen.map(({ tool }) => tool)).toContain('mail');
});

test('AL7: where the config lets it stand, it is named and the run goes on', async () => {
  const given = {
    ...{
      branches: { rome: ['look'], oslo: ['book', 'wait'] },
      tools: ALL,
      choose: 'rule: best, score: "1", deadline: 80ms',
      losers: 'stand',
    },
    undo: () => {
      throw new Error('503');
    },
  };
  const { ending, runOf } = await run(given);
  expect(ending).toMatchObject({ status: 'done', standing: [expect.any(String)] });
  expect(choicesIn(runOf())[0]?.candidates[1]?.calls).toMatchObject([{ is: 'stands', why: '503' }]);
});

const PAGE = (at: string, skeletons = '{}', choose = 'rule: first') => `
belay: 1
agent: travel
tools:
${ALL}
alternatives:
  Trip: { at: ${at}, branch: trip, choose: { ${choose} } }
skeletons: ${skeletons}
`;

test.each([
  ['a state of a branch', PAGE('trip/at0')],
  ['best without a score', PAGE('trying', '{}', 'rule: best')],
  ['a unit in a branch', PAGE('trying', '{ U: { entity: \'"u"\', states: [trip/at0], entry: [trip/at0] } }')],
  ['a unit around the branches', PAGE('trying', '{ U: { entity: \'"u"\', states: [trying], entry: [trying] } }')],
])('AL8: branches have no branches and no units: the config is refused for %s', (_, page) => {
  const { config, findings } = loadConfig(page, { file: 'travel.yaml' });
  expect(config).toBe(null);
  expect(findings.map(({ code }) => code)).toEqual(['bad_alternatives']);
});

test('AL8: a machine that cannot take the choice is refused, and so are calls that no branch may make', async () => {
  const given = { branches: { rome: ['look'], oslo: ['look'] }, tools: ALL, choose: FIRST };
  const { machine } = agentOf(given);
  const codes = (page: string) => {
    const { config, document } = loadConfig(page, { file: 'travel.yaml' });
    return config === null ? ['refused'] : lintConfig(config, document, machineShape(machine)).map(({ code }) => code);
  };
  expect(codes(PAGE('over'))).toContain('alternatives_unfit');
  const own = PAGE('trying');
  expect(codes(own.replace('undo: un, ', ''))).toContain('branch_undo_missing');
  expect(codes(own.replace('effect: irreversible,', 'effect: irreversible, gate: true,'))).toContain(
    'branch_call_refused',
  );
  expect(codes(own.replace('effect: irreversible,', 'effect: irreversible, once: [args.branch],'))).toContain(
    'branch_call_refused',
  );
  expect(codes(own.replace("writes: ['seat:{args.branch}']", "writes: ['seat:one']"))).toContain('branches_meet');
  expect(
    codes(
      own
        .replace(MAIL, MAIL.replace('writes: []', 'writes: [x]'))
        .replace(LOOK, LOOK.replace('reads: []', 'reads: [x]')),
    ),
  ).toContain('held_output_read');
  const { config } = loadConfig(PAGE('over'), { file: 'travel.yaml' });
  await expect(attach(machine, { run: 'r', config } as never)).rejects.toMatchObject({ code: 'alternatives_refused' });
});

test('AL9: a complaint whose answer would take the choice back is refused with the choice as its witness', async () => {
  const of = {
    rule: 'first',
    losers: 'owe',
    branches: [['compensable'], ['compensable']],
    fault: null,
    crash: null,
  } as const;
  const whole = await play({ ...of, word: null, person: 'helps' });
  const course = await play({ ...of, word: { is: 'complaint', append: whole.appends - 3 }, person: 'never' });
  expect(course.waited).toEqual(['parked choice_stands']);
  expect([...course.world.acts.values()].map(({ tool, undone }) => [tool, undone])).toEqual([
    ['pre', 0],
    ['compensable', 0],
    ['compensable', 1],
  ]);
  const ended = await play({ ...of, word: { is: 'complaint', append: whole.appends - 3 }, person: 'helps' });
  expect(ended.ending?.status).toBe('compensated');
});

test('AL9: before the choice a complaint takes the branches back with what they were given', async () => {
  const of = { rule: 'best', losers: 'owe', branches: [['compensable'], ['none']], fault: null, crash: null } as const;
  const course = await play({ ...of, word: { is: 'complaint', append: 6 }, person: 'helps' });
  expect([course.ending?.status, course.context.won, course.waited]).toEqual(['done', 'b1', []]);
  const acts = [...course.world.acts.values()];
  expect(acts.filter(({ tool, undone }) => tool === 'pre' && undone === 1).length).toBe(1);
  expect(acts.filter(({ branch, isThere }) => branch === 'b0' && isThere)).toEqual([]);
});

test('AL10: a branch that cannot pay fails, and the other one is chosen', async () => {
  const spends = BOOK.replace('undo: un', 'undo: un, spends: { cents: 60 }');
  const given = {
    branches: { rome: ['book'], oslo: ['book'] },
    tools: spends,
    budgets: '{ cents: 100 }',
    choose: 'rule: best, score: "1"',
  };
  const { context, seen, runOf } = await run(given);
  expect([context.won, seen.length]).toEqual(['rome', 1]);
  expect(choicesIn(runOf())[0]?.candidates[1]).toMatchObject({ is: 'failed', why: expect.stringContaining('cents') });
});

test('AL10: if every branch fails, the machine is told that there is none', async () => {
  const act = () => {
    throw new Error('no seat');
  };
  const { context, ending } = await run({
    branches: { rome: ['look'], oslo: ['look'] },
    tools: ALL,
    choose: FIRST,
    act,
  });
  expect([context.won, ending.status]).toEqual([null, 'done']);
});
