/** Judges one case by the world and by what the loop said: it shares no code with the decision. */
import type { Case, Turn, TurnAct } from './cases.ts';
import { AGAIN, type Result } from './drive.ts';
import type { World } from './world.ts';

/** How a case ended. */
export type Verdict =
  /** Nothing was found wrong, or it was done again: the loop says what it would say without it. */
  | 'right'
  /** The complaint was refused, and nothing of the past has moved. */
  | 'refused'
  /** A person has to act, and an act that has no undo is why. */
  | 'parked'
  /** A person has to act, and each act could have been undone. */
  | 'needless'
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
  const why = [...wrongs(one, result)];
  if (why.length > 0) return { is: 'wrong', why: why.join('; ') };
  const { state, world, answer } = result;
  if (one.act !== undefined) return { is: answer?.startsWith('refused') ? 'refused' : 'right', why: '' };
  if (state === null)
    return {
      is: world.acts.some(({ tool }) => tool === 'irreversible' || tool === 'idempotent') ? 'parked' : 'needless',
      why: '',
    };
  return { is: answer === 'said_to_person' ? 'refused' : 'right', why: '' };
}

/** The inputs that the loop has to end with: those of the turns, as the act on one has them. */
function inputsOf({ turns, act, said, dies }: Case, { answer, gone }: Result): number[] {
  const all = [...turns.keys()];
  if (act === undefined || answer !== 'taken') return all;
  const { about, during, does } = act;
  const isDropped = (turn: number) =>
    said === 'stands' &&
    turn > about &&
    // A turn that waits takes nothing along; where the process died over the act, it may have been taken before that was said again.
    (about > during ? dies !== null && gone.includes(turn) : true) &&
    (act.ahead || turn < during || (turn === during && act.while === 'over') || gone.includes(turn));
  return all.flatMap((turn) => {
    if (isDropped(turn) || (turn === about && does === 'retract')) return [];
    return [turn === about ? turn + AGAIN : turn];
  });
}

/** An act on a turn is refused where what rests on it cannot be taken back, and nowhere else; then nothing has moved. */
function* ofAct(one: Case, { answer, world, before, after, gone }: Result): Generator<string> {
  const { act, said } = one;
  if (act === undefined) return;
  const stray = gone.filter(
    (turn) =>
      answer !== 'taken' ||
      turn < act.about ||
      (turn > act.during && !act.ahead) ||
      (said === 'rewritten' && turn !== act.about),
  );
  if (stray.length > 0) yield `turn ${stray.map((turn) => turn + 1)} is gone`;
  if (answer === null || answer === 'taken' || answer === 'event_unknown') return;
  const lost = before.filter((each) => !world.acts.some((one) => one.answer === each && !one.undone));
  if (lost.length > 0) yield `${lost.join(', ')} went back for an act that was refused`;
  const isBlocked = after.some(
    (done) =>
      done.turn >= act.about &&
      (done.tool === 'irreversible' || done.tool === 'idempotent') &&
      !isMet(one, act, done, { world, before }),
  );
  if (!answer.startsWith('refused') || !isBlocked)
    yield `the act was answered ${answer}, and nothing stands against it`;
}

/** True for an act that the changed turn comes to with the same arguments: it blocks nothing (PA12). */
function isMet(
  { turns, as, lost, dies }: Case,
  act: TurnAct,
  done: Result['after'][number],
  { world, before }: Pick<Result, 'world' | 'before'>,
): boolean {
  if (!act.isBlind || done.turn !== act.about) return false;
  // Another process may have gone on before the act was said again.
  if (dies !== null && (act.ahead || act.while === 'act')) return false;
  // What is under way is not known to be the same.
  const isUnderWay = act.while === 'act' && act.during === act.about;
  if (isUnderWay && (lost !== null || !before.includes(done.answer))) return false;
  return !behindLook(turns[act.about] ?? [], as, placeOf(world, done));
}

/** True where a tool that is asked anew comes before a call: calls of one round of a loop go on side by side, the steps of a flow one after the other. */
function behindLook(rounds: Turn, as: Case['as'], { round, nth }: ReturnType<typeof placeOf>): boolean {
  const before = rounds.slice(0, round).flat();
  return [...before, ...(as === 'flow' ? (rounds[round] ?? []).slice(0, nth) : [])].includes('none');
}

/** The round of its turn that an act was wanted in, and its number there: by the questions that the model was asked, which are those of a blind turn. */
function placeOf({ thoughts }: World, { turn, of, id }: Result['after'][number]) {
  const own = thoughts.filter((each) => each.turn === turn);
  const thought = own.find(({ answer }) => answer === of);
  const lines = ({ on }: { readonly on: string }) => Number(/round (\d+)/.exec(on)?.[1]);
  const rounds = [...new Set(own.map(lines))].sort((a, b) => a - b);
  return { round: thought === undefined ? 0 : rounds.indexOf(lines(thought)), nth: thought?.ids.indexOf(id) ?? 0 };
}

