/** Judges an act on a turn by the world and by the state of the thread: it shares no code with the decision. */
import { type Case, nodeOf } from './cases.ts';
import type { Result, Said } from './drive.ts';
import type { Act } from './world.ts';

/** A turn of the thread as it ends, and whether it is the changed one. */
interface Last {
  readonly turn: number;
  readonly isChanged: boolean;
}

/** What is wrong with the ending of a case in which a turn was changed. */
export function* wrongsOfAct(one: Case, result: Result): Generator<string> {
  const { answer, state } = result;
  if (state === null) {
    yield 'parked, and nothing asked for it';
    return;
  }
  if (answer !== null && answer !== 'taken' && answer !== 'event_unknown') yield* ofRefusal(one, result);
  yield* ofState(one, result, state);
}

/** The turns that the thread has to end with. */
function lastTurns({ thread, act, setting }: Case, { answer, gone }: Result): Last[] {
  const all = [...thread.turns.keys()];
  if (act === undefined || answer !== 'taken') return all.map((turn) => ({ turn, isChanged: false }));
  const { about, during, does, inFlight } = act;
  // A turn that was handed in behind the act is none of those that the act takes along.
  const isDropped = (turn: number) =>
    setting === 'stands' && turn > about && (turn < during || (turn === during && !inFlight) || gone.includes(turn));
  return all.flatMap((turn) =>
    isDropped(turn) || (turn === about && does === 'retract') ? [] : [{ turn, isChanged: turn === about }],
  );
}

/** A refused act moves nothing, and something stands against it. */
function* ofRefusal({ thread, act, dies }: Case, { answer, world, before, after, gone }: Result): Generator<string> {
  if (act === undefined) return;
  if (gone.length > 0) yield `turn ${gone.map((turn) => turn + 1)} is gone`;
  const lost = before.filter((each) => !world.acts.some((done) => done.answer === each && !done.undone));
  if (lost.length > 0) yield `${lost.join(', ')} went back for an act that was refused`;
  /** True where the changed turn asks for it with the same (PA12): what a person has to answer first is not known to be. */
  const isMet = ({ turn, answer: told }: Act) => {
    const asks = thread.nodes[thread.turns[act.about] as number]?.asks;
    const isKnown = before.includes(told) && !(dies !== null && act.inFlight && act.about === act.during);
    return act.does === 'blind' && turn === act.about && asks !== 'before' && isKnown;
  };
  // What comes before a question does not rest on its answer.
  const isBehind = ({ turn }: Act) =>
    turn > act.about ||
    (turn === act.about &&
      (!['reopen', 'answer'].includes(act.does) || thread.nodes[thread.turns[turn] as number]?.asks === 'before'));
  const isBlocked = after.some(
    (done) => isBehind(done) && ['irreversible', 'idempotent'].includes(done.class) && !isMet(done),
  );
  if (!answer?.startsWith('refused') || !isBlocked)
    yield `the act was answered ${answer}, and nothing stands against it`;
}

/** Each turn rests on an act of its own that stands, on what its input says, and on the turns before it; and nothing else stands. */
function* ofState(one: Case, result: Result, state: Said): Generator<string> {
  const { thread, act } = one;
  // A thread without a turn has no channels.
  const { log = [] } = state as Partial<Said>;
  const turns = lastTurns(one, result);
  const standing = result.world.acts.filter(({ undone }) => !undone);
  const used = new Set<Act>();
  const said = new Map<number, string | undefined>();
  if (log.length !== turns.length) yield `the state has ${log.length} turns, and ${turns.length} were said`;
  for (const [nth, { turn, isChanged }] of turns.entries()) {
    const node = nodeOf(one, turn, isChanged);
    const line = log[nth];
    const done = standing.find((each) => each.answer === line && each.tool === `n${node}` && !used.has(each));
    if (done === undefined) {
      yield `turn ${turn + 1} says ${line}, which no act of its own has answered`;
      continue;
    }
    used.add(done);
    const price = thread.nodes[node]?.reads === true ? (said.get(0) ?? null) : null;
    if (done.args.price !== price)
      yield `turn ${turn + 1} was done for ${done.args.price}, and the thread says ${price}`;
    const note = isChanged && act?.does === 'revise' ? 'second' : 'first';
    if (done.args.note !== note) yield `turn ${turn + 1} was done for ${done.args.note}, and its input says ${note}`;
    const may = thread.nodes[node]?.asks === 'before' ? answerIn(one, isChanged) : undefined;
    if (done.args.may !== may) yield `turn ${turn + 1} was done for the answer ${done.args.may}, and it was ${may}`;
    said.set(node, line);
  }
  yield* ofKeys(one, turns, state, said);
  const beside = standing.filter((each) => each.class !== 'none' && !used.has(each));
  if (beside.length > 0) yield `${beside.map(({ answer }) => answer).join(', ')} stands, and no turn says so`;
}

/** The answer that a turn was given in the end. */
function answerIn({ act }: Pick<Case, 'act'>, isChanged: boolean): string {
  return isChanged && act?.does === 'answer' ? 'no' : 'yes';
}

/** The channels say what was answered last, and what the inputs say that stand. */
function* ofKeys(
  { thread, act }: Case,
  turns: readonly Last[],
  state: Said,
  said: ReadonlyMap<number, string | undefined>,
) {
  for (const [nth] of thread.nodes.entries())
    if (state[`k${nth}`] !== said.get(nth))
      yield `k${nth} is ${String(state[`k${nth}`])}, and ${said.get(nth)} was answered`;
  const asking = turns.findLast(
    ({ turn, isChanged }) => thread.nodes[nodeOf({ thread, ...(act && { act }) }, turn, isChanged)]?.asks === 'behind',
  );
  const heard = asking === undefined ? undefined : answerIn({ ...(act && { act }) }, asking.isChanged);
  if (state.heard !== heard) yield `the state has heard ${String(state.heard)}, and ${heard} was answered`;
  const other = act?.does === 'blind' && turns.some(({ isChanged }) => isChanged) ? 'x' : undefined;
  if (state.other !== other) yield `the state says ${String(state.other)}, and its inputs ${other}`;
}
