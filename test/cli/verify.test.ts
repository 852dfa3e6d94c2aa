import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { scratchFolder } from '../scratch.ts';
import { AGENTS, Desk, OFFICE } from './agents.ts';
import { belay } from './belay.ts';

const domains = fileURLToPath(new URL('../../build/domains/agents.js', import.meta.url));
const desk = new Desk();
const office = new Desk(OFFICE);
const root = scratchFolder('verify');
afterAll(() => {
  desk.clear();
  office.clear();
});
const JOURNAL = 'belay.sqlite';
const xstate = import.meta.resolve('xstate');

/** The modules so far: a process loads a file once. */
let others = 0;

/** A module with the order of the fixtures, of which a text is otherwise. */
function otherOrder(from: string, to: string): string {
  const source = readFileSync(AGENTS, 'utf8');
  const order = source.slice(source.indexOf('const order ='), source.indexOf('async function openOrder'));
  expect(order).toContain(from);
  others += 1;
  const file = join(root, `other-${others}.mjs`);
  const tools = 'const none = async () => {}; const tool = fromPromise;';
  const head = `import { assign, fromPromise, setup } from ${JSON.stringify(xstate)};\n${tools}\n`;
  writeFileSync(file, `${head}${order.replace(from, to)}\nexport const machine = order;\n`);
  return file;
}

beforeAll(async () => {
  await desk.ask('run', 'order', '--run', 'plain');
  await desk.ask('run', 'order', '--run', 'settled', '--fail-at', 'pay', '--when', 'after', '--signal', 'TIMEOUT');
});

describe('belay verify', () => {
  test('says of runs of an unchanged agent that they replay equal, and calls nothing', async () => {
    const world = () => readFileSync(join(desk.folder, 'belay.sqlite.world/plain/payments.jsonl'), 'utf8');
    const before = [world(), readFileSync(join(desk.folder, JOURNAL))];
    const { code, out, err } = await desk.ask('verify', JOURNAL);
    expect(code).toBe(0);
    expect(err).toMatch(/^running .*agents\.mjs to read its machines\n$/);
    expect(out).toMatch(/^belay\.sqlite\n {2}RUN +AGENT +STEPS +VERIFIED\n {2}plain +order +4 of 4 +equal\n/);
    expect(out).toMatch(/\n2 runs: 2 equal, 0 parting, 0 not comparable\n$/);
    expect([world(), readFileSync(join(desk.folder, JOURNAL))]).toEqual(before);
  });

  test('says at which step a run parts from a changed machine, with both states, and ends with 1', async () => {
    const machines = otherOrder("target: 'shipping'", "target: 'shipped'");
    const { code, out } = await desk.ask('verify', JOURNAL, '--run', 'plain', '--machines', machines);
    expect(code).toBe(1);
    expect(out).toContain('plain parts at step 3 (row ');
    expect(out).toContain(
      'xstate.done.actor.0.order.paying\n  what differs: the state after it\n  the journal:  shipping\n  today:        shipped, the end\n',
    );
    expect(out).toContain('  The machine has other states or edges than the one of the run.\n');
    expect(out).toMatch(/\n1 run: 0 equal, 1 parting, 0 not comparable\n$/);
  });

  test('--json has everything about each run', async () => {
    const machines = otherOrder("target: 'shipping'", "target: 'shipped'");
    const { code, out } = await desk.ask('verify', JOURNAL, '--machines', machines, '--json');
    expect(code).toBe(1);
    expect(JSON.parse(out)).toMatchObject({
      files: [
        {
          file: JOURNAL,
          runs: [
            { run: 'plain', is: 'parts', equal: 2, steps: 4, parting: { step: 3, is: 'state' }, config: null },
            { run: 'settled', is: 'parts' },
          ],
        },
      ],
      equal: 0,
      parts: 2,
      notComparable: 0,
      notes: [],
    });
  });

  test('lets keys of the context differ that are named', async () => {
    const machines = otherOrder('parcel: ({ event }) => event.output', 'parcel: () => Math.random()');
    expect((await desk.ask('verify', JOURNAL, '--machines', machines)).code).toBe(1);
    const { code, out } = await desk.ask('verify', JOURNAL, '--machines', machines, '--ignore', 'parcel');
    expect([code, out]).toEqual([0, expect.stringContaining('2 equal')]);
  });

  test('tells what another config would do, and fails over it only with --strict', async () => {
    const config = join(root, 'order.yaml');
    const text = readFileSync(fileURLToPath(new URL('fixtures/order.yaml', import.meta.url)), 'utf8');
    const anchors = /anchors: \[[^\]]*\]/.exec(text)?.[0] as string;
    writeFileSync(config, text.replace(anchors, 'anchors: []'));
    const { code, out } = await desk.ask('verify', JOURNAL, '--run', 'plain', '--config', config);
    expect(code).toBe(0);
    expect(out).toContain('equal, the config differs');
    expect(out).toMatch(
      /\nplain: the machine goes the same way, and today's config does otherwise\n {2}step \d+ .* certifies only in the journal\n/,
    );
    expect((await desk.ask('verify', JOURNAL, '--run', 'plain', '--config', config, '--strict')).code).toBe(1);
    expect((await desk.ask('verify', JOURNAL, '--strict')).code).toBe(0);
  });

  test('replays calls that a person has approved and calls that waited for their commit', async () => {
    await office.ask('run', 'office', '--run', 'asked');
    const [gate] = await office.json('approvals');
    expect(gate).toMatchObject({ run: 'asked', asks: 'approval' });
    await office.ask('approve', gate.gate, '--by', 'Ada', '--no-wait');
    await office.ask('resume', 'asked');
    await office.ask('run', 'memo', '--run', 'held');
    const { code, out } = await office.ask('verify', JOURNAL, '--json');
    const { files, parts } = JSON.parse(out);
    expect([code, parts]).toEqual([0, 0]);
    expect(
      files[0].runs.map(({ run, why }: { run: string; why: { code: string } | null }) => [run, why?.code ?? 'equal']),
    ).toEqual([
      ['asked', 'equal'],
      ['held', 'equal'],
    ]);
  });

  test('goes through a run that was restored, beyond its recovery', async () => {
    const folder = join(root, 'restored');
    mkdirSync(folder);
    const at = (...args: string[]) => belay([...args, '--machines', domains], '', {}, folder);
    await at('run', 'navigation', '--fail-at', 'plan_leg', '--when', 'before');
    expect((await belay(['explain', 'navigation-1'], '', {}, folder)).out).toContain('restore');
    const { code, out } = await at('verify', JOURNAL, '--strict');
    expect([code, out]).toEqual([0, expect.stringMatching(/navigation-1 +navigation +(\d+) of \1 +equal\n/)]);
  });

  test('finds the runs where --store, BELAY_STORE or the usual file has them', async () => {
    const elsewhere = join(desk.folder, 'elsewhere.sqlite');
    copyFileSync(join(desk.folder, JOURNAL), elsewhere);
    const verified = async (...args: string[]) => {
      const { files } = JSON.parse((await desk.ask('verify', '--run', 'plain', '--json', ...args)).out);
      return files.map(({ file }: { file: string }) => file);
    };
    expect(await verified()).toEqual([JOURNAL]);
    expect(await verified('--store', 'elsewhere.sqlite')).toEqual(['elsewhere.sqlite']);
    expect(await verified(JOURNAL, '--store', 'elsewhere.sqlite')).toEqual([JOURNAL, 'elsewhere.sqlite']);
    process.env.BELAY_STORE = elsewhere;
    try {
      expect(await verified()).toEqual([elsewhere]);
    } finally {
      delete process.env.BELAY_STORE;
    }
  });

  test('says of a run whose machine the module does not have that it is not comparable', async () => {
    const { code, out } = await desk.ask('verify', JOURNAL, '--machines', domains, '--run', 'plain');
    expect([code, out]).toEqual([0, expect.stringContaining('plain is not comparable: there is no machine "order"\n')]);
    const strict = await desk.ask('verify', JOURNAL, '--machines', domains, '--run', 'plain', '--strict');
    expect(strict.code).toBe(1);
  });
});