function* wrongs(one: Case, result: Result): Generator<string> {
  if (one.act !== undefined) {
    yield* ofAct(one, result);
    if (result.state === null) yield 'parked, and nothing asked for it';
    else yield* ofLog(one, result, result.state);
    return;
  }
  const { state, answer, world, said, durable } = result;
  if (state === null && answer !== 'taken') yield 'parked, and nothing asked for it';
  yield* ofAnswer(one, result);
  if (one.said === 'stands') yield* ofPromise(result);
  if (answer !== 'taken')
    for (const { answer: first, on } of world.thoughts.filter((each) => durable.includes(each.answer)))
      if (world.thoughts.some((other) => other.answer !== first && other.on === on))
        yield `the model was answered ${first}, and is asked again`;
  if (state === null) return;
  if (said.length !== one.turns.length) yield `${said.length} turns have ended`;
  yield* ofLog(one, result, state);
  if (answer === 'taken' && state.some((line) => line.startsWith('wrong')))
    yield 'a wrong answer stands that was found';
}

/** A complaint is refused as said where its turn is over and what is said stands, and nowhere else. */
function* ofAnswer({ said, complaint }: Case, { answer, world, before, isSaid: wasSaid }: Result): Generator<string> {
  if (complaint === null) return;
  if (answer === null) {
    if (world.isTold) yield 'the complaint has no answer';
    return;
  }
  const isOpen = complaint.while !== 'over' && complaint.about === complaint.during && !wasSaid;
  const isSaid = said === 'stands' && !isOpen;
  if (isSaid !== (answer === 'said_to_person')) yield `the complaint was answered ${answer}`;
  if (!isSaid) return;
  const gone = before.filter((each) => !world.acts.some((act) => act.answer === each && !act.undone));
  if (gone.length > 0) yield `${gone.join(', ')} went back, and was said`;
}

/** What a person has read is so for ever. */
function* ofPromise({ said, state, world }: Result): Generator<string> {
  const last = state ?? said.at(-1) ?? [];
  for (const [turn, log] of said.entries()) {
    if (JSON.stringify(last.slice(0, log.length)) !== JSON.stringify(log))
      yield `turn ${turn + 1} said ${log}, and is ${last}`;
    const undone = world.acts.find((act) => act.undone && log.includes(act.answer));
    if (undone !== undefined) yield `${undone.answer} was said, and is undone`;
  }
}

/** Each answer of the model was given on what the loop says before it; each act was wanted by it, stands, and is said once; nothing else stands. */
function* ofLog(one: Case, result: Result, state: readonly string[]): Generator<string> {
  const { world } = result;
  const said = new Set<string>();
  let at = 0;
  for (const turn of inputsOf(one, result)) {
    const rounds = one.turns[turn % AGAIN] ?? [];
    if (state[at] !== `in ${turn}`) yield `turn ${turn + 1} begins with ${state[at]}`;
    at += 1;
    for (const wants of rounds) {
      const on = one.act?.isBlind ? [`turn ${turn % AGAIN}`, `round ${at}`] : state.slice(0, at);
      yield* ofRound(world, state, { at, on }, wants, said);
      at += 1 + wants.length;
    }
  }
  if (state.length !== at) yield `the loop says ${state.length} lines, and has ${at}`;
  const beside = world.acts.filter((act) => !act.undone && act.tool !== 'none' && !said.has(act.answer));
  if (beside.length > 0)
    yield `${beside.map(({ tool, answer }) => `${tool} ${answer}`).join(', ')} stands, and is not said`;
}

/** One round, from where the loop says what the model has answered. */
function* ofRound(
  world: World,
  state: readonly string[],
  { at, on: asked }: { readonly at: number; readonly on: readonly string[] },
  wants: Turn[number],
  said: Set<string>,
): Generator<string> {
  const line = state[at] ?? '';
  const thought = world.thoughts.find(({ answer }) => answer === line);
  const on = JSON.stringify(asked);
  if (thought?.on !== on) yield `${line} was answered on ${thought?.on}, and the loop says ${on}`;
  for (const [nth, tool] of wants.entries()) {
    const answer = state[at + 1 + nth] ?? '';
    const act = world.acts.find((each) => each.answer === answer && !each.undone && each.tool === tool);
    if (act === undefined || said.has(answer)) yield `${answer || 'nothing'} is said for ${tool}, and does not stand`;
    else if (act.of !== line || act.id !== thought?.ids[nth])
      yield `${answer} was done for ${act.of}, and the loop says ${line}`;
    said.add(answer);
  }
}
