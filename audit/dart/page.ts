/** `docs/dart.md`: every table of the paper beside ours, and each difference with its switch. Written from what a whole run recorded. */
import { there } from '../../domains/there.ts';
import type { Report } from '../report.ts';
import type { Cell, Table, Value } from '../workloads/table.ts';
import { SWITCHES, type SwitchName, type Turned, turnedIn } from './switches.ts';
import { PAPER_TABLES } from './tables.ts';

/** The figures of a whole run, as they are recorded. */
export interface Recorded {
  readonly repeat: number;
  readonly summary: Omit<Report['summary'], 'wrong'>;
  readonly tables: readonly Table[];
  readonly turned: readonly Turned[];
  readonly unexplained: readonly string[];
  /** The sweep: its sites, and what Belay and the paper's rule made of them. */
  readonly sweep: Readonly<
    Record<'comp-frozen' | 'belay', { readonly blocked: number; readonly unsafe: readonly string[] }>
  > & {
    readonly sites: number;
    readonly runs: number;
  };
}

/** Takes the figures of a whole run that the page shows. */
export function recordedOf({ summary, tables, cases, experiments }: Report, repeat: number): Recorded {
  const { studied, swept, signals, depths, candidates } = experiments;
  const { wrong: _, ...counts } = summary;
  const shown = tables.filter(({ id }) => PAPER_TABLES.some(({ ours }) => ours.includes(id)));
  const under = (strategy: 'belay' | 'comp-frozen') => {
    const own = swept.filter((each) => each.strategy === strategy);
    const unsafe = own.filter(({ blocked, safe }) => !blocked && !safe);
    return {
      blocked: own.filter(({ blocked }) => blocked).length,
      unsafe: unsafe.map(({ domain, site }) => `${domain} ${site}`),
    };
  };
  return {
    repeat,
    summary: counts,
    tables: shown,
    ...turnedIn(shown, { judged: cases, swept, studied, signals, depths, candidates }),
    sweep: {
      sites: new Set(swept.map(({ domain, site }) => `${domain} ${site}`)).size,
      runs: swept.length,
      'comp-frozen': under('comp-frozen'),
      belay: under('belay'),
    },
  };
}

/** One line of JSON for each part, so that a change of one figure is a change of one line. */
export function recordedText({ tables, turned, ...rest }: Recorded): string {
  const lines = [rest, ...tables.map((table) => ({ table })), ...turned.map((one) => ({ turned: one }))];
  return lines.map((line) => `${JSON.stringify(line)}\n`).join('');
}

/** Reads what was recorded. */
export function readRecorded(text: string): Recorded {
  const [first, ...others] = text.split('\n').filter((line) => line !== '');
  const rest: Omit<Recorded, 'tables' | 'turned'> = JSON.parse(there(first, 'first line'));
  const lines: { table?: Table; turned?: Turned }[] = others.map((line) => JSON.parse(line));
  return {
    ...rest,
    tables: lines.flatMap(({ table }) => table ?? []),
    turned: lines.flatMap(({ turned }) => turned ?? []),
  };
}

/** Lays the page out. */
export function dartPage(recorded: Recorded): string {
  return [
    '# The DART paper, table by table',
    '',
    '<!-- Written by `npm run audit -- --full`. Do not edit. -->',
    '',
    ...introduction(recorded),
    ...PAPER_TABLES.flatMap((table) => tableSection(table, recorded)),
    ...openSection(recorded),
  ].join('\n');
}

