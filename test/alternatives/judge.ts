/** Judges alternatives by the world and the context: equal to those of a run in which only the winner was tried, and nothing left that is not named. */
import { isHeld, type Kind, type Scenario } from './scenario.ts';
import type { Course } from './trial.ts';
import type { Act } from './world.ts';

/** Says what is wrong; null where nothing is. */
export function judge(scenario: Scenario, course: Course): string | null {
  const { errors, ending, world } = course;
  if (errors.length > 0) return `an error: ${errors[0]}`;
  if (ending === null) return `it hangs: ${course.standing.is}`;
  if (world.wrong.length > 0) return world.wrong[0] as string;
  const acts = [...world.acts.values()];
  for (const act of acts) if (act.undone > 1) return `${act.tool} of ${act.branch} was undone twice`;
  return judgeHeld(course) ?? judgeTwice(acts) ?? judgeEnd(scenario, course, acts);
}

/** Nothing final leaves before the losers are undone, or a person lets them stand (AL6, AL7). */
function judgeHeld({ world, runState }: Course): string | null {
  const chosen = winnersOf(runState);
  for (const { tool, branch, there } of world.finals) {
    if (branch !== null && !chosen.has(branch)) return `${tool} of ${branch} has left, and it was not chosen`;
    const loser = there.find((act) => !chosen.has(act.branch as string) && !runState.ledger.get(act.key)?.stands);
    if (loser !== undefined) return `${tool} has left while ${loser.tool} of ${loser.branch} stood`;
  }
  return null;
}

function winnersOf(runState: Course['runState']): ReadonlySet<string> {
  return new Set(
    runState.choices.all.flatMap(({ branches }) =>
      branches.filter(({ is }) => is === 'won').map(({ branch }) => branch),
    ),
  );
}

function judgeTwice(acts: readonly Act[]): string | null {
  const there = acts.filter(({ isThere }) => isThere);
  for (const act of there) {
    const same = there.filter(({ tool, branch, nth }) => tool === act.tool && branch === act.branch && nth === act.nth);
    if (same.length > 1) return `${act.tool} of ${act.branch} is there twice`;
  }
  return null;
}

function judgeEnd(scenario: Scenario, course: Course, acts: readonly Act[]): string | null {
  const { ending, runState } = course;
  switch (ending?.status) {
    case 'done':
      return judgeDone(scenario, course, acts);
    case 'compensated': {
      const left = acts.find((act) => act.isThere && !runState.aborted.stands.has(act.key));
      return left === undefined ? null : `${left.tool} of ${left.branch} is left over by the abort, and not named`;
    }
    case 'cancelled': {
      const chosen = winnersOf(runState);
      const isOver = runState.choices.all.length > 0;
      const left = acts.find(
        (act) => isOver && act.branch !== null && !chosen.has(act.branch) && act.isThere && !isNamed(course, act),
      );
      return left === undefined ? null : `${left.tool} of ${left.branch} is left over by the cancel, and not named`;
    }
    default:
      return judgeWaits(scenario, course);
  }
}

/** A run that waits has a reason: a fault that forces it, or a word after the choice. */
function judgeWaits({ fault, word, person }: Scenario, { ending, waited }: Course): string | null {
  if (person !== 'never') return `a person did everything, and it does not end: ${ending?.status} ${waited.at(-1)}`;
  if (fault !== null && ['mute', 'never', 'moved'].includes(fault.is)) return null;
  if (word?.is === 'complaint') return null;
  return `it waits needlessly: ${ending?.status} ${waited.at(-1)}`;
}

function isNamed({ ending, runState }: Course, { key }: Act): boolean {
  const standing = ending !== null && 'standing' in ending ? (ending.standing ?? []) : [];
  return standing.includes(key) || runState.ledger.get(key)?.stands === true;
}