describe('belay verify ends with 2 and one line', () => {
  test.each([
    ['a file that is not there', ['none.sqlite'], /^none\.sqlite: journal_cannot_read .*\n$/],
    [
      'a run that is not there',
      [JOURNAL, '--run', 'plan'],
      /^belay\.sqlite: run_unknown There is no run "plan"\. Did you mean "plain"\?\n$/,
    ],
    ['a key that is none', [JOURNAL, '--ignore', 'a//b'], /^bad_option "a\/\/b" under ignore is no key: .*\n$/],
    ['a config that is not there', [JOURNAL, '--config', 'none.yaml'], /^none\.yaml:1:1 cannot_read ENOENT.*\n$/],
    [
      'a module that is not there',
      [JOURNAL, '--machines', 'none.mjs'],
      /^none\.mjs: cannot_read there is no such file\n$/,
    ],
  ])('for %s', async (_what, args, complaint) => {
    const { code, out, err } = await desk.ask('verify', ...args);
    expect([code, out]).toEqual([2, '']);
    expect(err.replace(/^running .*\n/, '')).toMatch(complaint);
  });

  test('where no module is named', async () => {
    const err = 'no_machine no module of machines was named: --machines FILE, or belay.machines in package.json\n';
    expect(await belay(['verify', join(desk.folder, JOURNAL)], '', {}, root)).toEqual({ code: 2, out: '', err });
  });

  test('for a config of another agent', async () => {
    const trip = fileURLToPath(new URL('../boundaries/fixtures/schedule-form.yaml', import.meta.url));
    const { code, err } = await desk.ask('verify', JOURNAL, '--config', trip);
    expect([code, err]).toEqual([
      2,
      expect.stringContaining('other_agent there is no machine "schedule-form" in the module\n'),
    ]);
  });
});
