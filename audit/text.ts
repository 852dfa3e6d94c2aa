/** The report for a terminal. */
import pc from 'picocolors';
import wrap from 'wrap-ansi';
import { FROZEN } from './case.ts';
import type { Report } from './report.ts';
import type { Cell, Mark } from './workloads/table.ts';
import { tableText } from './workloads/table-text.ts';

const MARKS: Readonly<Record<Mark, string>> = { same: '=', better: '+', worse: '-', 'not comparable': '~' };

/** Lays a report out for so many columns. */
export function textOf({ summary, tables, cases }: Report, columns: number, colours: boolean): string {
  const { bold, dim, green, red } = pc.createColors(colours);
  const paint: Readonly<Record<Mark, (text: string) => string>> = {
    same: dim,
    better: green,
    worse: red,
    'not comparable': dim,
  };
  const wrong = summary.wrong.map((text) => wrap(red(`  ${text}`), columns, { trim: false }));
  return [
    dim(
      wrap(
        'Beside a figure stands the paper’s: = the same, + better, - worse, ~ not comparable. The page in the report has it all with plots.',
        columns,
      ),
    ),
    '',
    ...tables.flatMap((table) => [
      bold(table.title),
      ...table.notes.map((note) => dim(wrap(note, columns))),
      tableText(table, columns, colours, (cell) => cellText(cell, paint)),
      '',
    ]),
    bold('In short'),
    ...shortly(summary, cases.length).map((text) => wrap(text, columns)),
    ...(wrong.length === 0
      ? [green('Everything is as it has to be.')]
      : [red('Not everything is as it has to be:'), ...wrong]),
    '',
  ].join('\n');
}

/** The results, a sentence each. */
export function shortly(summary: Report['summary'], cases: number): readonly string[] {
  const { blocked, unsafeAdmissions: unsafe, falseBlocked, alignedRows: aligned, newlyAdmitted, runs } = summary;
  const { langgraph } = summary;
  const names = { 'comp-frozen': 'Comp-Frozen', belay: 'Belay' } as const;
  const ran = FROZEN.filter((strategy) => aligned[strategy].rows > 0);
  return [
    `${cases} cases, ${runs} runs.`,
    ...ran.map((of) => {
      const blocks = `${blocked[of]} blocked, ${falseBlocked[of]} of them needlessly`;
      return `${names[of]}: ${unsafe[of]} unsafe, ${blocks}; ${aligned[of].aligned} of ${aligned[of].rows} rows aligned.`;
    }),
    ...(ran.length === 2 ? [`${newlyAdmitted} that Comp-Frozen blocks are let through by Belay.`] : []),
    ...(summary.reruns === 0
      ? []
      : [
          `A whole rerun, which the paper calls always safe, leaves another world in ${summary.harmfulReruns} of ${summary.reruns} cases, with ${summary.rerunDuplicates} rows there twice.`,
        ]),
    ...(langgraph.cases === 0
      ? []
      : [
          `LangGraph: ${langgraph.cases} cases on a graph. By itself it leaves another world in ${langgraph.harmed.native} of them, with ${langgraph.twice.native} rows there twice; under Belay in ${langgraph.harmed.belay}, with ${langgraph.twice.belay}.`,
        ]),
  ];
}

function cellText({ ours, paper, mark }: Cell, paint: Readonly<Record<Mark, (text: string) => string>>): string {
  const told = ours === null ? '-' : ours === true ? 'yes' : ours === false ? 'no' : String(ours);
  if (paper === undefined || paper === null || mark === undefined) return told;
  const theirs = paper === true ? 'yes' : paper === false ? 'no' : String(paper);
  return `${told} ${paint[mark](`(${theirs} ${MARKS[mark]})`)}`;
}