function judgeDone(scenario: Scenario, course: Course, acts: readonly Act[]): string | null {
  const { context, runState, waited } = course;
  const { won } = context;
  const index = typeof won === 'string' && won !== 'left' ? Number(won.slice(1)) : -1;
  const wrong = judgeWinner(scenario, course, won, index) ?? judgeWorld(scenario, course, acts, index);
  if (wrong !== null) return wrong;
  if (context.x !== 'pre:null:0' || context.y !== 'post:null:1') return `the context is ${JSON.stringify(context)}`;
  const expected = JSON.stringify(outputOf(scenario, index));
  if (index >= 0 && JSON.stringify(context.out) !== expected)
    return `the output of the winner is ${JSON.stringify(context.out)}, and not ${expected}`;
  if (runState.ledger.open().length > 0) return 'it ended while an outcome is unknown';
  if (scenario.fault !== null || scenario.word?.is === 'complaint') return null;
  // Nothing but a person tells what became of a call of a tool that is not declared, whose process died as the call left (E2).
  const isMute = scenario.crash !== null && (scenario.branches[index] ?? []).includes('bare');
  const needless = waited.find((wait) => !isMute || wait !== 'parked effect_outcome_unknown');
  return needless === undefined ? null : `it waited needlessly: ${needless}`;
}

/** The world is that of a run in which only the winner was tried, but for what is named. */
function judgeWorld(scenario: Scenario, course: Course, acts: readonly Act[], index: number): string | null {
  const winner = `b${index}`;
  const there = acts.filter(({ isThere }) => isThere);
  const left = there.find((act) => act.branch !== null && act.branch !== winner && !isNamed(course, act));
  if (left !== undefined) return `${left.tool} of ${left.branch} is left over, and not named`;
  for (const tool of ['pre', 'post']) {
    const times = there.filter((act) => act.tool === tool).length;
    if (times !== 1) return `${tool} is there ${times} times`;
  }
  for (const [nth, kind] of (scenario.branches[index] ?? []).entries()) {
    const times = there.filter((act) => act.branch === winner && act.nth === nth).length;
    if (kind !== 'none' && times !== 1) return `${kind} of the winner is there ${times} times`;
  }
  return null;
}

/** The output of a branch by itself. What is held has no answer. */
function outputOf({ branches }: Scenario, index: number) {
  const outs = (branches[index] ?? []).map((kind: Kind, nth) =>
    isHeld(kind) && kind !== 'staged' ? null : kind === 'staged' ? null : `${kind}:b${index}:${nth}`,
  );
  return { branch: `b${index}`, price: index, outs };
}

function judgeWinner(scenario: Scenario, { runState, isSaid }: Course, won: unknown, index: number): string | null {
  const { fault, word, branches, choosing } = scenario;
  if (won === 'left') return word?.is === 'leave' && isSaid ? null : 'it was left, and no event said so';
  const isBroken = (branch: number) =>
    fault !== null && fault.branch === branch && (fault.is === 'fails' || fault.is === 'throws' || fault.is === 'mute');
  if (choosing === 'denies' || choosing === 'never') return won === null ? null : `${won} was chosen, and by no person`;
  if (won === null || won === undefined)
    return branches.every((_, branch) => isBroken(branch)) ? null : 'no branch was chosen';
  if (fault?.branch === index && (fault.is === 'fails' || fault.is === 'throws'))
    return 'a branch was chosen that has failed';
  const [choice] = runState.choices.all.slice(-1);
  if (choice === undefined) return 'there is no choice';
  const best = Math.max(...[...branches.keys()].filter((branch) => !isBroken(branch)));
  if (choosing !== undefined)
    return judgePerson(
      choosing,
      index,
      [...branches.keys()].filter((branch) => !isBroken(branch)),
    );
  if (scenario.rule === 'best' && index < best) return `b${index} was chosen, and b${best} is better`;
  return null;
}

/** The branch that a person has said, of those that could be chosen. */
function judgePerson(choosing: string, index: number, open: readonly number[]): string | null {
  const said = choosing === 'low' ? open[0] : open.at(-1);
  return choosing === 'twice' || index === said ? null : `b${index} was chosen, and the person has said b${said}`;
}
