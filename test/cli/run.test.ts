/** `belay run` and `belay resume`: an agent at the terminal, whole, with a failure in it, stopped, and taken up again. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { AGENTS, Desk, widest } from './agents.ts';

const desk = new Desk();
afterAll(() => desk.clear());

const booked = (count: number) => expect.stringMatching(new RegExp(`payments +${count}\n`));

describe('belay run', () => {
  test('runs an agent to its end, and says where it ended, what is in its world, and how to go on', async () => {
    const { code, out, err } = await desk.askApart('run', 'order');
    expect(code).toBe(0);
    expect(out).toBe(
      'order-1: done, in the state shipped\n\n' +
        'World\n  TABLE     ROWS\n  payments     1\n  parcels      1\n\n' +
        'belay show order-1\nbelay explain order-1\n',
    );
    expect(err).toMatch(/^config_unreviewed: no person has vouched for .*order\.yaml as it is/);
    expect(readFileSync(join(desk.folder, 'belay.sqlite.world/order-1/closed'), 'utf8')).toBe('x');
  });

  test('numbers its runs, and gives them the input and the name that were asked for', async () => {
    expect((await desk.ask('run', 'order')).out).toMatch(/^order-2: done/);
    const { code, out } = await desk.ask('run', 'order', '--run', 'the tea', '--input', '{"item":"oolong"}', '--json');
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({
      run: 'the tea',
      agent: 'order',
      status: 'done',
      state: 'shipped',
      decisions: [],
      world: { payments: [{ receipt: 'paid 6' }], parcels: [{ receipt: 'shipped paid 6' }] },
    });
  });

  test('a reply that is lost is settled by asking the counterparty', async () => {
    const { code, out } = await desk.ask('run', 'order', '--fail-at', 'pay', '--when', 'after', '--signal', 'TIMEOUT');
    expect([code, out]).toEqual([0, booked(1)]);
    expect(out).toMatch(/TIMEOUT +settle +Payment::tea::0\n/);
  });

  test('an output that is none goes back to the checkpoint before it', async () => {
    const { code, out } = await desk.ask('run', 'order', '--fail-at', 'askPrice#1', '--signal', 'INVALID_OUTPUT');
    expect(code).toBe(0);
    expect(out).toMatch(/INVALID_OUTPUT +restore +Price::tea::0 +entry \d+\n/);
  });

  test('a call that is denied is told as denied', async () => {
    const { out } = await desk.ask('run', 'order', '--fail-at', 'askPrice', '--signal', 'GOVERNOR_DENIED', '--json');
    expect(JSON.parse(out)).toMatchObject({
      decisions: [{ signal: 'GOVERNOR_DENIED', verdict: 'restore' }],
      fault: { tool: 'askPrice', nth: 1, when: 'before', signal: 'GOVERNOR_DENIED', fired: true },
    });
  });

  test('a step that never comes is said not to have come', async () => {
    const { code, out } = await desk.ask('run', 'order', '--fail-at', 'pay#2');
    expect(code).toBe(0);
    expect(out).toContain('\nThe failure never came: pay#2, after it has acted, as TOOL_EXCEPTION.\n');
  });

  test('a machine that waits for an event is at rest, and nobody waits for it', async () => {
    const { code, out } = await desk.askApart('run', 'desk');
    expect([code, out]).toEqual([1, expect.stringMatching(/^desk-1: at rest, in the state open, for an event/)]);
  });

  test('without an agent, says what there is', async () => {
    const { code, out, err } = await desk.ask('run');
    expect([code, err]).toEqual([0, '']);
    expect(out).toBe(
      '  AGENT  WHAT IT DOES\n  order  has something paid and shipped\n' +
        '  paper  writes while it is reviewed\n  trip   books what can be taken back\n  desk   waits for somebody to call\n',
    );
    expect((await desk.ask('run', '--json')).out).toContain('{"agent":"desk","about":"waits for somebody to call"}\n');
  });
});

describe('a run that is parked', () => {
  test('says by which commands it goes on, and goes on by what a person says happened', async () => {
    const parked = await desk.ask('run', 'order', '--run', 'lost', '--fail-at', 'ship');
    expect(parked.code).toBe(1);
    expect(parked.out).toContain('lost: parked (escalate), in the state shipping, until a person acts\n');
    expect(parked.out).toMatch(/belay resume lost --settle ship --as confirmed --output JSON/);
    expect(widest(parked.out)).toBeLessThanOrEqual(80);
    const resumed = await desk.ask(
      'resume',
      'lost',
      '--settle',
      'ship',
      '--as',
      'confirmed',
      '--by',
      'ann',
      '--output',
      '"found it"',
    );
    expect(resumed.code).toBe(0);
    expect(resumed.out).toMatch(/settle +Shipping::tea::0\n/);
    expect(resumed.out).toMatch(/parcels +1\n/);
  });

  test('names the module of the agents where that had to be named', async () => {
    const { out } = await desk.ask('run', 'order', '--run', 'named', '--fail-at', 'ship', '--machines', AGENTS);
    expect(out).toContain(`\n  belay resume named --settle ship --as failed --by NAME --machines ${AGENTS}\n`);
  });

  test('or did not: then the call is made again under its key', async () => {
    await desk.ask('run', 'order', '--run', 'before', '--fail-at', 'ship', '--when', 'before');
    const [{ effects }] = await desk.json('show', 'before');
    const { row } = effects.find(({ tool }: { tool: string }) => tool === 'ship');
    const { code, out } = await desk.ask('resume', 'before', '--settle', `row ${row}`, '--as', 'failed', '--by', 'ann');
    expect([code, out]).toEqual([0, expect.stringMatching(/parcels +1\n/)]);
  });

  test('by its whole key, too, and as taken back by hand: then under another key', async () => {
    await desk.ask('run', 'order', '--run', 'back', '--fail-at', 'ship');
    const [{ effects }] = await desk.json('show', 'back');
    const { key } = effects.find(({ tool }: { tool: string }) => tool === 'ship');
    const { code, out } = await desk.ask(
      'resume',
      'back',
      '--settle',
      key,
      '--as',
      'compensated',
      '--by',
      'ann',
      '--json',
    );
    expect(code).toBe(0);
    expect(JSON.parse(out).world.parcels.map((parcel: { key: string }) => parcel.key)).toEqual([key, `${key}~1`]);
  });

  test('without reconcilers nobody is asked; with them resume asks first, and a word of a person changes nothing', async () => {
    const parked = await desk.ask('run', 'order', '--run', 'alone', '--fail-at', 'pay', '--no-reconcilers');
    expect([parked.code, parked.out]).toEqual([1, expect.stringContaining('asks findPayment')]);
    expect((await desk.ask('resume', 'alone', '--no-reconcilers')).code).toBe(1);
    const { code, out, err } = await desk.ask('resume', 'alone', '--settle', 'pay', '--as', 'failed', '--by', 'ann');
    expect([code, out]).toEqual([0, booked(1)]);
    expect(err).toContain('pay is confirmed by now: its counterparty was asked, and nothing was settled by hand\n');
  });

  test('a rerun that is advised is started by --rerun', async () => {
    const parked = await desk.ask('run', 'paper', '--fail-at', 'polish', '--when', 'before');
    expect([parked.code, parked.out]).toEqual([1, expect.stringContaining('belay resume paper-1 --rerun')]);
    const { code, out } = await desk.ask('resume', 'paper-1', '--rerun', '--fail-at', 'polish');
    expect([code, out]).toEqual([0, expect.stringMatching(/^paper-1: done/)]);
    const told = await desk.json('explain', 'paper-1');
    expect(told.at(-1)).toMatchObject({
      verdict: 'rerun',
      parked: false,
      replayed: [
        { instance: 'Writing::the paper::0', tools: ['draft', 'polish'] },
        { instance: 'Review::the paper::0', tools: ['review'] },
      ],
    });
  });
});

describe('a run that breaks', () => {
  const slow = (breaks: string) => JSON.stringify({ slow: breaks === 'module', breaks });

  test('because the agent throws where nobody catches it, is closed and can be resumed', async () => {
    const { code, out } = await desk.askApart('run', 'order', '--run', 'broken', '--input', slow('module'));
    expect(code).toBe(1);
    expect(out).toMatch(/^broken: broken off, in the state paying, as something in the agent's/);
    expect(out).toContain('"the line went dead"');
    expect(await desk.askApart('resume', 'broken')).toMatchObject({ code: 0, out: booked(1) });
  });

  test('only in showing its world or in closing it, has ended all the same', async () => {
    const world = await desk.ask('run', 'order', '--input', slow('world'));
    expect([world.code, world.out.includes('World')]).toEqual([0, false]);
    expect(world.err).toContain('the world cannot be shown: the books are locked\n');
    const close = await desk.ask('run', 'order', '--input', slow('close'));
    expect([close.code, close.err]).toEqual([0, expect.stringContaining('order: cannot_close the door is stuck\n')]);
  });

  test('because an undo fails, is stuck until that goes well', async () => {
    const stuck = await desk.ask('run', 'trip', '--input', '{"closed":true}', '--fail-at', 'confirm');
    expect(stuck.code).toBe(1);
    expect(stuck.out).toMatch(/^trip-1: stuck, in the state confirming, as what undoes book failed: "the/);
    expect((await desk.ask('runs')).out).toMatch(/trip-1 +trip +stuck +an undo of book +\d+s\n/);
    expect((await desk.ask('explain', 'trip-1')).out).toMatch(/\n {2}belay resume trip-1\n {4}finishes the recovery/);
    expect(await desk.ask('resume', 'trip-1')).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^trip-1: done/),
    });
    expect((await desk.ask('show', 'trip-1')).out).toMatch(
      /\n {2}book +"?Trip::the trip::0"? +compensable +confirmed +\d+\n/,
    );
  });
});

describe('a run that is stopped', () => {
  test.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('by %s is closed, and taken up again without a second payment', async (signal, code) => {
    const run = `stopped-${code}`;
    const running = desk.begin('run', 'order', '--run', run, '--input', '{"slow":true}');
    await desk.until(run, ({ effects }) => effects.some(({ tool }) => tool === 'pay'));
    expect((await desk.ask('runs')).out).toMatch(new RegExp(`${run} +order +running +\\d+s\n`));
    expect(await desk.ask('resume', run)).toMatchObject({ code: 2, err: expect.stringContaining('lease_held') });
    running.kill(signal);
    const stopped = await running.closed;
    expect([stopped.code, stopped.out]).toEqual([code, expect.stringContaining(`belay resume ${run}`)]);
    expect(stopped.out).toMatch(new RegExp(`^${run}: stopped, in the state paying\n`));
    expect(existsSync(join(desk.folder, `belay.sqlite.world/${run}/closed`))).toBe(true);
    const resumed = await desk.ask('resume', run);
    expect([resumed.code, resumed.out]).toEqual([0, booked(1)]);
  });

  test('one that was killed is taken up as well', async () => {
    const running = desk.begin('run', 'order', '--run', 'killed', '--input', '{"slow":true}');
    await desk.until('killed', ({ effects }) => effects.some(({ tool }) => tool === 'pay'));
    running.kill('SIGKILL');
    await running.closed;
    expect((await desk.ask('runs')).out).toMatch(/killed +order +at rest +a process to take it up +\d+s\n/);
    expect(await desk.ask('resume', 'killed')).toMatchObject({ code: 0, out: booked(1) });
  });
});

test('a config is held against the machine of an agent, too', async () => {
  const { code, out } = await desk.ask('check', join(import.meta.dirname, 'fixtures'));
  expect(code).toBe(0);
  expect(out).toContain('paper.yaml: paper is in order\n');
  expect(out).not.toContain('no_machine');
});
