/** AL11 to AL14: a person chooses among the branches of alternatives. */
import { expect, test } from 'vitest';
import { messageOf } from '../../src/effects/messages/answers.ts';
import { loadConfig, memoryStore } from '../../src/index.ts';
import { entriesOf } from '../../src/journal/entries.ts';
import type { StoredRow } from '../../src/journal/journal.ts';
import { causesOf } from '../../src/reports/causes.ts';
import { choicesOf } from '../../src/reports/choices.ts';
import { timelineOf } from '../../src/reports/timeline.ts';
import { workClient } from '../../src/workers/index.ts';
import { attach, resume, type Sidecar } from '../../src/xstate/index.ts';
import { until } from '../poll.ts';
import { agentOf, type Seen } from './agent.ts';
import { noneTried, tryCase } from './run.ts';
import { chosenPairs } from './scenario.ts';
import { play } from './trial.ts';

const TOOLS = `
  look: { reads: [], writes: [], effect: none }
  book: { reads: [], writes: ['seat:{args.branch}'], effect: compensable, undo: un, reconcile: find }
  mail: { reads: [], writes: [], effect: irreversible, reconcile: find }`;
const BRANCHES = { rome: ['book', 'mail'], oslo: ['book'] };

interface Given {
  readonly branches?: Readonly<Record<string, readonly string[]>>;
  readonly choose?: string;
  readonly act?: (seen: Seen) => unknown;
}

/** An agent that asks a person, in a store of its own. */
function agent({ branches = BRANCHES, choose = 'rule: gate, score: "entity == \'oslo\' ? 2 : 1"', act }: Given = {}) {
  const [seen, undone]: [Seen[], string[]] = [[], []];
  const store = memoryStore();
  const given = { branches, tools: TOOLS, choose, ...(act !== undefined && { act }) };
  const open = async (how: typeof attach | typeof resume = attach) => {
    const { machine, config } = agentOf(given, seen);
    const un = async ({ args }: { args: unknown }) => void undone.push((args as { branch: string }).branch);
    const reconcilers = { find: () => ({ is: 'not_applied' as const }) };
    const options = { run: 'trip', config, journal: store, undo: { un }, reconcilers, keepAlive: false };
    const sidecar = await how(machine, options as never);
    sidecar.actor.start();
    return sidecar;
  };
  const told = () => timelineOf(store.read('trip') as Iterable<StoredRow>);
  const wonBy = (sidecar: Sidecar) => (sidecar.actor.getSnapshot() as { context: { won: string | null } }).context.won;
  return { seen, undone, store, open, told, wonBy, client: workClient(store) };
}

/** The request for a branch, once there is one that was not seen before. */
async function asked(sidecar: Sidecar, before = '') {
  const found = () => sidecar.requests().find(({ asks, gate }) => asks === 'branch' && gate !== before);
  await until(() => found() !== undefined);
  await sidecar.durable();
  return found() as NonNullable<ReturnType<typeof found>>;
}

test('AL11: a person is shown each branch with its score, its output and its calls, and nothing is chosen before', async () => {
  const { seen, undone, open, told, wonBy } = agent();
  const sidecar = await open();
  const request = await asked(sidecar);
  expect([request.tool, request.args]).toEqual([
    'Trip',
    [
      {
        ...{ branch: 'rome', is: 'over', score: 1, output: { outs: ['book rome', undefined] } },
        calls: [
          { tool: 'book', args: { branch: 'rome' }, is: 'made' },
          { tool: 'mail', args: { branch: 'rome' }, is: 'held' },
        ],
      },
      {
        ...{ branch: 'oslo', is: 'over', score: 2, output: { outs: ['book oslo'] } },
        calls: [{ tool: 'book', args: { branch: 'oslo' }, is: 'made' }],
      },
    ],
  ]);
  expect([told().standing.is, told().waits.map(({ text, act }) => [text, act])]).toEqual([
    'waiting',
    [['a branch of Trip', 'approve']],
  ]);
  expect(causesOf('trip', told())).toMatchObject([{ code: 'branch', act: 'approve', gate: request.gate }]);
  expect([choicesOf(told().runState), undone]).toEqual([[], []]);
  expect(await sidecar.answer(request.gate, 'approved', { by: 'ada', with: 'rome', why: 'sun' })).toBeNull();
  expect((await sidecar.finished()).status).toBe('done');
  expect([wonBy(sidecar), undone, seen.map(({ tool, branch }) => `${tool} ${branch}`)]).toEqual([
    'rome',
    ['oslo'],
    ['book rome', 'book oslo', 'mail rome'],
  ]);
  expect(choicesOf(told().runState)).toMatchObject([{ by: 'gate', winner: 'rome', person: { by: 'ada', why: 'sun' } }]);
  await sidecar.close();
});

