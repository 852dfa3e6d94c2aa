/** `belay events` and `belay steer`, as a person types them beside a program that has the run. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { assign } from 'xstate';
import { sqliteStore } from '../../src/journal/sqlite/store.ts';
import { calls, configOf, machineOf, run, World } from '../semantics/little.ts';
import { belay } from './belay.ts';

const root = mkdtempSync(join(tmpdir(), 'belay-steer-'));
const ask = (...args: string[]) => belay(args, '', {}, root);
afterAll(() => rmSync(root, { recursive: true, force: true }));

/** wait BRIEF; draft reads words; wait OK */
async function begun(name: string, effect: string) {
  const store = sqliteStore(join(root, 'belay.sqlite'));
  const world = new World();
  const words = assign({ words: ({ event }: { event: { words?: number } }) => event.words } as never);
  const machine = machineOf(
    { draft: world.tool('draft', ({ input }) => `draft of ${String(input.words)}`) },
    {
      initial: 'wait',
      states: {
        wait: { on: { BRIEF: { target: 'draft', actions: words } } },
        draft: calls('draft', 'text', 'ready', ['words']),
        ready: { on: { OK: 'over' } },
        over: { type: 'final' },
      },
    },
  );
  const units = { Draft: { states: ['draft'], at: 'draft -> ready', writes: ['text'], reads: ['words'] } };
  const config = configOf({ draft: `reads: [words], writes: [text], effect: ${effect}` }, units);
  const it = await run(machine, config, { journal: store, run: name } as never);
  await it.sidecar.send({ type: 'BRIEF', words: 6000 } as never, { id: 'brief', by: 'ada' });
  await it.at('ready');
  return { ...it, store };
}

test('events are listed, and one is revised, retracted, and told', async () => {
  const it = await begun('report-1', 'none');
  const listed = await ask('events', 'report-1');
  expect([listed.code, listed.out]).toEqual([
    0,
    expect.stringMatching(/brief +BRIEF +\{"words":6000\} +0 +ada +taken/),
  ]);
  const revised = await ask('steer', 'report-1', 'revise', 'brief', '--to', '{"words":8000}', '--by', 'ada');
  expect([revised.code, revised.out]).toEqual([0, 'revise brief, message 1: carried out\n']);
  await it.at('ready');
  expect(it.context()).toEqual({ words: 8000, text: 'draft of 8000' });
  const stale = await ask('steer', 'report-1', 'retract', 'brief', '--base', '0', '--by', 'ada', '--json');
  expect([stale.code, JSON.parse(stale.out)]).toMatchObject([
    1,
    { post: 2, outcome: { is: 'refused', why: expect.stringContaining('steer_conflict') } },
  ]);
  const here = await ask(
    'steer',
    'report-1',
    'revise',
    'brief',
    '--to',
    '{"words":1}',
    '--from',
    'here',
    '--by',
    'ada',
  );
  expect([here.code, here.out]).toEqual([1, expect.stringContaining('the machine takes no BRIEF in ready')]);
  expect((await ask('steer', 'report-1', 'retract', 'brief', '--by', 'ada')).code).toBe(0);
  await it.at('wait');
  const events = (await ask('events', 'report-1', '--json')).out.trim().split('\n');
  expect(events.map((line) => JSON.parse(line))).toMatchObject([
    { run: 'report-1', name: 'input' },
    { name: 'brief', is: 'retracted', version: 1 },
    { name: '#3', is: 'refused', instead: 'brief' },
  ]);
  await it.sidecar.close();
  const later = await ask('steer', 'report-1', 'revise', 'brief', '--to', '{"words":1}', '--by', 'ada');
  expect([later.code, later.out]).toEqual([
    0,
    expect.stringContaining('is left for the process that takes the run next'),
  ]);
  await it.store.close();
});

test('a refusal says why, and misuse says how it is meant', async () => {
  const it = await begun('report-2', 'irreversible');
  const refused = await ask('steer', 'report-2', 'retract', 'brief', '--by', 'ada');
  expect([refused.code, refused.out]).toEqual([1, expect.stringContaining('irreversible_effect_policy')]);
  const [, key = ''] = /\(--undone\): (\S+)/.exec(refused.out) ?? [];
  const ahead = ['steer', 'report-2', 'retract', 'brief', '--undone', 'belay-none', '--by', 'ada'];
  expect((await ask(...ahead)).out).toContain('bad_settlement: a call (belay-none) was not undone by hand');
  const bad = [
    ['steer', 'report-2', 'confirm', 'brief', '--undone', key, '--by', 'ada'],
    ['steer', 'report-2', 'change', 'brief', '--by', 'ada'],
    ['steer', 'report-2', 'revise', 'brief', '--by', 'ada'],
    ['steer', 'report-2', 'revise', 'brief', '--to', '[1]', '--by', 'ada'],
    ['steer', 'report-2', 'revise', 'brief', '--to', '{', '--by', 'ada'],
    ['steer', 'report-2', 'revise', 'brief', '--to', '{"type":"X"}', '--by', 'ada'],
    ['steer', 'report-2', 'retract', 'brief', '--to', '{}', '--by', 'ada'],
    ['steer', 'report-2', 'retract', 'brief', '--base', 'x', '--by', 'ada'],
    ['steer', 'report-2', 'retract', 'brief', '--from', 'here', '--by', 'ada'],
    ['steer', 'report-2', 'revise', 'brief', '--to', '{}', '--from', 'there', '--by', 'ada'],
    ['steer', 'report-2', 'confirm', 'brief', '--later', 'ok', '--by', 'ada'],
    ['steer', 'report-2', 'retract', 'brief'],
    ['steer', 'nothing', 'retract', 'brief', '--by', 'ada'],
    ['events', 'nothing'],
  ];
  for (const args of bad) {
    const { code, err } = await ask(...args);
    expect([args.join(' '), code]).toEqual([args.join(' '), 2]);
    expect(err.length).toBeGreaterThan(10);
  }
  const undone = await ask('steer', 'report-2', 'retract', 'brief', '--undone', key, '--by', 'ada');
  expect([undone.code, undone.out]).toEqual([0, 'retract brief, message 3: carried out\n']);
  await it.at('wait');
  await it.sidecar.close();
  await it.store.close();
});
