/** Recovery by regime and domain (DART tables 1 and 9). */
import { mean, median } from 'simple-statistics';
import { STRATEGIES, type Strategy } from '../case.ts';
import type { JudgedCase, Row } from '../judge.ts';
import type { Paper } from '../paper.ts';
import { beside, only, type Table } from '../workloads/table.ts';

/** The two kinds of failure. */
export const REGIMES = ['commit-sensitive', 'official'] as const;

/** The rows of a regime and domain under a strategy. */
export function rowsOf(
  judged: readonly JudgedCase[],
  regime: string,
  domain: string,
  strategy: Strategy,
): readonly Row[] {
  return judged
    .filter((each) => each.regime === regime && each.domain === domain)
    .flatMap(({ rows }) => rows.filter((row) => row.strategy === strategy));
}

/** The median of what there is; null of nothing. */
export function medianOf(values: readonly (number | null)[]): number | null {
  const there = values.filter((value) => value !== null);
  return there.length === 0 ? null : median([...there]);
}

/** The domains that were judged, in the order in which the paper has them, the others after them. */
export function domainsOf(judged: readonly JudgedCase[], { universe }: Paper): readonly string[] {
  const there = new Set(judged.map(({ domain }) => domain));
  return [...new Set([...Object.keys(universe), ...there])].filter((domain) => there.has(domain));
}

/** The results of each strategy. */
export function recoveryTable(judged: readonly JudgedCase[], paper: Paper): Table {
  const rows = REGIMES.flatMap((regime) =>
    domainsOf(judged, paper).flatMap((domain) =>
      STRATEGIES.flatMap((strategy) => {
        const all = rowsOf(judged, regime, domain, strategy);
        return all.length === 0 ? [] : [rowFor(all, regime, domain, strategy, paper)];
      }),
    ),
  );
  return {
    id: 'recovery',
    title: 'Recovery by regime and domain',
    notes: [
      'success: the run ended and came to the same result. replay: calls made again until the failed one had succeeded, median over successful runs; upstream: those of them that are other instances’.',
      'preserved: instances that were over and stay as they were. observed: the run went on from a checkpoint or from an answer. harmed: the share of the ended runs whose world is not that of the run that never failed: duplicates, losses, wrong rows.',
      'The paper has no Belay: its rows stand beside Comp-Frozen’s. It takes a rerun for safe always, so it has no harmed. Its cases are not ours, so a median may differ with the length of a run; success and upstream replay may not.',
      'The paper’s 1.00 for Comp-Frozen is over cases that its rule admits, so it compares with the share of those that are let through; what ours blocks is in the calibration.',
      'Coarse-State-Retry is left out where no snapshot at a coarse anchor precedes the failed instance.',
    ],
    columns: [
      { key: 'regime', title: 'regime' },
      { key: 'domain', title: 'domain' },
      { key: 'strategy', title: 'strategy' },
      { key: 'runs', title: 'runs' },
      { key: 'success', title: 'success', better: 'higher' },
      { key: 'admittedSuccess', title: 'of those let through', better: 'higher' },
      { key: 'replay', title: 'replay', better: 'lower' },
      { key: 'upstream', title: 'upstream', better: 'lower' },
      { key: 'preserved', title: 'preserved', better: 'higher' },
      { key: 'observed', title: 'observed', better: 'higher' },
      { key: 'blocked', title: 'blocked', better: 'lower' },
      { key: 'harmed', title: 'harmed', better: 'lower' },
      { key: 'duplicates', title: 'duplicates', better: 'lower' },
      { key: 'latency', title: 'median ms' },
    ],
    groups: 2,
    rows,
  };
}

function rowFor(all: readonly Row[], regime: string, domain: string, strategy: Strategy, paper: Paper) {
  const theirs = paper.recovery.rows[regime]?.[domain]?.[strategy === 'belay' ? 'comp-frozen' : strategy];
  // How long a run is says how much a whole or coarse rerun repeats: that is a choice of the cases.
  const local = strategy === 'comp-frozen' || strategy === 'belay';
  const good = all.filter(({ success }) => success);
  const through = all.filter(({ blocked }) => !blocked);
  const blocks = through.length < all.length;
  const ended = all.filter(({ status }) => status === 'ok' || status === 'contract');
  const harmed = ended.filter(
    ({ difference: { duplicates, missing, unexpected } }) => duplicates + missing + unexpected > 0,
  );
  const share = (count: number, of: number) => (of === 0 ? null : round(count / of));
  return [
    only(regime),
    only(domain),
    only(strategy),
    only(all.length),
    beside(share(good.length, all.length), theirs?.success, 'higher', !(local && blocks)),
    beside(share(good.length, through.length), local ? theirs?.success : null, 'higher'),
    beside(medianOf(good.map(({ replay }) => replay)), theirs?.replay, local ? 'lower' : 'equal'),
    beside(medianOf(good.map(({ upstream }) => upstream)), theirs?.upstream, local ? 'lower' : 'equal'),
    beside(medianOf(good.map(({ preserved }) => preserved.length)), theirs?.preserved, 'higher'),
    beside(round(mean(all.map(({ observed }) => (observed ? 1 : 0)))), theirs?.observed, 'higher', !(local && blocks)),
    only(share(all.length - through.length, all.length)),
    only(share(harmed.length, ended.length)),
    only(ended.reduce((sum, { difference }) => sum + difference.duplicates, 0)),
    only(rounded(medianOf(good.map(({ latency }) => latency)))),
  ];
}

/** To two places. */
export function round(value: number): number {
  return Math.round(value * 100) / 100;
}

function rounded(value: number | null): number | null {
  return value === null ? null : round(value);
}
