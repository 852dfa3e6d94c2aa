/** AL11 to AL13: a person is asked which branch is chosen, and what counts as an answer. */
import { expect, test } from 'vitest';
import { messageOf } from '../../src/effects/messages/answers.ts';
import { loadConfig } from '../../src/index.ts';
import { entriesOf } from '../../src/journal/entries.ts';
import type { StoredRow } from '../../src/journal/journal.ts';
import { causesOf } from '../../src/reports/causes.ts';
import { choicesOf } from '../../src/reports/choices.ts';
import { agent, asked, TOOLS } from './asking.ts';
import { play } from './trial.ts';

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