test('AL12: what the branches were given is found wrong while the person looks: they are shown again, and the answer to what was shown before counts for nothing', async () => {
  const of = { rule: 'gate', losers: 'owe', branches: [['compensable'], ['none']], fault: null, word: null } as const;
  const { ending, context, runState } = await play({ ...of, choosing: 'complains', crash: null, person: 'never' });
  expect([ending?.status, context.won]).toEqual(['done', 'b1']);
  expect([...runState.asked.all()].map(({ status }) => status)).toEqual(['void', 'used']);
});

test('AL12: an answer from another process is bound to what that process was shown', async () => {
  const { store, open, wonBy, client } = agent();
  const sidecar = await open();
  const { gate, digest } = await asked(sidecar);
  const said = { gate, epoch: 0, by: 'ada', why: null, verdict: 'approved', with: 'rome' } as const;
  store.post('trip', messageOf({ ...said, digest: digest.replace(/./g, '0') }));
  await client.approve('trip', gate, { by: 'ada', with: 'oslo' });
  expect((await sidecar.finished()).status).toBe('done');
  expect(wonBy(sidecar)).toBe('oslo');
  const answers = [...entriesOf(store.read('trip') as Iterable<StoredRow>)].flatMap(({ entry }) =>
    entry.do === 'answer' ? [[entry.verdict, entry.code]] : [],
  );
  expect(answers).toEqual([
    ['refused', 'stale'],
    ['approved', undefined],
  ]);
  await sidecar.close();
});

test('AL13: only a branch that was shown as over is chosen, and the first answer counts', async () => {
  const { open, wonBy } = agent();
  const sidecar = await open();
  const { gate } = await asked(sidecar);
  expect(await sidecar.answer(gate, 'approved', { by: 'ada' })).toContain('rome, oslo');
  expect(await sidecar.answer(gate, 'approved', { by: 'ada', with: 'bali' })).toContain('rome, oslo');
  const said = [
    sidecar.answer(gate, 'approved', { by: 'ada', with: 'oslo' }),
    sidecar.answer(gate, 'approved', { by: 'bob', with: 'rome' }),
  ];
  expect(await Promise.all(said)).toEqual([null, expect.stringContaining('answered before')]);
  await sidecar.finished();
  expect(wonBy(sidecar)).toBe('oslo');
  await sidecar.close();
});

test('AL13: to deny is to choose none of them, and so is to say nothing in time', async () => {
  for (const [choose, isDenied] of [
    ['rule: gate', true],
    ['rule: gate, expires: 1s', false],
  ] as const) {
    const { open, wonBy, undone, told } = agent({ choose });
    const sidecar = await open();
    const { gate } = await asked(sidecar);
    if (isDenied) await sidecar.answer(gate, 'denied', { by: 'ada', why: 'both too dear' });
    expect((await sidecar.finished()).status).toBe('done');
    expect([wonBy(sidecar), [...undone].sort()]).toEqual([null, ['oslo', 'rome']]);
    expect(choicesOf(told().runState)).toMatchObject([{ by: 'gate', winner: null }]);
    await sidecar.close();
  }
});

