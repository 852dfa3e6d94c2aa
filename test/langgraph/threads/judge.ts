/** Judges one case by the world and by what was answered: it shares no code with the decision. */
import type { Case } from './cases.ts';
import type { Result, Said } from './drive.ts';
import { wrongsOfAct } from './judge-acts.ts';
import type { Act } from './world.ts';

/** How a case ended. */
export type Verdict =
  /** Nothing was found wrong, or it was done again: the thread is what it would be without it. */
  | 'right'
  /** The complaint was refused, and nothing of the past has moved. */
  | 'refused'
  /** A person has to act. */
  | 'parked'
  | 'wrong'
  | 'hangs';

/** A verdict, and why. */
export interface Judged {
  readonly is: Verdict;
  readonly why: string;
}

/** Judges a case. */
export function judge(one: Case, result: Result): Judged {
  if (result.hangs !== null) return { is: 'hangs', why: result.hangs };
  const why = [...(one.act === undefined ? wrongs(one, result) : wrongsOfAct(one, result))];
  if (why.length > 0) return { is: 'wrong', why: why.join('; ') };
  if (one.act !== undefined) return { is: result.answer === 'taken' ? 'right' : 'refused', why: '' };
  if (result.state === null) return { is: 'parked', why: '' };
  return { is: result.answer === 'said_to_person' ? 'refused' : 'right', why: '' };
}

function* wrongs(one: Case, result: Result): Generator<string> {
  const { thread, setting, complaint } = one;
  const { state, said, answer, world } = result;
  if (state === null && answer !== 'taken') yield 'parked, and nothing asked for it';
  yield* ofActs(one, result);
  if (complaint !== null) yield* ofAnswer(one, result);
  if (setting === 'stands') yield* ofPromise(result);
  if (state === null) return;
  if (said.length !== thread.turns.length) yield `${said.length} turns have ended`;
  if (state.log.length !== thread.turns.length) yield `the state has ${state.log.length} turns`;
  const standing = world.acts.filter(({ undone }) => !undone);
  yield* ofState(one, state, standing);
  if (answer === 'taken' && state.log.some((line) => line.startsWith('wrong')))
    yield 'a wrong answer stands that was found';
}

/** What stands is paid once for each turn, and no model is asked again that has answered. */
function* ofActs({ thread, complaint }: Case, { world, state, said, durable, answer }: Result): Generator<string> {
  for (const [nth, { class: effect }] of thread.nodes.entries()) {
    const own = world.acts.filter(({ tool }) => tool === `n${nth}`);
    const standing = own.filter(({ undone }) => !undone).length;
    const many = thread.turns.filter((node) => node === nth).length;
    if (effect !== 'none' && standing > many) yield `n${nth} stands ${standing} times for ${many} turns`;
    if (effect !== 'none' && state !== null && standing < many)
      yield `n${nth} stands ${standing} times for ${many} turns that ended`;
  }
  if (complaint !== null && answer === 'taken') return;
  for (const [turn] of said.entries()) {
    const own = world.acts.filter((act) => act.turn === turn);
    const again = own.slice(1).filter((_, index) => durable.includes((own[index] as Act).answer));
    if (again.length > 0) yield `turn ${turn + 1} was answered, and is asked again`;
  }
}

/** A complaint is refused as said where its turn is over, and nowhere else. */
function* ofAnswer({ setting, complaint }: Case, { answer, world, before }: Result): Generator<string> {
  if (answer === null) {
    if (world.isTold) yield 'the complaint has no answer';
    return;
  }
  // Only that about the turn which is open, told while it asks, is about what no person has read.
  const isOpen = complaint?.inFlight === true && complaint.about === complaint.during;
  const isSaid = setting === 'stands' && !isOpen;
  if (isSaid !== (answer === 'said_to_person')) yield `the complaint was answered ${answer}`;
  if (!isSaid) return;
  const gone = before.filter((each) => !world.acts.some((act) => act.answer === each && !act.undone));
  if (gone.length > 0) yield `${gone.join(', ')} went back, and was said`;
}

/** What a person has read is so for ever. */
function* ofPromise({ said, state, world }: Result): Generator<string> {
  const last = state ?? said.at(-1);
  for (const [turn, { log }] of said.entries()) {
    const now = last?.log.slice(0, log.length);
    if (JSON.stringify(now) !== JSON.stringify(log)) yield `turn ${turn + 1} said ${log}, and is ${now}`;
    if (log.length !== turn + 1) yield `turn ${turn + 1} has answered with ${log.length} turns`;
    const undone = world.acts.find((act) => act.undone && log.includes(act.answer));
    if (undone !== undefined) yield `${undone.answer} was said, and is undone`;
  }
}

/** Each turn rests on an act that stands, and on what the turns before it say. */
function* ofState({ thread }: Case, state: Said, acts: readonly Act[]): Generator<string> {
  const used = new Set<Act>();
  for (const [turn, node] of thread.turns.entries()) {
    const line = state.log[turn];
    const act = acts.find((each) => each.answer === line && each.tool === `n${node}`);
    if (act === undefined || used.has(act)) {
      yield `turn ${turn + 1} says ${line}, which no act of its own has answered`;
      continue;
    }
    used.add(act);
    const first = thread.turns.slice(0, turn).lastIndexOf(0);
    const price = thread.nodes[node]?.reads === true ? (state.log[first] ?? null) : null;
    if (act.args.price !== price) yield `turn ${turn + 1} was done for ${act.args.price}, and the thread says ${price}`;
  }
  for (const [nth] of thread.nodes.entries()) {
    const last = state.log[thread.turns.lastIndexOf(nth)];
    if (state[`k${nth}`] !== last) yield `k${nth} is ${String(state[`k${nth}`])}, and ${last} was answered`;
  }
}
