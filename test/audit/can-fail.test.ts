/** The audit can fail: where a case or a config says something else than what happens. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Case, readDomains, STRATEGIES } from '../../audit/case.ts';
import { type JudgedCase, judge, type Wanted } from '../../audit/judge.ts';
import { readPaper } from '../../audit/paper.ts';
import { NONE, reportOf } from '../../audit/report.ts';
import { differenceOf } from '../../audit/worlds.ts';
import { agents } from '../../domains/agents.ts';
import { cases } from './command.ts';

const named = (name: string): Case => {
  const found = cases.find((each) => each.name === name);
  if (found === undefined) throw new Error(`there is no case ${name}`);
  return found;
};

describe('the audit can fail', () => {
  const agent = agents.scheduleForm;
  const domain = readDomains().find(({ name }) => name === 'schedule-form') as ReturnType<typeof readDomains>[number];
  const wanted: Wanted = { strategies: ['belay'], repeat: 1, without: null, probes: false };
  const wrongIn = (judged: JudgedCase): readonly string[] => {
    return reportOf([judged], NONE, readPaper(), { whole: false, without: null }).summary.wrong;
  };

  test('where a case says something else than what happens', async () => {
    const given = named('query-timeout');
    const wrong = { ...given, expect: { ...given.expect, belay: { ...given.expect.belay, replayed: 1 } } };
    const judged = await judge(agent, domain, wrong, wanted);
    expect(judged.rows[0]?.mismatches).toEqual(['replayed is 2, and not 1']);
    expect(wrongIn(judged)).toEqual(['schedule-form/query-timeout, belay, seed 0: replayed is 2, and not 1']);
  });

  test('where a config says that invitations do no harm', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'belay-audit-test-'));
    const config = join(folder, 'schedule-form.yaml');
    const content = readFileSync(agent.config, 'utf8');
    writeFileSync(
      config,
      content.replace(/effect: irreversible\n {4}reconcile: \{ ask: find_submission.*/, 'effect: none'),
    );
    const judged = await judge({ ...agent, config }, domain, named('submit-reply-lost'), wanted);
    rmSync(folder, { recursive: true });
    expect(judged.rows[0]).toMatchObject({ unsafeAdmission: true, difference: { duplicates: 2 } });
    expect(wrongIn(judged).join()).toContain('UNSAFE');
  });

  test('the paper’s rule knows no order, and blocks over what an earlier occurrence had read; forced, that does no harm', async () => {
    const of = readDomains().find(({ name }) => name === 'navigation') as typeof domain;
    const given: Case = {
      ...named('reopened-stop-denied'),
      failing: { call: { tool: 'choose_poi', nth: 4 }, when: 'before' },
    };
    const both: Wanted = { strategies: ['comp-frozen', 'belay'], repeat: 1, without: null, probes: true };
    const { rows, counterfactuals } = await judge(agents.navigation, of, given, both);
    expect(rows.map(({ strategy, blocked, safe }) => [strategy, blocked, safe])).toEqual([
      ['comp-frozen', true, false],
      ['belay', false, true],
    ]);
    expect(counterfactuals).toMatchObject([{ strategy: 'comp-frozen', boundary: 'entry', harmless: true }]);
  });

  test('worlds differ by what is there twice, by what is missing, and by what should not be there', () => {
    const reference = { mail: [{ to: 'a' }, { to: 'b' }] };
    expect(differenceOf({ mail: [{ to: 'a' }, { to: 'a' }, { to: 'c' }] }, reference)).toEqual({
      duplicates: 1,
      missing: 1,
      unexpected: 1,
    });
    expect(differenceOf({ rows: [{}] }, reference)).toEqual({ duplicates: 0, missing: 2, unexpected: 1 });
    expect(differenceOf(reference, reference)).toEqual({ duplicates: 0, missing: 0, unexpected: 0 });
  });

  test('there are five ways of recovering, by the paper’s names and ours', () => {
    expect(STRATEGIES).toEqual(['retry-only', 'coarse-state-retry', 'comp-entry-only', 'comp-frozen', 'belay']);
  });
});
