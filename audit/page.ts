/** The report as one page that needs nothing else: no script, no font, no picture from anywhere. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Eta } from 'eta';
import { STRATEGIES } from './case.ts';
import type { JudgedCase } from './judge.ts';
import { plotsOf } from './plots.ts';
import type { Report } from './report.ts';
import { ROOT } from './root.ts';
import { shortly } from './text.ts';
import type { Promised } from './workloads/promises.ts';
import type { Table, Value } from './workloads/table.ts';

/** Lays a report out as a page. @param report null where nothing but workloads was run. @param workloads their section. */
export function pageOf(report: Report | null, workloads = ''): string {
  return rendered('page.eta', {
    workloads,
    report: report && {
      summary: report.summary,
      tables: tablesHtml(report.tables),
      titles: report.tables.map(({ id, title }) => ({ id, title: title.split(/:| · /)[0] })),
      short: shortly(report.summary, report.cases.length),
      plots: plotsOf(report),
      strategies: STRATEGIES,
      cases: report.cases.map(shownCase),
    },
  });
}

/** Lays a comparison of workloads out as a section of that page. */
export function sectionOf(tables: readonly Table[], promises: readonly Promised[]): string {
  const missed = promises.filter(({ kept }) => !kept);
  return rendered('workloads.eta', { tables: tablesHtml(tables), promises: promises.length, missed });
}

function tablesHtml(tables: readonly Table[]): string {
  return rendered('tables.eta', { tables, told });
}

function rendered(name: string, what: object): string {
  const eta = new Eta({ autoEscape: true });
  return eta.renderString(readFileSync(join(ROOT, 'audit', name), 'utf8'), what);
}

/** A figure as it is read. */
function told(value: Value | undefined): string {
  if (value === null || value === undefined) return '–';
  return value === true ? 'yes' : value === false ? 'no' : String(value);
}

/** A case, with one line for each strategy. */
function shownCase(each: JudgedCase) {
  const { domain, name, regime, family, probes, rows, counterfactuals } = each;
  return {
    domain,
    name,
    regime,
    family,
    probes,
    lines: STRATEGIES.flatMap((strategy) => {
      const runs = rows.filter((row) => row.strategy === strategy);
      const [first] = runs;
      if (first === undefined) return [];
      const { shown, difference, status, replay, preserved } = first;
      return [
        {
          strategy,
          status: runs.some(({ mismatches }) => mismatches.length > 0) ? 'not as frozen' : status,
          answer:
            shown === null ? '–' : `${shown.verdict}${shown.checkpoint === null ? '' : ` to ${shown.checkpoint}`}`,
          replay: told(replay),
          preserved: preserved.length,
          world: status === 'ok' || status === 'contract' ? harmOf(difference) : 'parked',
          vetoes: shown?.vetoes ?? [],
          acts: shown?.acts ?? [],
        },
      ];
    }),
    forced: counterfactuals.flatMap(({ strategy, boundary, codes, forced }) =>
      forced.map(({ world, difference, dropped, status, safe }) => ({
        what: `${strategy}: ${boundary}${world === 'as it was' ? '' : `, if the call had failed ${world} its effect`}`,
        codes: codes.join(', '),
        world: harmOf(difference),
        dropped: dropped.join(', '),
        status,
        safe,
      })),
    ),
  };
}

function harmOf({ duplicates, missing, unexpected }: JudgedCase['rows'][number]['difference']): string {
  const parts = [
    [duplicates, 'twice'],
    [missing, 'lost'],
    [unexpected, 'wrong'],
  ] as const;
  const there = parts.filter(([count]) => count > 0).map(([count, what]) => `${count} ${what}`);
  return there.length === 0 ? 'as it should be' : there.join(', ');
}
