/** The whole audit, run once: its cases, its counts, and the report that it leaves. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { readDomains } from '../../audit/case.ts';
import { readRecorded } from '../../audit/dart/page.ts';
import { GUARDS, type Guard } from '../../audit/guards.ts';
import type { JudgedCase } from '../../audit/judge.ts';
import { readPaper } from '../../audit/paper.ts';
import { NONE, type Report, reportOf } from '../../audit/report.ts';
import { ROOT } from '../../audit/root.ts';
import run from '../../audit/worker.ts';
import { audit, cases, FOLDER } from './command.ts';

interface Cell {
  readonly ours: unknown;
  readonly paper?: unknown;
  readonly mark?: string;
}

interface Printed {
  readonly summary: Report['summary'];
  readonly tables: Record<string, { readonly rows: readonly Record<string, Cell>[] }>;
  readonly cases: readonly JudgedCase[];
}

describe('npm run audit', () => {
  let report: Printed;
  let ran: Awaited<ReturnType<typeof audit>>;

  beforeAll(async () => {
    ran = await audit('--repeat', '1', '--json');
    if (ran.out !== '') report = JSON.parse(ran.out) as Printed;
  });

  const of = (name: string, strategy = 'belay') => {
    const found = report.cases.find((each) => each.name === name);
    const row = found?.rows.find((each) => each.strategy === strategy);
    if (found === undefined || row === undefined) throw new Error(`nothing was observed of ${name} under ${strategy}`);
    return { ...found, row };
  };

  test('runs every case as it is frozen, and ends well', () => {
    expect([ran.code, ran.err]).toEqual([0, '']);
    expect(report.summary).toMatchObject({
      cases: 54,
      wrong: [],
      notAsFrozen: 0,
      unsafeAdmissions: { 'comp-entry-only': 0, 'comp-frozen': 0, belay: 0 },
      falseBlocked: { 'comp-frozen': 0, belay: 0 },
      falseBlockedCheckpoints: { 'comp-frozen': 0, belay: 0 },
      alignedRows: { 'comp-frozen': { rows: 54, aligned: 54 }, belay: { rows: 54, aligned: 54 } },
    });
  });

  test('comes to the counts that docs/dart.md was laid out from', () => {
    const { summary } = readRecorded(readFileSync(join(ROOT, 'audit', 'dart', 'recorded.jsonl'), 'utf8'));
    const { runs: _, alignedRows, notAsFrozen, langgraph, ...counts } = summary;
    expect(report.summary).toMatchObject(counts);
    expect(notAsFrozen).toBe(0);
    expect(alignedRows.belay.aligned).toBe(alignedRows.belay.rows);
    expect(report.summary.langgraph).toEqual(langgraph);
  });

  test('has the cases of the paper’s universe, by domain and regime', () => {
    for (const [domain, { official, commitSensitive }] of Object.entries(readPaper().universe)) {
      const own = cases.filter((each) => each.domain === domain);
      expect([domain, own.filter(({ regime }) => regime === 'official').length]).toEqual([domain, official]);
      expect([domain, own.filter(({ regime }) => regime !== 'official').length]).toEqual([domain, commitSensitive]);
    }
    expect(new Set(cases.map(({ probes }) => probes)).size).toBe(54);
    expect(readDomains()).toHaveLength(5);
  });

  test('every count of unsafe admissions, and of needless blocks, is 0 wherever it is told', () => {
    const counts: [string, unknown][] = [];
    const look = (value: unknown): void => {
      if (typeof value !== 'object' || value === null) return;
      for (const [name, field] of Object.entries(value)) {
        const told = typeof field === 'object' && field !== null && 'ours' in field ? field.ours : field;
        if (/^(unsafe|falseBlocked)/.test(name) && typeof told !== 'object') counts.push([name, Number(told)]);
        look(field);
      }
    };
    look(report);
    expect(counts.length).toBeGreaterThan(100);
    expect(counts.filter(([, count]) => count !== 0)).toEqual([]);
  });

  test('blocks strictly less than the paper’s rule, and whatever it newly lets through ends as it has to', () => {
    const { blocked, newlyAdmitted } = report.summary;
    expect(blocked.belay).toBeLessThan(blocked['comp-frozen']);
    expect(newlyAdmitted).toBeGreaterThan(0);
    const rows = report.tables['newly-admitted']?.rows ?? [];
    expect(rows).toHaveLength(newlyAdmitted);
    for (const { safe } of rows) expect(safe?.ours).toBe(true);
  });

  test('every block was forced, and did harm', () => {
    const blocked = report.cases.filter(({ rows }) => rows.some((row) => row.blocked && row.shown?.instance !== null));
    expect(blocked.length).toBeGreaterThan(10);
    for (const { rows, counterfactuals } of blocked) {
      for (const { strategy } of rows.filter((row) => row.blocked && row.strategy !== 'comp-entry-only')) {
        const own = counterfactuals.filter((forced) => forced.strategy === strategy);
        expect(own.flatMap(({ forced }) => forced).length).toBeGreaterThan(0);
        expect(own.filter(({ harmless }) => harmless)).toEqual([]);
      }
    }
  });

  test('every block of Belay has a reason with its witness, and an act that would unblock it', () => {
    const blocked = report.cases.flatMap(({ name, rows }) =>
      rows.filter(({ strategy, blocked }) => strategy === 'belay' && blocked).map(({ shown }) => ({ name, shown })),
    );
    expect(blocked.length).toBeGreaterThan(5);
    for (const { name, shown } of blocked) {
      expect([name, shown?.acts.length]).not.toEqual([name, 0]);
      expect([name, shown?.vetoes.length]).not.toEqual([name, 0]);
      // A name that fits several has no checkpoint and no witness but the name.
      for (const veto of shown?.vetoes ?? []) expect(veto).toMatch(/^(ambiguous_instance|\S+ [a-z_]+ \S.*)$/);
    }
  });

  test('a whole rerun, which the paper calls always safe, does harm in the world, and its duplicates are counted', () => {
    const { harmfulReruns, rerunDuplicates } = report.summary;
    expect(harmfulReruns).toBeGreaterThan(20);
    expect(rerunDuplicates).toBeGreaterThan(10);
    expect(of('receipt-after-submit', 'retry-only').row).toMatchObject({
      success: true,
      difference: { duplicates: 2 },
    });
  });

  test('the machines have the size of the paper’s, and so do their configs', () => {
    for (const row of report.tables.review?.rows ?? []) {
      const marks = Object.values(row).flatMap(({ mark }) => (mark === undefined ? [] : [mark]));
      expect(marks.every((mark) => mark === 'same')).toBe(true);
    }
    expect(report.tables.review?.rows).toHaveLength(5);
  });

  test('an edge that is no boundary marks nobody, and once declared marks the unresolved', () => {
    const rows = report.tables['ablation-wrong-edge']?.rows ?? [];
    expect(rows.length).toBeGreaterThanOrEqual(2);
    for (const { declared, frozen } of rows) expect([declared?.ours, frozen?.ours]).toEqual([true, false]);
  });

  test('every raw failure at a site leads to one decision, at the five sites', () => {
    const rows = report.tables.signals?.rows ?? [];
    expect(rows.map(({ site }) => site?.ours).sort()).toEqual(
      Object.keys(readPaper().signals.rows).sort((a, b) => (a < b ? -1 : 1)),
    );
    for (const { decisions, raw } of rows) {
      expect(decisions?.ours).toBe(1);
      expect(raw?.ours).toBeGreaterThanOrEqual(4);
    }
  });

  test('paper figures stand beside ours, and are nowhere ours', () => {
    const cells = Object.values(report.tables).flatMap(({ rows }) => rows.flatMap((row) => Object.values(row)));
    const beside = cells.filter(({ paper }) => paper !== undefined);
    expect(beside.length).toBeGreaterThan(200);
    for (const { mark } of beside) expect(['same', 'better', 'worse', 'not comparable']).toContain(mark);
  });

  test('commit-sensitive: the receipt is redone from right after the submission, and nothing else', () => {
    const { row, calls } = of('receipt-after-submit');
    expect(row.shown).toMatchObject({ verdict: 'restore', checkpoint: 'submitted', replayed: 1 });
    expect(row.preserved.filter((name) => name.startsWith('ResolveSlot'))).toHaveLength(5);
    expect(row.shown?.vetoes).toContain('entry irreversible_effect_policy submit_schedule');
    expect(calls).toBe(26);
  });

  test('a lost reply is settled where somebody can be asked, and blocks the paper’s rule', () => {
    expect(of('submit-reply-lost').row.shown?.verdict).toBe('settle');
    const { row, onceKnown } = of('submit-reply-lost', 'comp-frozen');
    expect(row.shown?.vetoes).toContain('entry effect_outcome_unknown submit_schedule');
    expect(onceKnown?.codes).toEqual(['irreversible_effect_policy']);
  });

  test('dependency: a slot found wrong late is refused, with everybody who has relied on it', () => {
    const both = ['FinalizeSchedule::final::0', 'ResolveSlot::slot[1]::0'].map(
      (name) => `entry committed_consumers_present ${name}`,
    );
    expect(of('slot-found-wrong-late', 'comp-frozen').row.shown?.vetoes).toEqual(both);
    const ours = of('slot-found-wrong-late').row.shown?.vetoes;
    expect(ours).toEqual([...both, 'entry irreversible_effect_policy submit_schedule']);
    const [dropped] =
      report.tables['ablation-guard-off']?.rows.filter(({ case: name }) => name?.ours === 'slot-found-wrong-late') ??
      [];
    expect(dropped?.dropped).toEqual({ ours: 2, paper: 2, mark: 'same' });
  });

  test('re-entry: the stale occurrence is not touched, and without ordinals nobody is meant', () => {
    for (const name of ['reopened-slot-denied', 'reopened-slot-found-wrong']) {
      const { row, localisation } = of(name);
      expect(row.preserved).toContain('ResolveSlot::slot[1]::0');
      expect(localisation.aliases).toContain('ResolveSlot::slot[1]');
      expect(localisation.weakened?.codes).toEqual(['ambiguous_instance']);
      expect(localisation.stale?.forced.safe).toBe(false);
    }
    expect(of('reopened-slot-unnamed').row.shown).toMatchObject({ instance: null, vetoes: ['ambiguous_instance'] });
  });

  test('leaves a report: text, JSON, JUnit, and a page that asks nobody for anything', () => {
    for (const file of ['report.txt', 'report.json', 'junit.xml']) expect(existsSync(join(FOLDER, file))).toBe(true);
    const page = readFileSync(join(FOLDER, 'index.html'), 'utf8');
    expect(page).toContain('Everything is as it has to be.');
    expect(page.match(/<figure>/g)).toHaveLength(5);
    expect(page).not.toMatch(/<script|<link|<img|src=|@import|url\(/);
    expect(page.match(/https?:\/\/[^"'\s<]+/g)?.filter((url) => !url.startsWith('http://www.w3.org/')) ?? []).toEqual(
      [],
    );
    const junit = readFileSync(join(FOLDER, 'junit.xml'), 'utf8');
    expect(junit.match(/<testcase /g)?.length).toBeGreaterThan(54 * 4);
    expect(junit).not.toContain('<failure');
  });

  describe.each(Object.keys(GUARDS) as Guard[])('without the guard %s', (guard) => {
    /** The case that turns on it, as the table names it. With the guard the case is green: nothing is wrong with the run of all of them. */
    const turning = () => {
      const row = report.tables.necessity?.rows.find((each) => each.guard?.ours === guard);
      expect(row?.broken?.ours).toBeGreaterThan(0);
      return String(row?.case?.ours).split('/') as [string, string];
    };

    test('goes red, and a case shows what breaks', async () => {
      const [domain, name] = turning();
      const wanted = { strategies: ['belay'], repeat: 1, without: guard, probes: false } as const;
      const judged = (await run({ do: 'judge', domain, case: name, wanted })) as JudgedCase;
      const { summary } = reportOf([judged], NONE, readPaper(), { whole: false, without: guard });
      expect(summary.wrong.length).toBeGreaterThan(0);
    });

    test.runIf(guard === 'live_readers')('the command goes red, too', async () => {
      const [domain, name] = turning();
      const one = ['--domain', domain, '--case', name, '--strategy', 'belay', '--repeat', '1', '--json'];
      const { code, out } = await audit(...one, '--without', guard);
      expect(code).toBe(1);
      expect((JSON.parse(out) as Printed).summary.wrong.length).toBeGreaterThan(0);
    });
  });
});
