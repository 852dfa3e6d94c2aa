/** The five-domain universe (DART table 8): the cases, by domain and regime. */
import type { JudgedCase } from '../judge.ts';
import type { Paper } from '../paper.ts';
import { beside, only, type Table } from '../workloads/table.ts';
import { domainsOf } from './recovery.ts';

/** The number of cases. */
export function universeTable(judged: readonly JudgedCase[], paper: Paper): Table {
  return {
    id: 'universe',
    title: 'The universe: cases by domain and regime',
    notes: ['Every planner is scripted, so that the model-driven domains run as the others do.'],
    columns: [
      { key: 'domain', title: 'domain' },
      { key: 'official', title: 'official cases', better: 'equal' },
      { key: 'commitSensitive', title: 'commit-sensitive cases', better: 'equal' },
    ],
    rows: domainsOf(judged, paper).map((domain) => {
      const own = judged.filter((each) => each.domain === domain);
      const official = own.filter(({ regime }) => regime === 'official').length;
      const theirs = paper.universe[domain];
      return [
        only(domain),
        beside(official, theirs?.official, 'equal'),
        beside(own.length - official, theirs?.commitSensitive, 'equal'),
      ];
    }),
  };
}
