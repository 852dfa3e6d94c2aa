/** `belay rehearse` runs an agent of a module once for each fault, and says on which line of its config what goes wrong. */
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, test } from 'vitest';
import { Desk } from './agents.ts';

const desk = new Desk();
afterAll(() => desk.clear());

describe('an order whose tools have no timeout and whose shop forgets keys', () => {
  test('fails with its matrix, the harm, and what would unblock the runs that parked', async () => {
    const { code, out, err } = await desk.ask('rehearse', 'order');
    expect([code, err]).toEqual([1, '']);
    expect(out).toMatch(/ {2}pay#1 +=PP +=PP +XXX +=PP +XPP +=\n/);
    expect(out).toContain('lost: the run waits for ever in paying: pay never answers and has no timeout');
    expect(out).toContain('twice: payments has {"key":"(key 1, of pay)","receipt":"paid 3"} 2 times');
    expect(out).toContain('Ask findPayment, the reconciler of pay');
    expect(out).toMatch(
      /40 runs: 16 as without faults, 18 parked, 6 harm; 6 fail \(seed 1\)\nEvery fault met: [\s\S]*\n$/,
    );
  });

  test('is the same report as JSON for the same seed, and a sample of it for fewer runs', async () => {
    const one = await desk.ask('rehearse', 'order', '--json');
    const again = await desk.askApart('rehearse', 'order', '--json');
    expect(again.out).toBe(one.out);
    const all = JSON.parse(one.out);
    expect(all.totals).toEqual({ same: 16, parked: 18, harm: 6, unreached: 0 });
    expect(all.failing).toContain('path 1/call/pay#1/late/knows');
    const { out } = await desk.ask('rehearse', 'order', '--sample', '9', '--seed', '3', '--json');
    const ids = (report: { cells: { id: string }[] }) => report.cells.map(({ id }) => id);
    expect(ids(JSON.parse(out))).toHaveLength(9);
    expect(ids(all)).toEqual(expect.arrayContaining(ids(JSON.parse(out))));
  });

  test('names the lines of its tools in SARIF', async () => {
    const { code, out } = await desk.ask('rehearse', 'order', '--kills', 'none', '--format', 'sarif');
    const [run] = JSON.parse(out).runs;
    const config = fileURLToPath(new URL('fixtures/order.yaml', import.meta.url));
    type Result = {
      ruleId: string;
      locations: { physicalLocation: { artifactLocation: { uri: string }; region: { startLine: number } } }[];
    };
    const lines = (run.results as Result[]).flatMap(({ ruleId, locations }) =>
      locations.map(({ physicalLocation: { artifactLocation, region } }) => {
        return [ruleId, artifactLocation.uri.endsWith(config), region.startLine];
      }),
    );
    expect(code).toBe(1);
    expect(lines).toContainEqual(['rehearsal_lost', true, 4]);
    expect(lines).toContainEqual(['rehearsal_twice', true, 5]);
  });

  test('is one test for each run in JUnit, with what happened in those that fail', async () => {
    const { out } = await desk.ask('rehearse', 'order', '--format', 'junit');
    expect(out).toContain('<testsuites name="belay rehearse" tests="40" failures="6">');
    expect(out.match(/<testcase /g)).toHaveLength(40);
    expect(out).toContain('<failure type="rehearsal_twice" message="twice: payments has');
    expect(out).toContain('pay#1 arrives late\ndone in shipped</failure>');
  });

  test('is one page without a script whose letters lead to their runs', async () => {
    const { out } = await desk.ask('rehearse', 'order', '--format', 'html');
    const links = [...out.matchAll(/href="#(run-\d+)"/g)].map(([, id]) => id);
    const runs = [...out.matchAll(/<section class="run \w+" id="(run-\d+)">/g)].map(([, id]) => id);
    expect(runs).toHaveLength(40);
    expect(new Set(links)).toEqual(new Set(runs));
    expect(out).not.toMatch(/<script|src=|https?:/);
    expect(out).toContain('order.yaml:5</code>');
  });

  test('makes one run again, names the line to fix, and lists what would have been overlooked', async () => {
    const { code, out } = await desk.ask('rehearse', 'order', '--only', 'pay#1/late/knows', '--mutate', '8');
    expect(code).toBe(1);
    expect(out).toContain('order, path 1: 1 of 40 runs');
    expect(out.replace(/\n +/g, ' ')).toMatch(
      /To fix it, one of \S+order\.yaml:5:99 have the reconciler of pay answer/,
    );
    expect(out.replace(/\n +/g, ' ')).toMatch(
      /\d+ of 25 loosenings of the config do harm in some run\. These survived/,
    );
    const again = await desk.ask('rehearse', 'order', '--only', 'pay#1/late', '--json');
    const report = JSON.parse(again.out);
    expect(report.cells).toHaveLength(3);
    expect(report.cells[0].culprits[0]).toMatchObject({ kind: 'reconciler lies', line: 5, leadsTo: 'parked' });
  });

  test('may park for the reasons that are allowed, and for no others', async () => {
    const failing = async (...allowed: string[]) => {
      const { code, out } = await desk.ask(
        'rehearse',
        'order',
        '--kills',
        'none',
        '--json',
        '--allow-parked',
        ...allowed,
      );
      const { failing: ids, cells } = JSON.parse(out) as {
        failing: string[];
        cells: { id: string; verdict: { is: string } }[];
      };
      return [code, cells.filter(({ id, verdict }) => ids.includes(id) && verdict.is === 'parked').length];
    };
    expect(await failing('effect_outcome_unknown')).toEqual([1, 6]);
    expect(
      await failing(
        'effect_outcome_unknown',
        'irreversible_effect_policy,exit_not_restorable,committed_consumers_present',
      ),
    ).toEqual([1, 0]);
  });
});

describe('the command ends with 2 and a sentence', () => {
  const refused = async (...args: string[]) => {
    const { code, out, err } = await desk.ask('rehearse', ...args);
    expect([code, out]).toEqual([2, '']);
    return err;
  };

  test('where the agent shows no world', async () => {
    expect(await refused('desk')).toMatch(/^desk: no_snapshot .*world\(\)/);
  });

  test('where there is no such agent, no config, and no number', async () => {
    expect(await refused('ordre')).toContain('Did you mean "order"?');
    expect(await refused('order', '--config', 'nowhere.yaml')).toContain('nowhere.yaml:1:1 cannot_read');
    expect(await refused('order', '--sample', 'few')).toContain('a whole number');
    expect(await refused('order', '--input', '{')).toContain('--input is not JSON');
  });

  test('where no run has the text of --only in its id', async () => {
    expect(await refused('order', '--only', 'pay#1/lots')).toContain('no run of order has this text in its id');
  });
});

test('the help says what is run and what the exit codes mean', async () => {
  const { code, out } = await desk.ask('rehearse', '--help');
  expect(code).toBe(0);
  expect(out).toContain('--allow-parked');
  expect(out).toContain('Exit code: 0 when no run does harm');
});
