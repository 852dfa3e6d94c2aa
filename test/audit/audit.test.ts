import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { type Case, readCases } from '../../audit/case.ts';
import { judge } from '../../audit/judge.ts';
import { isSound, summaryOf, textOf } from '../../audit/report.ts';
import { differenceOf } from '../../audit/worlds.ts';
import { agents } from '../../domains/agents.ts';

const MAIN = fileURLToPath(new URL('../../build/audit/main.js', import.meta.url));

function audit(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, [MAIN, ...args], { maxBuffer: 64 * 1024 * 1024 }, (error, out, err) =>
      resolve({ code: error === null ? 0 : (error.code as number), out, err }),
    );
  });
}

const cases = readCases();
const named = (name: string): Case => {
  const found = cases.find((each) => each.name === name);
  if (found === undefined) throw new Error(`there is no case ${name}`);
  return found;
};

interface Report {
  readonly summary: Record<string, unknown>;
  readonly cases: readonly {
    readonly case: { readonly name: string };
    readonly calls: number;
    readonly rows: readonly {
      readonly strategy: string;
      readonly observed: {
        verdict: string;
        checkpoint: string | null;
        replayed: number;
        preserved: string[];
        vetoes: string[];
        acts: string[];
      };
      readonly difference: { duplicates: number; missing: number; unexpected: number };
      readonly onceKnown: { codes: string[] } | null;
      readonly counterfactuals: readonly {
        boundary: string;
        harmless: boolean;
        forced: { dropped: { skeleton: string }[] }[];
      }[];
    }[];
    readonly rerun: { calls: number; difference: { duplicates: number } };
    readonly localisation: {
      withoutOrdinals: string[];
      weakened: { codes: string[] };
      stale: { forced: { harmless: boolean } } | null;
    };
  }[];
}

describe('npm run audit', () => {
  let report: Report;

  test('runs every case as it is frozen, and ends well', async () => {
    const { code, out, err } = await audit('--json');
    expect([code, err]).toEqual([0, '']);
    report = JSON.parse(out) as Report;
    expect(report.summary).toMatchObject({
      cases: cases.length,
      notAsFrozen: 0,
      unsafeAdmissions: { belay: 0, 'belay-alone': 0, dart: 0 },
      falseBlocked: { belay: 0, 'belay-alone': 0, dart: 0 },
    });
    expect(cases.length).toBeGreaterThanOrEqual(8);
  });

  const of = (name: string, strategy = 'belay') => {
    const found = report.cases.find((each) => each.case.name === name);
    const row = found?.rows.find((each) => each.strategy === strategy);
    if (found === undefined || row === undefined) throw new Error(`nothing was observed of ${name} under ${strategy}`);
    return { ...found, row };
  };

  test('whatever is restored or settled ends in the world of the run that never failed', () => {
    const admitted = report.cases.flatMap(({ rows }) =>
      rows.filter(({ observed }) => !/rerun|escalate/.test(observed.verdict)),
    );
    expect(admitted.length).toBeGreaterThan(20);
    for (const { difference } of admitted) expect(difference).toEqual({ duplicates: 0, missing: 0, unexpected: 0 });
  });

  test('whatever is blocked would have done harm', () => {
    const blocked = report.cases.flatMap(({ rows }) =>
      rows.filter(({ observed }) => /rerun|escalate/.test(observed.verdict)),
    );
    expect(blocked.length).toBeGreaterThan(5);
    for (const { counterfactuals } of blocked) {
      expect(counterfactuals.length).toBeGreaterThan(0);
      for (const { harmless } of counterfactuals) expect(harmless).toBe(false);
    }
  });

  test('commit-sensitive: the receipt is redone from right after the submission, and nothing else', () => {
    const { row, rerun, calls } = of('receipt-after-submit');
    expect(row.observed).toMatchObject({ verdict: 'restore', checkpoint: 'submitted', replayed: 1 });
    expect(row.observed.preserved.filter((name) => name.startsWith('ResolveSlot'))).toHaveLength(5);
    expect(row.observed.vetoes).toContain('entry irreversible_effect_policy submit_schedule');
    expect([calls, rerun.calls, rerun.difference.duplicates]).toEqual([26, 26, 2]);
  });

  test('effect-blocked: a lost reply is settled where somebody can be asked, and blocks where nobody can', () => {
    expect(of('submit-reply-lost').row.observed.verdict).toBe('settle');
    const alone = of('submit-reply-lost', 'belay-alone').row.observed;
    expect([alone.verdict, alone.acts]).toEqual(['escalate', ['settle_outcome submit_schedule, ask find_submission']]);
    const { observed, onceKnown } = of('submit-reply-lost', 'dart').row;
    expect(observed.vetoes).toContain('entry effect_outcome_unknown submit_schedule');
    expect(onceKnown?.codes).toEqual(['irreversible_effect_policy']);
  });

  test('dependency: a slot found wrong late is refused, with everybody who has relied on it', () => {
    const [paper, ours] = [of('slot-found-wrong-late', 'dart').row, of('slot-found-wrong-late').row];
    const both = ['FinalizeSchedule::final::0', 'ResolveSlot::slot[1]::0'].map(
      (name) => `entry committed_consumers_present ${name}`,
    );
    expect(paper.observed.vetoes).toEqual(both);
    expect(ours.observed.vetoes).toEqual([...both, 'entry irreversible_effect_policy submit_schedule']);
    expect(ours.counterfactuals[0]?.forced[0]?.dropped).toHaveLength(2);
  });

  test('re-entry: the stale occurrence is not touched, and without ordinals nobody is meant', () => {
    for (const name of ['reopened-slot-denied', 'reopened-slot-found-wrong']) {
      const { row, localisation } = of(name);
      expect(row.observed.preserved).toContain('ResolveSlot::slot[1]::0');
      expect(localisation.withoutOrdinals).toEqual(['ResolveSlot::slot[1]::0', 'ResolveSlot::slot[1]::1']);
      expect(localisation.weakened.codes).toEqual(['ambiguous_instance']);
      expect(localisation.stale?.forced.harmless).toBe(false);
    }
  });
});

