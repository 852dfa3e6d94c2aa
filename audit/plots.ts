/** The plots of the page, as SVG. They take their colours from the page, so that light and dark are its business. */
import * as Plot from '@observablehq/plot';
import { parseHTML } from 'linkedom';
import { STRATEGIES, type Strategy } from './case.ts';
import type { JudgedCase, Row } from './judge.ts';
import type { Report } from './report.ts';
import { eventsOf } from './tables/calibration.ts';
import { medianOf } from './tables/recovery.ts';

/** A plot with its content in words, for a reader who cannot see it. */
export interface Drawn {
  readonly title: string;
  readonly says: string;
  /** The meaning of its colours, where they are not those of the strategies. */
  readonly legend?: readonly (readonly [what: string, colour: string])[];
  readonly svg: string;
}

const COLOURS: Readonly<Record<Strategy, string>> = {
  'retry-only': 'var(--retry)',
  'coarse-state-retry': 'var(--coarse)',
  'comp-entry-only': 'var(--entry)',
  'comp-frozen': 'var(--frozen)',
  belay: 'var(--belay)',
};

const strategies = { domain: [...STRATEGIES], range: STRATEGIES.map((strategy) => COLOURS[strategy]) };

/** The possible results of a failure, and the colour of each. */
const BECOMES = [
  ['restored', 'var(--belay)'],
  ['answered', 'var(--entry)'],
  ['blocked', 'var(--retry)'],
] as const;

/** Every plot of a report. */
export function plotsOf({ cases, experiments: { depths } }: Report): readonly Drawn[] {
  return [
    ...(cases.length > 0 ? [replays(cases), harms(cases), blocks(cases), latencies(cases)] : []),
    ...(depths.length > 0 ? [growths(depths)] : []),
  ];
}

function draw(options: Plot.PlotOptions): string {
  const { document } = parseHTML('<!doctype html><html><body></body></html>');
  const svg = Plot.plot({
    width: 720,
    marginLeft: 130,
    marginBottom: 46,
    style: { background: 'transparent', color: 'inherit', fontSize: '12px', overflow: 'visible' },
    ...options,
    document,
  });
  return svg.outerHTML;
}

function of(cases: readonly JudgedCase[]) {
  return [...new Set(cases.map(({ domain }) => domain))].flatMap((domain) =>
    STRATEGIES.map((strategy) => {
      const own = cases.filter((each) => each.domain === domain);
      return { domain, strategy, rows: own.flatMap(({ rows }) => rows.filter((row) => row.strategy === strategy)) };
    }),
  );
}

function bars(data: readonly { domain: string; strategy: Strategy; value: number | null }[], label: string): string {
  const there = data.filter(({ value }) => value !== null);
  return draw({
    height: 40 + 86 * new Set(data.map(({ domain }) => domain)).size,
    marginRight: 40,
    x: { label, grid: true, labelOffset: 40 },
    y: { axis: null, domain: [...STRATEGIES] },
    fy: { label: null, padding: 0.2 },
    color: strategies,
    marks: [
      Plot.barX(there, { x: 'value', y: 'strategy', fy: 'domain', fill: 'strategy', insetTop: 1, insetBottom: 1 }),
      Plot.text(there, {
        x: 'value',
        y: 'strategy',
        fy: 'domain',
        text: (each) => String(each.value),
        dx: 4,
        textAnchor: 'start',
        fill: 'currentColor',
      }),
      Plot.ruleX([0]),
    ],
  });
}

function replays(cases: readonly JudgedCase[]): Drawn {
  const data = of(cases).map(({ domain, strategy, rows }) => ({
    domain,
    strategy,
    value: medianOf(rows.filter(({ success }) => success).map(({ replay }) => replay)),
  }));
  return {
    title: 'Calls made again',
    says: 'Median calls made again until the failed one had succeeded, over the runs that came to the same result.',
    svg: bars(data, 'median calls made again'),
  };
}

function harms(cases: readonly JudgedCase[]): Drawn {
  const rowsHarmed = ({ difference }: Row) => difference.duplicates + difference.missing + difference.unexpected;
  const ended = ({ status }: Row) => status === 'ok' || status === 'contract';
  const data = of(cases).map(({ domain, strategy, rows }) => ({
    domain,
    strategy,
    value: rows.filter(ended).reduce((sum, row) => sum + rowsHarmed(row), 0),
  }));
  return {
    title: 'Harm done to the world',
    says: 'Rows of the world that are there twice, lost or wrong after the runs that came to an end, all cases and repeats together.',
    svg: bars(data, 'rows twice, lost or wrong'),
  };
}

