/** The report as one page that needs nothing else: no script, no font, no picture from anywhere. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Eta } from 'eta';
import { STRATEGIES } from './case.ts';
import type { JudgedCase } from './judge.ts';
import { plotsOf } from './plots.ts';
import type { Report } from './report.ts';
import { ROOT } from './root.ts';
import type { Value } from './tables/table.ts';
import { shortly } from './text.ts';

/** Lays a report out as a page. */
export function pageOf(report: Report): string {
  const eta = new Eta({ autoEscape: true });
  const template = readFileSync(join(ROOT, 'audit', 'page.eta'), 'utf8');
  const { summary, tables, cases } = report;
  return eta.renderString(template, {
    summary,
    tables,
    short: shortly(summary, cases.length),
    plots: plotsOf(report),
    strategies: STRATEGIES,
    cases: cases.map(shownCase),
    told,
  });
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
