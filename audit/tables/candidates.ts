/** What `belay init` drafts beside the frozen configs, and what is left to a reviewer (DART tables 26 and 27). */
import type { Candidate } from '../candidates/candidates.ts';
import type { Paper } from '../paper.ts';
import { beside, only, type Table } from '../workloads/table.ts';

/** What is left to a reviewer, in counts. The paper's review is a person's, of drafts that its tool made from more than the machine. */
export function burdenTable(candidates: readonly Candidate[], paper: Paper): Table {
  const theirs = Object.entries(paper.burden.rows).map(
    ([domain, { decisions, validations }]) => `${domain} ${decisions} decisions, ${validations} validations`,
  );
  return {
    id: 'burden',
    title: 'What is left to a reviewer',
    notes: [
      'Fields that a draft marks as to decide, and the changes after which it is the frozen config, each loaded by itself. No person is timed.',
      `The paper, of a person and of drafts from more than the machine: ${theirs.join('; ')}.`,
    ],
    columns: [
      { key: 'domain', title: 'domain' },
      { key: 'decide', title: 'fields to decide' },
      { key: 'changes', title: 'changes, each validated' },
      { key: 'reviewed', title: 'is the frozen config then' },
    ],
    rows: candidates.map(({ domain, decide, changes, isReviewed }) =>
      [domain, decide, changes, isReviewed].map((cell) => only(cell)),
    ),
  };
}

/** The drafts, field by field. */
export function candidatesTable(candidates: readonly Candidate[], paper: Paper): Table {
  return {
    id: 'candidates',
    title: 'Drafts against frozen configs, field by field',
    notes: ['A draft is made twice. Stable: both have the field with one value. A boundary is named by its site.'],
    columns: [
      { key: 'domain', title: 'domain' },
      { key: 'fields', title: 'fields of the frozen config' },
      { key: 'same', title: 'in the draft, the same' },
      { key: 'diffs', title: 'in the draft, another', better: 'lower' },
      { key: 'missing', title: 'missing' },
      { key: 'beyond', title: 'of the draft alone' },
      { key: 'stable', title: 'stable', better: 'equal' },
      { key: 'exact', title: 'exact', better: 'equal' },
    ],
    rows: candidates.map(({ domain, reviewed, exact, differs, missing, beyond, drafted, stable }) => {
      const theirs = paper.candidates.rows[domain];
      return [
        only(domain),
        only(reviewed),
        only(exact),
        beside(differs.length, theirs?.diffs, 'lower'),
        only(missing.length),
        only(beyond.length),
        beside(stable === drafted, theirs?.stable, 'equal'),
        beside(exact === reviewed && beyond.length === 0, theirs?.exact, 'equal'),
      ];
    }),
  };
}
