/** `npm run audit workloads` as it is typed, on a small data set of our own in the form of a public one. */
import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { beforeAll, describe, expect, test } from 'vitest';
import { compare } from '../../audit/workloads/answer.ts';
import { DataError } from '../../audit/workloads/set.ts';
import { GROUPS } from '../../scripts/commands.mjs';
import { folderOf } from '../workloads/shop.ts';

const MAIN = fileURLToPath(new URL('../../build/audit/workloads/main.js', import.meta.url));

function workloads(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  return new Promise((resolve) => {
    const env = { ...process.env, NO_COLOR: '1' };
    execFile(process.execPath, [MAIN, ...args], { env, maxBuffer: 64 * 1024 * 1024 }, (error, out, err) =>
      resolve({ code: error === null ? 0 : (error.code as number), out, err }),
    );
  });
}

/** A lamp that somebody switches and a lamp oil that somebody buys, written as phone repairs are. */
const switched = { '/user/lamp': false };
const repair = (id: string) => ({
  id,
  faults: ['data_mode_off', 'data_usage_exceeded'],
  init_actions: [{ func_name: 'set_user_info', arguments: { phone_number: '555' } }],
  gold_actions: [
    { name: 'toggle_data', effect: 'write', arguments: {} },
    { name: 'refuel_data', effect: 'write', arguments: { gb_amount: 1 } },
  ],
  init_delta: switched,
  final_delta: { '/user/lamp': true, '/agent/oil': 1 },
});
const images = (id: string) => [
  {
    ...{ id, i: 0, name: 'toggle_data', pre: switched, post: { '/user/lamp': true } },
    repeat: { class: 'double_effect', post: switched },
  },
  {
    ...{ id, i: 1, name: 'refuel_data', pre: { '/agent/oil': 0 }, post: { '/agent/oil': 1 } },
    repeat: { class: 'double_effect', post: { '/agent/oil': 2 } },
  },
];
const IDS = ['one', 'two', 'three'];
const data = () => folderOf({ 'tasks.json': IDS.map(repair), 'effects.json': IDS.flatMap(images), 'odd.json': {} });

/** What is left as JSON, or printed. */
interface Left {
  readonly promises: readonly { readonly kept: boolean }[];
  readonly probabilities: readonly number[];
  readonly cells: readonly { readonly policy: string; readonly runs: readonly unknown[] }[];
}