test('AL14: from the deadline on those that are over are shown; one that comes to its end is shown as well', async () => {
  let comes = () => {};
  const late = new Promise<void>((resolve) => {
    comes = resolve;
  });
  const { open, wonBy } = agent({
    branches: { rome: ['look'], oslo: ['look'] },
    choose: 'rule: gate, deadline: 50ms',
    act: ({ branch }) => (branch === 'oslo' ? late : branch),
  });
  const sidecar = await open();
  const first = await asked(sidecar);
  expect(first.candidates?.map(({ branch, is }) => [branch, is])).toEqual([
    ['rome', 'over'],
    ['oslo', 'unfinished'],
  ]);
  expect(await sidecar.answer(first.gate, 'approved', { by: 'ada', with: 'oslo' })).toContain('may be chosen: rome');
  comes();
  const next = await asked(sidecar, first.gate);
  expect(await sidecar.answer(first.gate, 'approved', { by: 'ada', with: 'rome' })).toContain('void');
  expect(await sidecar.answer(next.gate, 'approved', { by: 'ada', with: 'oslo' })).toBeNull();
  await sidecar.finished();
  expect(wonBy(sidecar)).toBe('oslo');
  await sidecar.close();
});

test('AL11: a request outlives its process, and an end of the run by hand voids it', async () => {
  const { open, wonBy, client, store } = agent();
  const first = await open();
  const { gate } = await asked(first);
  await first.close();
  await client.approve('trip', gate, { by: 'ada', with: 'rome' });
  const second = await open(resume);
  expect((await second.finished()).status).toBe('done');
  expect([wonBy(second), store.run('trip')?.head]).toEqual(['rome', expect.any(Number)]);
  await second.close();
  const other = agent();
  const sidecar = await other.open();
  const request = await asked(sidecar);
  await sidecar.cancel({ by: 'bob', undo: true });
  expect(await sidecar.answer(request.gate, 'approved', { by: 'ada', with: 'rome' })).toContain('undone');
  expect([(await sidecar.finished()).status, [...other.undone].sort()]).toEqual(['compensated', ['oslo', 'rome']]);
  await sidecar.close();
});

test('AL14: a run whose branches have a deadline to come is not given back, and one that only waits for the person is', async () => {
  const branches = { rome: ['look'], oslo: ['wait'] };
  const timed = agent({ branches, choose: 'rule: gate, deadline: 10m' });
  const running = await timed.open();
  const states = () => Object.values(running.actor.getSnapshot().children).map((each) => each?.getSnapshot().status);
  await until(() => states().includes('done'));
  await running.durable();
  // The time in which no process has the run is none of the branches (AL4): given back, the deadline would never come.
  expect(running.rest().idle).toBe(false);
  const { open } = agent({ branches, choose: 'rule: gate, deadline: 50ms, expires: 1h' });
  const sidecar = await open();
  const { expires } = await asked(sidecar);
  await until(() => sidecar.rest().idle);
  expect(sidecar.rest()).toEqual({ idle: true, due: expires });
  await Promise.all([running.close(), sidecar.close()]);
});

test('AL11: a config says when a request expires only where a person is asked', () => {
  const page = (choose: string) => `
belay: 1
agent: travel
tools: {${TOOLS.trim().split('\n').join(',\n')}}
alternatives:
  Trip: { at: trying, branch: trip, choose: { ${choose} } }
skeletons: {}
`;
  const codes = (choose: string) => loadConfig(page(choose), { file: 'm.yaml' }).findings.map(({ code }) => code);
  expect(codes('rule: gate, expires: 1h')).toEqual([]);
  expect(codes('rule: first, expires: 1h')).toEqual(['bad_alternatives']);
});

test('AL11 to AL14: whatever a person does, the world is that of a run in which only the winner was tried', async () => {
  const tally = noneTried();
  for (const [index, of] of chosenPairs().entries())
    if (index % 307 === 11) await tryCase(of, tally, (nth) => nth % 17 === index % 17);
  expect(tally.wrong.map(({ why, scenario }) => `${why}: ${JSON.stringify(scenario)}`)).toEqual([]);
  expect(tally.scenarios).toBeGreaterThan(50);
});
