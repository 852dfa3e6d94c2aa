/** Judges a group of attempts by the world, and by what the kept attempt remembers (semantics.md FK7 to FK11). */
import type { Entry } from '../../src/model/entry.ts';
import type { AttemptsScenario } from './attempts-scenario.ts';
import { type ActClass, UNITS, type WorldAct } from './world.ts';

/** What came of one attempt. */
interface Tried {
  readonly run: string;
  readonly end: string;
  readonly entries: readonly Entry[];
  readonly context: Readonly<Record<string, number>>;
}

/** What the world says against the end of a group. */
export function judged(
  scenario: AttemptsScenario,
  kept: string | null,
  tried: readonly Tried[],
  acts: readonly WorldAct[],
): string[] {
  const wrong: string[] = [];
  if (kept === null && !tried.every(isEndedByHand)) wrong.push('no attempt was kept');
  for (const act of acts)
    if (act.undoneBy !== null && act.undoneBy !== act.by)
      wrong.push(`${act.undoneBy} has undone ${act.tool} of ${act.by}`);
  const done = tried.filter(({ end }) => end === 'done').map(({ run }) => run);
  if (done.some((run) => run !== kept)) wrong.push(`${done.join(', ')} are done, and ${kept} was kept`);
  for (const each of tried) {
    const standing = acts.filter((act) => act.by === each.run && act.undoneBy === null);
    const why = each.run === kept ? wrongOfKept(each, standing) : wrongOfOther(each, kept, standing);
    if (why !== null) wrong.push(why);
    if (each.run === kept && each.end === 'done') wrong.push(...misremembered(each, scenario, acts));
  }
  return wrong;
}

function wrongOfKept({ run, end }: Tried, standing: readonly WorldAct[]): string | null {
  if (!['done', 'parked', 'compensated', 'cancelled', 'stuck'].includes(end)) return `${run} was kept, and is ${end}`;
  const twice = standing.find((act) => standing.some((other) => other !== act && other.tool === act.tool));
  return end === 'done' && twice !== undefined ? `${run} has made ${twice.tool} twice` : null;
}

function wrongOfOther({ run, end, entries }: Tried, kept: string | null, standing: readonly WorldAct[]): string | null {
  if (end === 'compensated' && standing.length > 0) return `${run} has left ${standing[0]?.tool}`;
  const isLeft = entries.some((entry) => entry.do === 'cancel' && entry.refused === null && entry.undo !== true);
  if (kept === null || ['compensated', 'stuck', 'parked'].includes(end) || (isLeft && end === 'cancelled')) return null;
  return `${run} is ${end}, and ${kept} was kept`;
}

function isEndedByHand({ entries }: Tried): boolean {
  return entries.some((entry) => entry.do === 'cancel' && entry.refused === null);
}

/** True for acts that wait for the choice: nothing undoes them, they wait for a commit, or they are one over all runs. */
export function isFinal(of: ActClass): boolean {
  return ['idempotent', 'irreversible', 'staged', 'store'].includes(of) || of.endsWith('-final');
}

/** What the kept attempt would not remember of a run by itself: a refusal that no counterparty has said, or an act that is undone or not there. */
function misremembered(
  { run, context }: Tried,
  { classes, moves }: AttemptsScenario,
  acts: readonly WorldAct[],
): string[] {
  const isRefused = moves.some((each) => !('is' in each) && each.move.is === 'refused');
  return UNITS.flatMap((unit, index) => {
    const [of = 'none', number = -1] = [classes[index], context[unit]];
    if (number === -1) return isRefused ? [] : [`${run} remembers a refusal of act-${unit}`];
    if (of === 'none') return [];
    const own = acts.filter((act) => act.tool === `act-${unit}` && act.by === (index === 0 ? act.by : run));
    const act =
      of === 'staged' ? own.find(({ undoneBy }) => undoneBy === null) : own.find((one) => one.number === number);
    if (act === undefined) return [`${run} is done without act-${unit}`];
    return act.undoneBy === null ? [] : [`${run} remembers act-${unit}, which is undone`];
  });
}
