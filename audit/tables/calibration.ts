/** Blocking calibration (DART table 22): what was refused, whether it had to be, and whether what was let through was safe. */

import { FROZEN } from '../case.ts';
import type { JudgedCase, Row } from '../judge.ts';
import type { Paper } from '../paper.ts';
import { beside, only, type Table } from '../workloads/table.ts';
import { domainsOf } from './recovery.ts';

type Deciding = (typeof FROZEN)[number];

/**
 * A failure that reached the gate under a strategy: its name meant an instance, and it was not answered before a line
 * was asked for.
 */
export interface GateEvent {
  readonly case: JudgedCase;
  readonly rows: readonly Row[];
  readonly blocked: boolean;
  readonly unsafe: boolean;
  /** A block although one of the refused checkpoints could have been restored without harm. */
  readonly falseBlocked: boolean;
  readonly by: 'dependency' | 'effect' | 'other' | null;
  /** The refused checkpoints of a blocked event, and those of them that are harmless. */
  readonly checkpoints: number;
  readonly harmless: number;
}

/** The failures that reached the gate under a strategy. */
export function eventsOf(judged: readonly JudgedCase[], strategy: Deciding): readonly GateEvent[] {
  return judged.flatMap((each): GateEvent[] => {
    const rows = each.rows.filter((row) => row.strategy === strategy);
    const [first] = rows;
    if (first?.shown == null || first.shown.verdict === 'settle' || first.shown.instance === null) return [];
    const blocked = rows.some((row) => row.blocked);
    const refused = blocked ? each.counterfactuals.filter((forced) => forced.strategy === strategy) : [];
    const harmless = refused.filter((forced) => forced.harmless).length;
    return [
      {
        case: each,
        rows,
        blocked,
        unsafe: rows.some(({ unsafeAdmission }) => unsafeAdmission),
        falseBlocked: blocked && harmless > 0,
        by: blocked ? familyOf(first) : null,
        checkpoints: refused.length,
        harmless,
      },
    ];
  });
}

/**
 * The reason against it: a promise of another instance, or an effect; the effect where both stand, since it would block
 * alone as well.
 */
function familyOf({ shown }: Row): GateEvent['by'] {
  const vetoes = shown?.vetoes.join(' ') ?? '';
  if (/irreversible_effect_policy|effect_outcome_unknown|compensation_missing/.test(vetoes)) return 'effect';
  return vetoes.includes('committed_consumers_present') ? 'dependency' : 'other';
}

/** Events that the paper's rule blocks, and Belay lets through or answers. */
export function newlyAdmitted(
  judged: readonly JudgedCase[],
): readonly { readonly case: JudgedCase; readonly row: Row }[] {
  const blocked = eventsOf(judged, 'comp-frozen').filter((event) => event.blocked);
  return blocked.flatMap(({ case: each }) => {
    const row = each.rows.find(({ strategy }) => strategy === 'belay');
    return row === undefined || row.blocked ? [] : [{ case: each, row }];
  });
}

const COUNTS = [
  { key: 'admitted', title: 'admitted', better: 'higher' },
  { key: 'blocked', title: 'blocked', better: 'lower' },
  { key: 'falseBlocked', title: 'needless blocks', better: 'lower' },
  { key: 'unsafeAdmissions', title: 'unsafe admissions', better: 'lower' },
  { key: 'byDependency', title: 'by dependency', better: 'equal' },
  { key: 'byEffect', title: 'by effect', better: 'equal' },
  { key: 'events', title: 'events', better: 'equal' },
] as const;

/** The failures that the gate admits and blocks. */
export function calibrationTable(judged: readonly JudgedCase[], paper: Paper): Table {
  const rows = FROZEN.flatMap((strategy) => {
    const events = eventsOf(judged, strategy);
    return [...domainsOf(judged, paper), 'all'].map((domain) => {
      const own = events.filter((event) => domain === 'all' || event.case.domain === domain);
      const count = (which: (event: GateEvent) => boolean) => own.filter(which).length;
      const counts = [
        count(({ blocked }) => !blocked),
        count(({ blocked }) => blocked),
        count(({ falseBlocked }) => falseBlocked),
        count(({ unsafe }) => unsafe),
        count(({ by }) => by === 'dependency'),
        count(({ by }) => by === 'effect'),
        own.length,
      ];
      const theirs =
        domain === 'all' && domainsOf(judged, paper).length < 5 ? undefined : paper.calibration.rows[domain];
      const sum = (of: 'checkpoints' | 'harmless') => own.reduce((all, event) => all + event[of], 0);
      const isAll = domain === 'all';
      return [
        only(strategy),
        only(domain),
        ...counts.map((value, index) =>
          beside(value, theirs?.[index], COUNTS[index]?.better, index === 2 || index === 3),
        ),
        beside(sum('checkpoints'), isAll ? paper.calibration.blockedCheckpoints : null, 'equal', false),
        beside(sum('harmless'), isAll ? paper.calibration.falseBlockedCheckpoints : null, 'lower'),
      ];
    });
  });
  return {
    id: 'calibration',
    title: 'Blocking calibration',
    notes: [
      'An event is a failure that reaches the gate: a held call that is simply answered does not, nor does a name that fits several. Every block is forced: under Comp-Frozen the whole snapshot is restored by a runtime without a ledger; under Belay somebody says of each effect in the way what is not true. It is needless where one of its refused checkpoints then ends as it has to, in every world that looked the same.',
      'An admission is unsafe where any of the four checks fails after it, in any repeat.',
      'How many are blocked is a choice of the cases, here and in the paper, so only needless blocks and unsafe admissions compare. The paper’s 47 events are a calibration set of its own beside its 54 cases; ours are the cases themselves. Lost replies reach the gate under Comp-Frozen, which asks nobody, and are blocked there: hence its blocks by effect.',
    ],
    columns: [
      { key: 'strategy', title: 'strategy' },
      { key: 'domain', title: 'domain' },
      ...COUNTS,
      { key: 'blockedCheckpoints', title: 'refused checkpoints' },
      { key: 'falseBlockedCheckpoints', title: 'needlessly', better: 'lower' },
    ],
    groups: 1,
    rows,
  };
}

/** The failures that Belay admits and the paper's rule blocks. */
export function admittedTable(judged: readonly JudgedCase[]): Table {
  return {
    id: 'newly-admitted',
    title: 'Blocked under Comp-Frozen, let through by Belay',
    notes: ['Each of them is run to its end: safe is whether all four checks hold, in every repeat.'],
    columns: [
      { key: 'case', title: 'case' },
      { key: 'frozen', title: 'Comp-Frozen says' },
      { key: 'belay', title: 'Belay does' },
      { key: 'level', title: 'level' },
      { key: 'safe', title: 'safe' },
    ],
    rows: newlyAdmitted(judged).map(({ case: each, row }) => {
      const frozen = each.rows.find(({ strategy }) => strategy === 'comp-frozen');
      const codes = new Set(frozen?.shown?.vetoes.map((veto) => veto.split(' ')[1] ?? veto));
      const runs = each.rows.filter(({ strategy }) => strategy === 'belay');
      return [
        only(`${each.domain}/${each.name}`),
        only([...codes].join(', ')),
        only(`${row.shown?.verdict}${row.shown?.checkpoint ? ` to ${row.shown.checkpoint}` : ''}`),
        only(row.level),
        only(runs.every(({ safe }) => safe)),
      ];
    }),
  };
}
