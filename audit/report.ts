/** The audit as tables: what came of each case, what came of doing it anyway, and who could have been meant. */
import { instanceName } from 'belay-sidecar';
import Table from 'cli-table3';
import pc from 'picocolors';
import { STRATEGIES, type Strategy } from './case.ts';
import type { Forced } from './force.ts';
import type { Judged, JudgedCase } from './judge.ts';
import type { Difference } from './worlds.ts';

/** How the audit ended, in counts. */
export interface Summary {
  readonly cases: number;
  readonly notAsFrozen: number;
  readonly unsafeAdmissions: Readonly<Record<Strategy, number>>;
  readonly falseBlocked: Readonly<Record<Strategy, number>>;
  readonly blocked: Readonly<Record<Strategy, number>>;
  /** Cases in which starting the task over does harm. */
  readonly harmfulReruns: number;
}

/** Counts. */
export function summaryOf(judged: readonly JudgedCase[]): Summary {
  const rows = judged.flatMap((each) => each.rows);
  const count = (which: (row: Judged) => boolean) =>
    Object.fromEntries(
      STRATEGIES.map((strategy) => [strategy, rows.filter((row) => row.strategy === strategy && which(row)).length]),
    ) as Record<Strategy, number>;
  return {
    cases: judged.length,
    notAsFrozen: rows.filter(({ mismatches }) => mismatches.length > 0).length,
    unsafeAdmissions: count((row) => row.unsafeAdmission),
    falseBlocked: count((row) => row.falseBlocked),
    blocked: count((row) => row.blocked),
    harmfulReruns: judged.filter(({ rerun }) => !rerun.harmless).length,
  };
}

/** Whether everything is as it has to be: as frozen, nothing admitted that is unsafe, and nothing needlessly blocked by Belay. */
export function isSound({ notAsFrozen, unsafeAdmissions, falseBlocked }: Summary): boolean {
  const unsafe = STRATEGIES.reduce((sum, strategy) => sum + unsafeAdmissions[strategy], 0);
  return notAsFrozen + unsafe + falseBlocked.belay + falseBlocked['belay-alone'] === 0;
}

/** Lays the audit out for a terminal of so many columns. */
export function textOf(judged: readonly JudgedCase[], columns: number, colours: boolean): string {
  const { bold, dim } = pc.createColors(colours);
  return [
    bold('What came of it'),
    dim('belay-alone has nobody to ask what became of a call; dart is the rule of the'),
    dim('DART paper. replay: calls made again until the failed one has succeeded; kept:'),
    dim('completed instances that stay as they are; twice: rows of the world that are'),
    dim('there once too often.'),
    recoveries(judged, columns, colours),
    '',
    bold('What was refused, done anyway'),
    dim('By a runtime that knows checkpoints only. Rows of the world that are there'),
    dim('twice, that are lost, and that are wrong.'),
    counterfactuals(judged, columns, colours),
    '',
    bold('Who is meant, if names had no ordinals'),
    localisations(judged, columns, colours),
    '',
    ...closing(judged, colours),
    '',
  ].join('\n');
}

/** A table without lines: a terminal of 80 columns has none to spare. */
function table(head: readonly string[], widths: readonly number[], columns: number, colours: boolean) {
  const taken = widths.reduce((sum, width) => sum + width + 1, 0);
  const sides = ['top', 'bottom', 'left', 'right'];
  const names = [
    ...sides,
    ...sides.flatMap((side) => [`${side}-mid`, `${side}-left`, `${side}-right`]),
    'mid',
    'mid-mid',
  ];
  return new Table({
    head: [...head],
    colWidths: [...widths, Math.max(columns - taken, 24)],
    wordWrap: true,
    chars: { ...Object.fromEntries(names.map((name) => [name, ''])), middle: ' ' },
    style: { head: colours ? ['dim'] : [], border: [], compact: true, 'padding-left': 0, 'padding-right': 0 },
  });
}

function recoveries(judged: readonly JudgedCase[], columns: number, colours: boolean): string {
  const { bold, green, yellow, red } = pc.createColors(colours);
  const shown = table(
    ['', 'verdict', 'checkpoint', 'replay', 'kept', 'twice', 'vetoes'],
    [11, 9, 11, 6, 4, 5],
    columns,
    colours,
  );
  for (const { case: given, rows } of judged) {
    shown.push([{ colSpan: 7, content: '' }]);
    shown.push([
      {
        colSpan: 7,
        content: `${bold(given.name)}  ${[...new Set(rows.map((row) => row.observed.instance))].join(', ')}`,
      },
    ]);
    shown.push([{ colSpan: 7, content: given.probes }]);
    for (const [row, strategies] of alike(rows)) {
      const { verdict, checkpoint, replayed, preserved } = row.observed;
      const colour = row.unsafeAdmission || row.falseBlocked ? red : row.blocked ? yellow : green;
      const marks = [
        row.unsafeAdmission && 'UNSAFE',
        row.falseBlocked && 'NEEDLESS',
        row.mismatches.length > 0 && 'NOT AS FROZEN',
      ];
      shown.push([
        strategies.join('\n'),
        colour([verdict, ...marks.filter(Boolean)].join('\n')),
        checkpoint ?? '-',
        String(replayed),
        String(preserved.length),
        String(row.difference.duplicates),
        vetoLines(row).join('\n') || '-',
      ]);
    }
  }
  return trimmed(shown);
}

