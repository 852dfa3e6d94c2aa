/** Counts, without asking the planner, which parked runs went over and ended right. */
import { SUBJECTS } from './agents.ts';
import type { Wait } from './held.ts';
import { wrongWith } from './judge.ts';
import { OF_DOMAINS } from './of-domains.ts';
import { OF_EXAMPLES } from './of-examples.ts';
import { type Course, courseOf } from './parked.ts';
import { switched, waitsOf } from './plain.ts';
import type { Commit } from './release.ts';

/** The twenty commits. */
export const COMMITS: readonly Commit[] = [...OF_DOMAINS, ...OF_EXAMPLES];

/** A parked run, judged. */
export interface Judged {
  readonly commit: Commit;
  readonly wait: Wait;
  /** True where it is under the release of now. */
  readonly isOver: boolean;
  /** What is wrong with its end; null where nothing is. */
  readonly wrong: string | null;
  /** What the plan said and did not happen; null where all did. */
  readonly broken: string | null;
  /** The reason to stay; null where it went over. */
  readonly why: string | null;
}

/** True for a run that went over and ended right. */
export const isRight = ({ isOver, wrong }: Judged): boolean => isOver && wrong === null;

/** Parks a run of a commit at a wait, and judges what becomes of it. @param isMapped true where names that are others have a map. */
export async function judged(commit: Commit, wait: Wait, isMapped = false): Promise<Judged> {
  const course = await courseOf(commit, wait, isMapped);
  const isOver = course.moved !== 'stays';
  const right = await switched(commit, wait, isOver);
  const { plan } = course;
  return {
    commit,
    wait,
    isOver,
    wrong: wrongWith(course, right, SUBJECTS[commit.agent]),
    broken: plan.is === course.moved ? null : `the plan said ${plan.is}, and it ${course.moved}`,
    why: isOver ? null : causeOf(course),
  };
}

function causeOf({ plan: { code, stay } }: Course): string {
  return stay?.code === 'parts' ? `parts: ${stay.parting.is}` : (code ?? 'unknown');
}

/** The parked runs of commits: each of them, or a fixed share. */
export async function parkedRuns(commits = COMMITS, share = 1): Promise<readonly (readonly [Commit, Wait])[]> {
  const all: (readonly [Commit, Wait])[] = [];
  for (const commit of commits) for (const wait of await waitsOf(commit.agent)) all.push([commit, wait]);
  return all.filter((_, nth) => nth % share === 0);
}
