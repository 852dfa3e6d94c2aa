/** `belay explain`: why a run stands as it does, whom to ask, and what to type. */
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { widest } from './agents.ts';
import { belay } from './belay.ts';
import { desk, makeShownRuns } from './shown.ts';

makeShownRuns();

describe('belay explain', () => {
  test('says why a run is parked, whom to ask, and the commands that set it going again', async () => {
    const { code, out } = await desk.ask('explain', 'parked');
    expect(code).toBe(0);
    expect(out).toMatch(
      /^parked: parked \(escalate\), 1 decision\n {2}waits for: what became of ship\n {2}waits for: a process to take it up\n\ndecision 1, row \d+: escalate: Shipping::tea::0 cannot be put back/,
    );
    expect(out).toContain('TOOL_EXCEPTION: ship failed in the state shipping: "rehearsed: ship failed');
    expect(out).toContain('Ask the owner of courier:parcels, which it writes, with the same key,');
    expect(out).toContain(
      '  belay resume parked --settle ship --as confirmed --output JSON --by NAME\n' +
        '    if it happened: the call is answered with that JSON, and not made again\n' +
        '  belay resume parked --settle ship --as failed --by NAME\n' +
        '    if it did not, and will not later: the call is made again, under its key\n',
    );
    expect(out).not.toContain('["');
    expect(widest(out)).toBeLessThanOrEqual(80);
  });

  test('calls an effect by its tool in an exported trace, too', async () => {
    const { out } = await desk.ask('export', 'parked', '--trace');
    const told = await belay(['decide', '-'], out);
    expect(told).toMatchObject({
      code: 0,
      out: expect.stringContaining('whether ship of Shipping::tea::0 (irreversible'),
    });
  });

  test('says of a restore what was done again, and what stayed as it was', async () => {
    const { out } = await desk.ask('explain', 'restored');
    expect(out).toMatch(/restore \(level 0\): Shipping::tea::0 goes back to its\s+entry/);
    expect(out).toContain('  Done again after it\n    Shipping::tea::0: ship\n');
    expect(out).toContain('  Kept as it was: 2 completed instances\n    Price::tea::0, Payment::tea::0\n');
    const [told] = await desk.json('explain', 'restored');
    expect(told).toMatchObject({
      number: 1,
      signal: 'GOVERNOR_DENIED',
      state: 'shipping',
      tool: 'ship',
      failed: 'Shipping::tea::0',
      verdict: 'restore',
      level: 0,
      vetoes: [],
      replayed: [{ instance: 'Shipping::tea::0', tools: ['ship'] }],
      preserved: ['Price::tea::0', 'Payment::tea::0'],
      parked: false,
      commands: [],
    });
  });

  test('is one object a decision for a program, with whom to ask and what to type', async () => {
    const told = await desk.json('explain', 'parked');
    expect(told).toHaveLength(1);
    expect(told[0]).toMatchObject({
      parked: true,
      vetoes: [{ code: 'effect_outcome_unknown', witness: { tool: 'ship', status: 'unknown' } }],
      unblock: { acts: [{ act: 'settle_outcome', ask: { reconciler: null, writes: ['courier:parcels'] } }] },
    });
    expect(told[0].commands[1].command).toBe('belay resume parked --settle ship --as failed --by NAME');
  });

  test('of a rerun that is advised, says how to start it', async () => {
    const { out } = await desk.ask('explain', 'advised');
    expect(out).toContain('committed_consumers_present: "Review::the paper::0" rests on');
    expect(out).toContain('\n  belay resume advised\n    has polish called again\n');
    expect(out).toContain('\n  belay resume advised --rerun\n    starts the run over,');
  });

  test('of a run in which nothing failed, says so', async () => {
    expect((await desk.ask('explain', 'plain')).out).toBe(
      'plain: done, nothing is open, nothing has failed, so nothing was decided\n',
    );
    expect((await desk.ask('explain', 'plain', '--json')).out).toBe('');
  });

  test('names the journal in its commands where it is not the usual one', async () => {
    copyFileSync(join(desk.folder, 'belay.sqlite'), join(desk.folder, 'my orders.sqlite'));
    const { out } = await desk.ask('explain', 'parked', '--journal', 'my orders.sqlite');
    expect(out).toContain("\n  belay resume parked --settle ship --as failed --by NAME --journal 'my orders.sqlite'\n");
  });
});
