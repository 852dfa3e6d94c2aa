/** What Belay promises of other people's tasks, held against the runs; what is missed is said, and by how much. */
import { type Cell, type Comparison, cellOf, type Run } from './compare.ts';
import type { Meetings } from './together.ts';

/** A promise, and what was seen of it. */
export interface Promised {
  readonly folder: string;
  readonly probability: number;
  readonly text: string;
  readonly kept: boolean;
  /** The figures that it is judged by. */
  readonly figures: string;
}

/** Judges every promise of every set and probability; those for which nothing was run are left out. */
export function promisesOf(comparison: Comparison): readonly Promised[] {
  const { sets, wanted } = comparison;
  return sets.flatMap(({ folder }) =>
    wanted.probabilities.flatMap((probability) => {
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
  );
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

/** What does not wait for anybody ends as with somebody who knows everything: never a silent difference. */
function asGoodAs(belay: Cell, oracle: Cell): Judged {
  const going = belay.runs
    .map((run, index) => [run, oracle.runs[index] as Run] as const)
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
  const [ours, theirs] = [belay, rollback].map(({ runs }) =>
    runs.reduce((sum, { score }) => sum + score.redone, 0),
  ) as [number, number];
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