function introduction({ repeat, summary, turned, unexplained, sweep }: Recorded): readonly string[] {
  const { cases, blocked, unsafeAdmissions: unsafe, falseBlocked } = summary;
  return [
    'Each table of the paper by its number, with ours beside it. A cell is our figure, and in parentheses the paper’s: `=` the same,',
    '`+` better, `-` worse, `~` not comparable. Under a table stands each figure of ours that is another than the paper’s, with the switch',
    'that explains it: the figure with the switch off, and with it on. Both are counted from runs of the audit.',
    '',
    'Every planner is **scripted**: no figure here is one of a hosted model. Times are those of the machine that wrote the page, and context.',
    '',
    `${cases} cases, ${repeat} repeats. Comp-Frozen: ${unsafe['comp-frozen']} unsafe, ${blocked['comp-frozen']} blocked, ${falseBlocked['comp-frozen']} needlessly.`,
    `Belay: ${unsafe.belay} unsafe, ${blocked.belay} blocked, ${falseBlocked.belay} needlessly. The sweep fails every call of a run of each domain in turn:`,
    `${sweep.sites} sites, ${sweep.runs} runs. Under Belay ${sweep.belay.blocked} are blocked and ${sweep.belay.unsafe.length} end unsafe; under Comp-Frozen`,
    `${sweep['comp-frozen'].blocked} are blocked and ${sweep['comp-frozen'].unsafe.length} end unsafe${inParentheses(sweep['comp-frozen'].unsafe)}.`,
    'An unsafe one restores a whole snapshot, and takes back what a region beside it had promised meanwhile without having read anything.',
    '',
    `${turned.length} figures differ and have a switch; ${unexplained.length} differ and have none (last section).`,
    '',
    '| switch | off and on |',
    '| --- | --- |',
    ...Object.entries(SWITCHES).map(([name, what]) => `| \`${name}\` | ${what} |`),
    '',
  ];
}

function inParentheses(names: readonly string[]): string {
  return names.length === 0 ? '' : ` (${names.join(', ')})`;
}

function tableSection(
  { number, title, ours, note }: (typeof PAPER_TABLES)[number],
  { tables, turned }: Recorded,
): readonly string[] {
  const own = ours.flatMap((id) => tables.find((table) => table.id === id) ?? []);
  return [
    `## Table ${number}: ${title}`,
    '',
    ...(note === undefined ? [] : [note, '']),
    ...own.flatMap((table) => [
      `**${table.title}**`,
      '',
      ...markdown(table),
      '',
      ...switchesOf(turned.filter((one) => one.table === table.id)),
    ]),
  ];
}

function markdown({ columns, rows }: Table): readonly string[] {
  return [
    `| ${columns.map(({ title }) => escaped(title)).join(' | ')} |`,
    `| ${columns.map(() => '---').join(' | ')} |`,
    ...rows.map((cells) => `| ${columns.map((_, index) => cellText(cells[index] ?? { ours: null })).join(' | ')} |`),
  ];
}

function switchesOf(turned: readonly Turned[]): readonly string[] {
  if (turned.length === 0) return [];
  return [
    '| differs | column | paper | switch | off | on | turned to |',
    '| --- | --- | --- | --- | --- | --- | --- |',
    ...turned.map(
      ({ row, column, paper, by, off, on, at }) =>
        `| ${escaped(row)} | ${column} | ${valueText(paper)} | \`${by satisfies SwitchName}\` | ${valueText(off)} | ${valueText(on)} | ${escaped(at)} |`,
    ),
    '',
  ];
}

function openSection({ unexplained, turned }: Recorded): readonly string[] {
  const missed = turned.filter(({ paper, on }) => typeof paper === 'number' && typeof on === 'number' && on !== paper);
  return [
    '## What is open',
    '',
    'Figures that differ and have no switch:',
    '',
    ...(unexplained.length === 0 ? ['- none'] : unexplained.map((text) => `- ${text}`)),
    '',
    'Figures whose switch moves them and does not reach the paper’s:',
    '',
    ...(missed.length === 0
      ? ['- none']
      : missed.map(
          ({ table, row, column, paper, on }) =>
            `- ${table}: ${row}: ${column}: ${valueText(on)}, the paper ${valueText(paper)}`,
        )),
    '',
  ];
}

const MARKS = { same: '=', better: '+', worse: '-', 'not comparable': '~' } as const;

function cellText({ ours, paper, mark }: Cell): string {
  if (paper === undefined || paper === null || mark === undefined) return valueText(ours);
  return `${valueText(ours)} (${valueText(paper)} ${MARKS[mark]})`;
}

function valueText(value: Value): string {
  if (value === null || value === '') return '–';
  return value === true ? 'yes' : value === false ? 'no' : escaped(String(value));
}

function escaped(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('*', '\\*');
}