describe('npm run audit workloads', () => {
  const directory = data();
  const report = folderOf({});
  // Those that a promise or a sentence names; all policies are compared in `workloads/compare.test.ts`.
  const policies = ['ask-and-retry', 'checkpoint-rollback', 'belay', 'oracle'];
  const asked = ['--data', directory, '--p', '0.3', '--seed', '2', '--report', report, '--policy', ...policies];
  const left = () => JSON.parse(readFileSync(join(report, 'workloads.json'), 'utf8')) as Left;
  let ran: Awaited<ReturnType<typeof workloads>>;

  beforeAll(async () => {
    ran = await workloads(...asked);
  });

  test('prints one table for the set, what Belay has over the others, who can be asked, and what was promised', () => {
    expect(ran.code).toBe(0);
    for (const part of [
      'an attempt fails with p = 0.3',
      'Belay minus the others',
      'Who can be asked',
      'Where asking and retrying is as good as Belay',
      'All 31 promises were kept.',
    ])
      expect(ran.out).toContain(part);
    expect(ran.err).toContain('left out, of no form that an adapter reads: odd.json');
  });

  test('leaves the same as JSON and as a section of a page that loads nothing', () => {
    expect(left().promises.every(({ kept }) => kept)).toBe(true);
    const page = readFileSync(join(report, 'index.html'), 'utf8');
    expect(page).toContain('All 31 promises were kept.');
    expect(page).toContain("default-src 'none'");
    expect(page).not.toMatch(/(src|href)="http/);
    expect(page.match(/<h2 id="workloads">/g)).toHaveLength(1);
  });

  test('prints every run as JSON where that is wanted, each as it was before, and puts its section in the place of the old one', async () => {
    const before = left().cells.filter(({ policy }) => policy === 'belay' || policy === 'oracle');
    const { code, out } = await workloads(...asked.slice(0, -policies.length), 'belay', 'oracle', '--json');
    const { cells, probabilities } = JSON.parse(out) as Left;
    expect([code, probabilities, cells.map(({ policy, runs }) => [policy, runs.length])]).toEqual([
      0,
      [0.3],
      [
        ['belay', 60],
        ['oracle', 60],
      ],
    ]);
    expect(cells).toEqual(before);
    expect(left().cells).toEqual(cells);
    expect(readFileSync(join(report, 'index.html'), 'utf8').match(/<h2 id="workloads">/g)).toHaveLength(1);
  });
});

test('npm run audit workloads takes an adapter of the user’s own, and its config, from a module', async () => {
  const agent = pathToFileURL(join(MAIN, '../agent.js')).href;
  const folder = folderOf({
    'bells.yaml': `belay: 1
agent: bells
tools:
  look: { writes: ['units/{args.unit}/seen'], effect: none }
  verify: { writes: ['units/{args.unit}/well'], effect: none }
  ring: { reads: ['units/{args.unit}/seen'], writes: ['units/{args.unit}/done', at, 'tower:bells'], effect: irreversible, reconcile: listen }
skeletons:
  Ring:
    entity: args.unit
    states: [bell]
    entry: [bell.LOOKING]
    outputs: ['units/{entity}', at, 'tower:**']
    rollback: { tries: 20 }
`,
    'bells.mjs': `import { planned } from ${JSON.stringify(agent)};
const open = () => {
  const rows = {};
  const ring = {
    act: ({ step }) => { rows[step] = (rows[step] ?? 0) + 1; },
    change: { unit: ({ unit }) => unit, shows: ({ step }) => ({ is: rows[step] ? 'applied' : 'not_applied' }) },
  };
  const look = { act: () => 0 };
  return { tools: { look, verify: look, ring }, rows: () => rows };
};
export const bells = {
  name: 'bells',
  about: 'bells that ring once',
  config: new URL('bells.yaml', import.meta.url).pathname,
  machine: planned('bells', { bell: ['ring'] }),
  snapshots: ['bell.LOOKING'],
  asks: { ring: 'whoever lives near the tower' },
  files: { hours: { type: 'object', required: ['strikes'] } },
  tasks: ({ hours }) => hours.map(({ strikes }) => {
    const plan = Array.from({ length: strikes }, () => ({ kind: 'bell', unit: 'big', tool: 'ring', with: {} }));
    return { id: String(strikes), input: () => ({ plan }), open };
  }),
};
`,
  });
  const hours = folderOf({ 'four.json': { strikes: 4 } });
  const { code, out } = await workloads(
    '--data',
    hours,
    '--adapters',
    join(folder, 'bells.mjs'),
    '--p',
    '0.3',
    '--policy',
    'checkpoint-rollback',
    'belay',
    'oracle',
    '--report',
    folder,
  );
  const kept = out.includes('All 19 promises were kept.');
  expect([code, out.includes('bells that ring once')]).toEqual([kept ? 0 : 1, true]);
  expect(kept || / of 19 promises were missed/.test(out)).toBe(true);
});

describe('npm run audit workloads refuses, and says the fix,', () => {
  const WANTED = { sets: null, probabilities: [0.3], repeat: 1, seed: 1, policies: null, asks: true };
  const quiet = { progress: () => {}, note: () => {} };

  test.each<[string, string[], RegExp]>([
    ['to run without a directory', [], /required option '--data <directory>' not specified/],
    ['a probability that is none', ['--data', 'data', '--p', '2'], /a number from 0 to 0\.9/],
    ['a folder that takes no report', ['--data', data(), '--report', join(MAIN, 'below-a-file')], /ENOTDIR|EEXIST/],
    [
      'a directory without data',
      ['--data', folderOf({ 'a.json': [1] }), '--report', folderOf({})],
      /no data set here.*; a\.json: for the /,
    ],
  ])('%s', async (_, args, says) => {
    const { code, out, err } = await workloads(...args);
    expect([code, out]).toEqual([2, '']);
    expect(err).toMatch(says);
    expect(err).not.toMatch(/^\s+at /m);
  });

  test.each<[string, Partial<Parameters<typeof compare>[0]>, RegExp]>([
    ['half a set', { directory: folderOf({ 'tasks.json': IDS.map(repair) }) }, /lacks its effects/],
    ['a policy that there is not', { policies: ['hope'] }, /no policy "hope"\. There are: give-up/],
    ['a set that is not there', { sets: ['none'] }, /no set "none"\. There are: /],
    ['adapters that are none', { adapters: MAIN.replace(/main\.js$/, 'table.js') }, /exports no adapter/],
  ])('%s', async (_, more, says) => {
    const asked = compare({ directory: data(), adapters: null, report: null, ...WANTED, ...more }, quiet);
    await expect(asked).rejects.toThrow(DataError);
    await expect(asked).rejects.toThrow(says);
  });
});

test('npm run audit workloads builds the comparison and runs it', () => {
  expect(GROUPS.audit?.workloads).toMatchObject({
    needs: ['build domains'],
    run: ['node build/audit/workloads/main.js'],
  });
  expect(existsSync(MAIN)).toBe(true);
});
