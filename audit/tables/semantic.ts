/** The semantic audit (DART table 21): what recovered runs come to, by executable projections. */

import { CHECKS, type CheckName } from '../case.ts';
import type { JudgedCase, Row } from '../judge.ts';
import type { Paper } from '../paper.ts';
import { beside, only, type Table } from '../workloads/table.ts';
import { domainsOf } from './recovery.ts';

/** True if a case can be compared: a whole rerun and the strategy both came to an end, each time. */
function comparable(each: JudgedCase, strategy: Row['strategy']): readonly Row[] {
  const under = (name: Row['strategy']) => each.rows.filter((row) => row.strategy === name);
  const ended = ({ status }: Row) => status === 'ok' || status === 'contract';
  const own = under(strategy);
  return under('retry-only').every(ended) && own.every(ended) ? own : [];
}

/** The results of the strategies that decide. */
export function semanticTable(judged: readonly JudgedCase[], paper: Paper): Table {
  const rows = (['comp-frozen', 'belay'] as const).flatMap((strategy) => {
    const of = (domain: string) => judged.filter((each) => domain === 'all' || each.domain === domain);
    return [...domainsOf(judged, paper), 'all'].map((domain) => {
      const theirs = domain === 'all' && domainsOf(judged, paper).length < 5 ? undefined : paper.semantic.rows[domain];
      const cases = of(domain)
        .map((each) => comparable(each, strategy))
        .filter((each) => each.length > 0);
      const holds = (check: CheckName) =>
        cases.filter((all) => all.every(({ checks }) => checks[check] === true)).length;
      const safe = cases.filter((all) =>
        all.every((row) => Object.values(row.checks).every((check) => check !== false)),
      );
      const counts = [cases.length, safe.length, ...CHECKS.map(holds)];
      return [only(strategy), only(domain), ...counts.map((count, index) => beside(count, theirs?.[index], 'higher'))];
    });
  });
  return {
    id: 'semantic',
    title: 'Semantic audit',
    notes: [
      'Cases in which the whole rerun and the strategy both end, in every repeat; safe-equivalent is one whose required checks all hold. A check counts where the case requires it.',
      'The paper’s 54 cases all end under Comp-Frozen; ours are made so that its rule blocks some, and such a run is parked and has no end to compare.',
    ],
    columns: [
      { key: 'strategy', title: 'strategy' },
      { key: 'domain', title: 'domain' },
      { key: 'rows', title: 'comparable', better: 'higher' },
      { key: 'safeEquivalent', title: 'safe-equivalent', better: 'higher' },
      { key: 'semantics', title: 'semantics', better: 'higher' },
      { key: 'prefix', title: 'prefix', better: 'higher' },
      { key: 'effect', title: 'effect', better: 'higher' },
      { key: 'committedPrefix', title: 'committed prefix', better: 'higher' },
    ],
    groups: 1,
    rows,
  };
}
