/** The answers of a run to the questions of its life: the strictest of its nine states (semantics.md LC1, LC2). */
import {
  type Cell,
  type Configuration,
  type Question,
  REGIONS,
  type RegionOfLife,
  TABLE,
  type Table,
} from './table.ts';

/** The answer to a question. */
export type Answer = { readonly is: 'yes' } | Cell;

const YES: Answer = { is: 'yes' };
const NAMES = Object.keys(REGIONS) as readonly RegionOfLife[];

/** The answer to a question in a configuration: a no before a wait, a wait before a yes, and of two alike that of the first region. */
export function answer(question: Question, configuration: Configuration, table: Table = TABLE): Answer {
  let strictest: Answer = YES;
  for (const name of NAMES) {
    const cell = cellOf(table, name, configuration[name], question);
    if (cell === undefined) continue;
    // Where no process holds the run, nothing is there that could refuse.
    if (cell.is === 'no' || configuration.hold === 'none') return cell;
    if (strictest.is === 'yes') strictest = cell;
  }
  return strictest;
}

function cellOf(table: Table, region: RegionOfLife, state: string, question: Question): Cell | undefined {
  return (table[region] as Readonly<Record<string, Readonly<Partial<Record<Question, Cell>>>>>)[state]?.[question];
}