describe('the command', () => {
  test('lists the cases with what each probes', async () => {
    const { code, out } = await audit('--list');
    expect(code).toBe(0);
    expect(out.trimEnd().split('\n')).toEqual(cases.map(({ domain, name, probes }) => `${domain}/${name}: ${probes}`));
  });

  test('refuses a case that is none, and misuse', async () => {
    expect(await audit('--case', 'nonsense')).toMatchObject({
      code: 2,
      err: expect.stringContaining('receipt-after-submit'),
    });
    expect(await audit('--strategy', 'hope')).toMatchObject({ code: 2 });
    expect(await audit('--freeze')).toMatchObject({ code: 2, err: expect.stringContaining('--by') });
    expect(await audit('--help')).toMatchObject({ code: 0, out: expect.stringContaining('npm run audit -- --case') });
  });
});

describe('the audit can fail', () => {
  const agent = agents.scheduleForm;

  test('where a case says something else than what happens', async () => {
    const given = named('query-timeout');
    const wrong = { ...given, expect: { ...given.expect, belay: { ...given.expect.belay, replayed: 1 } } } as Case;
    const judged = await judge(agent, wrong, ['belay']);
    expect(judged.rows[0]?.mismatches).toEqual(['replayed is 2, and not 1']);
    expect(isSound(summaryOf([judged]))).toBe(false);
    expect(textOf([judged], 80, false)).toContain('Not everything is as it has to be.');
  });

  test('where a config says that invitations do no harm', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'belay-audit-test-'));
    const config = join(folder, 'schedule-form.yaml');
    writeFileSync(
      config,
      readFileSync(agent.config, 'utf8').replace(
        'effect: irreversible\n    reconcile: find_submission',
        'effect: none',
      ),
    );
    const judged = await judge({ ...agent, config }, named('submit-reply-lost'), ['belay']);
    rmSync(folder, { recursive: true });
    expect(judged.rows[0]).toMatchObject({ unsafeAdmission: true, difference: { duplicates: 2 } });
    expect(isSound(summaryOf([judged]))).toBe(false);
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
});