function blocks(cases: readonly JudgedCase[]): Drawn {
  const data = (['comp-frozen', 'belay'] as const).flatMap((strategy) => {
    const events = eventsOf(cases, strategy);
    const settled = cases.filter(({ rows }) =>
      rows.some((row) => row.strategy === strategy && row.shown?.verdict === 'settle'),
    );
    const count = (domain: string, is: string, value: number) => ({ strategy, domain, is, value });
    return [...new Set(cases.map(({ domain }) => domain))].flatMap((domain) => {
      const own = events.filter((event) => event.case.domain === domain);
      return [
        count(domain, 'restored', own.filter(({ blocked }) => !blocked).length),
        count(domain, 'answered', settled.filter((each) => each.domain === domain).length),
        count(domain, 'blocked', own.filter(({ blocked }) => blocked).length),
      ];
    });
  });
  return {
    title: 'What becomes of a failure',
    says: 'Failures that are restored, that are answered without moving anything, and that are blocked, under the paper’s rule and under Belay.',
    legend: BECOMES,
    svg: draw({
      height: 40 + 62 * new Set(data.map(({ domain }) => domain)).size,
      marginRight: 90,
      x: { label: 'cases', grid: true, labelOffset: 40 },
      y: { label: null },
      fy: { label: null, padding: 0.2, axis: 'right' },
      color: { domain: BECOMES.map(([what]) => what), range: BECOMES.map(([, colour]) => colour) },
      marks: [
        Plot.barX(data, { x: 'value', y: 'strategy', fy: 'domain', fill: 'is', insetTop: 1, insetBottom: 1 }),
        Plot.ruleX([0]),
      ],
    }),
  };
}

function latencies(cases: readonly JudgedCase[]): Drawn {
  const data = of(cases).flatMap(({ domain, strategy, rows }) =>
    rows.flatMap(({ latency, success }) =>
      success && latency !== null && latency > 0 ? [{ domain, strategy, latency }] : [],
    ),
  );
  return {
    title: 'Until what had failed succeeded',
    says: 'Milliseconds from the failure to the success of what had failed, each successful run a tick. Of this machine and a scripted planner: context, no target.',
    svg: draw({
      height: 40 + 86 * new Set(data.map(({ domain }) => domain)).size,
      x: { type: 'log', label: 'ms', grid: true, labelOffset: 40 },
      y: { axis: null, domain: [...STRATEGIES] },
      fy: { label: null, padding: 0.2 },
      color: strategies,
      marks: [Plot.tickX(data, { x: 'latency', y: 'strategy', fy: 'domain', stroke: 'strategy', strokeOpacity: 0.7 })],
    }),
  };
}

function growths(depths: Report['experiments']['depths']): Drawn {
  const data = depths.flatMap(({ registry, journal, inline }, index) => [
    { depth: index + 1, bytes: registry, what: 'registry' },
    { depth: index + 1, bytes: journal, what: 'journal' },
    { depth: index + 1, bytes: inline, what: 'inline snapshots' },
  ]);
  return {
    title: 'What is kept, by depth',
    says: 'Bytes of the registry of checkpoints, of the journal that everything is folded from, and of a whole snapshot at each checkpoint.',
    svg: draw({
      height: 260,
      marginLeft: 70,
      marginRight: 120,
      x: { label: 'depth', ticks: depths.map((_, index) => index + 1), tickFormat: 'd' },
      y: { label: 'bytes', grid: true, tickFormat: 's' },
      color: {
        domain: ['registry', 'journal', 'inline snapshots'],
        range: ['var(--belay)', 'var(--frozen)', 'var(--retry)'],
      },
      marks: [
        Plot.lineY(data, { x: 'depth', y: 'bytes', stroke: 'what', strokeWidth: 2 }),
        Plot.dot(data, { x: 'depth', y: 'bytes', fill: 'what' }),
        Plot.text(data.slice(-3), {
          x: 'depth',
          y: 'bytes',
          text: 'what',
          dx: 8,
          textAnchor: 'start',
          fill: 'currentColor',
        }),
      ],
    }),
  };
}