/** The rows that show the same, once each, with the strategies that they hold for. */
function alike(rows: readonly Judged[]): readonly (readonly [Judged, readonly Strategy[]])[] {
  const groups = new Map<string, [Judged, Strategy[]]>();
  for (const row of rows) {
    const { strategy, ...rest } = row;
    const text = JSON.stringify(rest);
    const group = groups.get(text);
    if (group === undefined) groups.set(text, [row, [strategy]]);
    else group[1].push(strategy);
  }
  return [...groups.values()];
}

/** The vetoes, those of one checkpoint together, each with its witnesses. */
function vetoLines({ observed, onceKnown }: Judged): readonly string[] {
  const lines = new Map<string, string[]>();
  for (const veto of observed.vetoes) {
    const [where = '', code, ...witness] = veto.split(' ');
    const under = lines.get(where) ?? [];
    lines.set(where, [
      ...under,
      ...(code === undefined || under.includes(code) ? [] : [code]),
      ...witness.map((name) => `  ${name}`),
    ]);
  }
  const acts = observed.acts.map((act) => `to unblock it: ${act}`);
  const all = [...[...lines].flatMap(([where, under]) => [`${where}:`, ...under]), ...acts];
  if (onceKnown === null) return all;
  return [...all, `once known: ${onceKnown.verdict}`, ...onceKnown.codes];
}

function trimmed(shown: { toString(): string }): string {
  return shown.toString().replaceAll(/ +$/gm, '');
}

function counterfactuals(judged: readonly JudgedCase[], columns: number, colours: boolean): string {
  const { bold, green, red } = pc.createColors(colours);
  const head = ['', 'calls', 'twice', 'lost', 'wrong', 'promises thrown away'];
  const shown = table(head, [32, 5, 5, 5, 5], columns, colours);
  for (const each of judged) {
    shown.push([{ colSpan: head.length, content: bold(each.case.name) }]);
    for (const [what, { calls, difference, dropped, harmless }] of forcedIn(each)) {
      const { duplicates, missing, unexpected } = difference;
      const counts = [calls, duplicates, missing, unexpected].map(String);
      shown.push([(harmless ? green : red)(`  ${what}`), ...counts, dropped.map(instanceName).join('\n')]);
    }
  }
  return trimmed(shown);
}

/** Everything that was forced, by what it was: what two strategies refuse is forced once. */
function forcedIn({ rows, rerun }: JudgedCase): ReadonlyMap<string, Forced> {
  const worlds = { 'as it was': '', before: ', without the effect', after: ', with the effect' };
  const refused = rows.flatMap(({ counterfactuals: all }) => all.flatMap(({ forced }) => forced));
  return new Map([
    ...refused.map((each): [string, Forced] => [`${each.what}${worlds[each.world]}`, each]),
    ['the task started over', rerun],
  ]);
}

function localisations(judged: readonly JudgedCase[], columns: number, colours: boolean): string {
  const shown = table(['', 'could be', 'the answer', 'restoring the older one'], [28, 8, 18], columns, colours);
  for (const { case: given, localisation } of judged) {
    if (localisation === null) continue;
    const { withoutOrdinals, weakened, stale } = localisation;
    const damage = stale === null ? '-' : `${stale.instance}: ${told(stale.forced.difference)}`;
    const answer = withoutOrdinals.length > 1 ? (weakened?.codes.join(', ') ?? '-') : 'the same';
    shown.push([given.name, String(withoutOrdinals.length), answer, damage]);
  }
  return trimmed(shown);
}

function told({ duplicates, missing, unexpected }: Difference): string {
  return `${duplicates} rows twice, ${missing} lost, ${unexpected} wrong`;
}

function closing(judged: readonly JudgedCase[], colours: boolean): readonly string[] {
  const { bold, red, green } = pc.createColors(colours);
  const summary = summaryOf(judged);
  const by = (counts: Readonly<Record<Strategy, number>>) =>
    STRATEGIES.map((strategy) => `${strategy} ${counts[strategy]}`).join(', ');
  const mismatches = judged.flatMap(({ rows }) =>
    rows.flatMap((row) => row.mismatches.map((text) => `  ${row.case}, ${row.strategy}: ${text}`)),
  );
  const verdict = isSound(summary)
    ? green('Everything is as it has to be.')
    : red('Not everything is as it has to be.');
  return [
    `${bold(String(summary.cases))} cases. Blocked: ${by(summary.blocked)}.`,
    `Unsafe admissions: ${by(summary.unsafeAdmissions)}.`,
    `Needless blocks: ${by(summary.falseBlocked)}.`,
    `Starting over does harm in ${summary.harmfulReruns} of ${summary.cases}.`,
    ...mismatches,
    verdict,
  ];
}
