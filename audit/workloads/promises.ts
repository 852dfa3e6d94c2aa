/**
 * Belay's promises about other people's tasks, checked against the runs; each broken one is reported with its amount.
 */
import { there } from '../../domains/there.ts';
import { type Cell, type Comparison, cellIn, cellOf, type Run } from './compare.ts';
import type { Regime } from './faults.ts';
import type { Meetings } from './together.ts';
import { CURSOR_NAMES } from './verdicts.ts';
import type { WrongCell } from './wrong-answers.ts';

/** A promise, and what was seen of it. */
export interface Promised {
  readonly folder: string;
  readonly probability: number;
  readonly text: string;
  readonly kept: boolean;
  /** The figures that it is judged by. */
  readonly figures: string;
}

/** DecisionPolicy every promise of every set and probability; those for which nothing was run are left out. */
export function promisesOf(comparison: Comparison): readonly Promised[] {
  const { sets, wanted } = comparison;
  return sets.flatMap(({ folder }) => [
    ...wanted.probabilities.flatMap((probability) => {
      const cell = (policy: 'belay' | 'oracle' | 'checkpoint-rollback') =>
        cellOf(comparison, folder, probability, policy);
      const belay = cell('belay');
      if (belay === null) return [];
      const promises = [
        ...harmless(belay),
        ...[cell('oracle')].flatMap((oracle) => (oracle === null ? [] : [asGoodAs(belay, oracle)])),
        named(belay),
        ...[cell('checkpoint-rollback')].flatMap((rollback) => (rollback === null ? [] : [cheaper(belay, rollback)])),
        ...comparison.meetings
          .filter((each) => each.folder === folder && each.probability === probability)
          .flatMap(apart),
      ];
      return promises.map((promise) => ({ folder, probability, ...promise }));
    }),
    ...comparison.further.filter((cell) => cell.folder === folder).flatMap((cell) => inRegime(comparison, cell)),
    ...comparison.wrong.filter((cell) => cell.folder === folder).flatMap(rightAgain),
  ]);
}

/** Says before a promise what goes wrong besides lost replies. */
const BESIDES: Readonly<Record<Exclude<Regime, 'lost-replies'>, string>> = {
  'unreliable-answers': 'where reads and status queries fail and lag',
  'late-effects': 'where effects land late',
};

/** The promises that hold as well where answers are unreliable, or effects late. */
function inRegime({ further }: Comparison, cell: Cell): Promised[] {
  const { folder, regime, probability, policy } = cell;
  if (policy !== 'belay' || regime === 'lost-replies') return [];
  const oracle = cellIn(further, folder, regime, probability, 'oracle');
  const promises = [...harmless(cell), ...(oracle === null ? [] : [asGoodAs(cell, oracle)]), named(cell)];
  return promises.map(({ text, ...judged }) => ({
    ...{ folder, probability, text: `${BESIDES[regime]}, ${text}` },
    ...judged,
  }));
}

/** The promises after an answer was found wrong: no harm, and no run waits without need. */
function rightAgain({ folder, cursor, probability, policy, runs }: WrongCell): Promised[] {
  if (policy !== 'belay') return [];
  const harmed = runs.filter(({ score }) => score.harm).length;
  const still = runs.filter(({ status }) => status === 'broken' || status === 'spent').length;
  const waiting = runs.filter(({ score }) => score.parked);
  const needless = waiting.filter(({ score }) => score.needless).length;
  const where = `after a wrong answer, with ${CURSOR_NAMES[cursor]},`;
  const promise = (text: string, kept: boolean, figures: string): Promised => {
    return { folder, probability, text: `${where} ${text}`, kept, figures };
  };
  return [
    promise('no run ends in harm', harmed === 0, `${harmed} in ${runs.length} runs`),
    promise('every run ends or waits', still === 0, `${runs.length - still} of ${runs.length} runs`),
    promise('nobody is asked without need', needless === 0, `${needless} of ${waiting.length} that wait`),
  ];
}

type Judged = Pick<Promised, 'text' | 'kept' | 'figures'>;

function harmless(belay: Cell): Judged[] {
  const counts = [
    ['no change is made twice', 'duplicated'],
    ['no change is lost', 'lost'],
    ['no other work is touched', 'collateral'],
  ] as const;
  const needless = belay.runs.filter(({ score }) => score.needless).length;
  return [
    ...counts.map(([text, field]) => {
      const count = belay.runs.reduce((sum, { score }) => sum + score[field], 0);
      return { text, kept: count === 0, figures: `${count} in ${belay.runs.length} runs` };
    }),
    {
      text: 'nobody is asked without need',
      kept: needless === 0,
      figures: `${needless} of ${parked(belay).length} that wait`,
    },
  ];
}

/** A run that waits for no person ends as under a policy that knows everything: never a silent difference. */
function asGoodAs(belay: Cell, oracle: Cell): Judged {
  const going = belay.runs
    .map((run, index) => [run, there(oracle.runs[index], 'run')] as const)
    .filter(([run]) => !run.score.parked);
  const same = going.filter(
    ([{ score }, { score: best }]) => score.completed === best.completed && score.equal === best.equal,
  );
  return {
    text: 'whatever does not wait for somebody ends as under the oracle',
    kept: same.length === going.length,
    figures: `${same.length} of ${going.length} runs`,
  };
}

function named(belay: Cell): Judged {
  const waiting = parked(belay);
  const told = waiting.filter(({ score: { names } }) => names.length > 0 && names.every((name) => name !== ''));
  return {
    text: 'whatever waits says what is unknown, and whom to ask',
    kept: told.length === waiting.length,
    figures: `${told.length} of ${waiting.length} that wait`,
  };
}

function cheaper(belay: Cell, rollback: Cell): Judged {
  const redoneIn = ({ runs }: Cell) => runs.reduce((sum, { score }) => sum + score.redone, 0);
  const [ours, theirs] = [redoneIn(belay), redoneIn(rollback)];
  return {
    text: 'fewer successful calls are made again than from a checkpoint',
    // Where nothing is made again by either, there is no less.
    kept: ours < theirs || (ours === 0 && theirs === 0),
    figures: `${ours} and ${theirs}`,
  };
}

/** Two runs at once, as if they had come one after the other. */
function apart({ policy, meetings }: Meetings): Judged[] {
  if (policy !== 'belay' || meetings.length === 0) return [];
  const damaged = meetings.filter((each) => each.broken || each.damaged + each.duplicated > 0).length;
  const waited = meetings.filter((each) => each.waited).length;
  return [
    {
      text: 'two runs at once end as one after the other',
      kept: damaged === 0,
      figures: `${meetings.length - damaged} of ${meetings.length} pairs; in ${waited} the second waited`,
    },
  ];
}

function parked({ runs }: Cell): readonly Run[] {
  return runs.filter(({ score }) => score.parked);
}
