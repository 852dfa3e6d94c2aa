/**
 * The commands for a person at the terminal, for the present status of a run: those that carry out the smallest act
 * that unblocks it. `recovery/explain.ts` says why it is blocked; this file names the command.
 */
import pc from 'picocolors';
import type { ApprovalRequest } from '../../effects/gates.ts';
import { alternativesAsked } from '../../model/choice-entries.ts';
import type { Act } from '../../model/decision.ts';
import type { Effect } from '../../model/effect.ts';
import { instanceName } from '../../model/instance.ts';
import { quoted } from '../../recovery/explain.ts';
import { choiceWaits } from '../../reports/noted-attempt.ts';
import type { Decided } from '../../reports/timeline.ts';
import { answersTo } from '../approvals/approvals.ts';
import type { ReadRun } from '../reading/reading.ts';
import { printable } from '../terminal/printable.ts';
import { layOut, type Medium } from '../terminal/terminal.ts';
import { command, timeText } from '../terminal/wording.ts';
import { calledOutline } from './called.ts';

/** One command, and the case in which it applies. */
export interface MoveOn {
  readonly command: string;
  readonly when: string;
  /** The key of the call that it is about; null where it is about none. */
  readonly call: string | null;
}

/** A command that is about no call. */
function move(command: string, when: string): MoveOn {
  return { command, when, call: null };
}

/**
 * The commands that set a run going again, with the module of the machines where that must be named; none where the run
 * is over, or where only an event from outside helps.
 */
export function movesOn(read: ReadRun, journal: string, machines: string | null = null): MoveOn[] {
  const { run, standing, held, open } = read;
  const where = machines === null ? [] : ['--machines', machines];
  const resume = (...more: string[]) => command('resume', run, journal, ...more, ...where);
  switch (standing.is) {
    case 'done':
    case 'cancelled':
    case 'compensated':
      return [];
    case 'paused':
      return pausedMoves(read, journal, resume());
    case 'open': {
      const taken = held ? [] : [move(resume(), 'goes on where it ended')];
      return [...keepMoves(read, journal), ...taken];
    }
    case 'waiting':
      return gateMoves(read, journal, resume());
    case 'stuck':
    case 'recovering':
      return held ? owedMoves(read, journal) : unfinishedMoves(read, journal, resume);
    case 'parked': {
      if (open.length === 0 && read.runState.mandates.standing === 'wanted')
        return [mandateMove(read, journal), ...(held ? [] : [move(resume(), 'goes on under it')])];
      if (held) return heldMoves(read, journal);
      const over = move(resume('--rerun'), 'starts the run over, in the same run and under the same keys');
      const all = [
        ...open.toReversed().flatMap((decided) => again(decided, resume)),
        ...actsOf(open).flatMap((act) => movesOf(act, read, journal, resume)),
        ...(standing.verdict === 'rerun' ? [over] : []),
      ];
      return all.length === 0 ? [cancelMove(read, journal), AFTER_CANCEL(resume())] : unique(all);
    }
  }
}

function unique(moves: readonly MoveOn[]): MoveOn[] {
  return [...new Map(moves.toReversed().map((move) => [`${move.command} ${move.when}`, move])).values()].toReversed();
}

/** The commands for a parked run that a living process has: it takes each as a message, and no other process can take the run up. */
function heldMoves(read: ReadRun, journal: string): MoveOn[] {
  const asked = outcomeMoves(read, journal);
  const gated = new Set(read.runState.asked.pending().map(({ key }) => key));
  const all = [...asked, ...actsOf(read.open).flatMap((act) => heldMovesOf(act, read, journal, gated))];
  return all.length === 0 ? [cancelMove(read, journal)] : unique(all);
}

function heldMovesOf(act: Act, read: ReadRun, journal: string, gated: ReadonlySet<string>): MoveOn[] {
  switch (act.act) {
    case 'settle_outcome': {
      const key = act.effect.id;
      if (key === null || gated.has(key)) return [];
      return [
        { command: byKey(key, read, journal, 'confirmed', '--output', 'JSON'), when: ANSWERED, call: key },
        { command: byKey(key, read, journal, 'failed'), when: AGAIN, call: key },
      ];
    }
    case 'undo_by_hand':
    case 'register_undo':
      return act.effect.id === null ? [] : [undoneMove(act.effect.id, read, journal)];
    case 'give_mandate':
      return [mandateMove(read, journal)];
    case 'settle_obligation':
      return obligationMoves(act.obligation, read, journal);
    case 'fix_and_retry':
      return againMoves('once the code is put right: the step is tried again', read, journal, '');
    case 'raise_limit':
      return againMoves('with a higher limit', read, journal, '');
    case 'look_again':
    case 'name_suspect':
      return suspectMoves(read, journal);
    case 'register_codec':
    case 'start_sandbox':
    case 'change_graph':
    case 'correct_in_turn':
    case 'cancel_run':
    case 'allow_joint':
    case 'allow_exit':
    case 'end_instances':
      return [];
  }
}

/** The command that gives a run another mandate. */
function mandateMove({ run }: ReadRun, journal: string): MoveOn {
  const given = '{"by":"NAME"}';
  return { command: command('mandate', run, journal, given), when: 'what waits for a mandate goes on', call: null };
}

/** The answers for an obligation that the run owes. */
function obligationMoves(name: string, read: ReadRun, journal: string): MoveOn[] {
  return [
    { command: byKey(name, read, journal, 'kept'), when: 'if it was kept in another way', call: null },
    { command: byKey(name, read, journal, 'released'), when: 'if it is owed no more', call: null },
    {
      command: byKey(name, read, journal, 'broken'),
      when: 'if it is not kept: the end of the run names it',
      call: null,
    },
  ];
}

const ANSWERED = 'if it happened: the call is answered with that JSON, and not made again';
const AGAIN = 'if it did not, and will not later: the call is made again, under its key';

/** The word about a call by its key, which a living process receives as a message. */
function byKey(key: string, { run }: ReadRun, journal: string, as: string, ...more: readonly string[]): string {
  return command('settle', key, journal, '--run', run, '--as', as, ...more, '--by', 'NAME');
}

function undoneMove(key: string, read: ReadRun, journal: string): MoveOn {
  const tool = quoted(read.runState.ledger.get(key)?.intent.tool ?? 'the call');
  return { command: byKey(key, read, journal, 'compensated'), when: `once ${tool} has been undone by hand`, call: key };
}

function standsMove(key: string, read: ReadRun, journal: string): MoveOn {
  const tool = quoted(read.runState.ledger.get(key)?.intent.tool ?? 'the call');
  const when = `if ${tool} is to stand: the end of the run names it`;
  return { command: byKey(key, read, journal, 'stands'), when, call: key };
}

/** The end of a run that nothing else sets going. */
function cancelMove({ run }: ReadRun, journal: string): MoveOn {
  const when = 'ends the run: nothing of it acts anew, and what it has done stands';
  return move(command('cancel', run, journal, '--by', 'NAME'), when);
}

const AFTER_CANCEL = (resume: string): MoveOn => move(resume, 'takes that up, and ends it');

/** The complaints that no work fits, said again with the work that was meant. */
function suspectMoves({ run, open }: ReadRun, journal: string): MoveOn[] {
  return open.toReversed().flatMap(({ entry: { complaint, decision } }): MoveOn[] => {
    const asks = 'unblock' in decision && decision.unblock.acts.some(({ act }) => act === 'name_suspect');
    if (!asks || complaint === undefined) return [];
    const { skeleton, entity } = complaint;
    const named = ['--skeleton', skeleton, '--entity', entity, '--ordinal', 'N', '--instead', '--by', 'NAME'];
    return [move(command('fail', run, journal, ...named), 'with the work that is meant, as belay show lists it')];
  });
}

/** The choice that an attempt waits for. */
function keepMoves({ run, standing, runState }: ReadRun, journal: string): MoveOn[] {
  if (choiceWaits(standing.is, runState.attempt).length === 0) return [];
  return [
    move(
      command('keep', run, journal, '--by', 'NAME'),
      'keeps this attempt, and has the others aborted with their undos',
    ),
  ];
}

/** The end of a pause, and the command for a run that no process has to hear of it. */
function pausedMoves({ run, held }: ReadRun, journal: string, resume: string): MoveOn[] {
  const unpause = command('unpause', run, journal, '--by', 'NAME');
  const taken = move(resume, 'takes it up once that was said, unless a worker does');
  return [move(unpause, 'goes on where it stood still'), ...(held ? [] : [taken])];
}

/** The acts that unblock what a run is parked on, those of the newest question first. */
function actsOf(open: readonly Decided[]): Act[] {
  return open.toReversed().flatMap(({ entry: { decision } }) => ('unblock' in decision ? decision.unblock.acts : []));
}

/** The commands for a recovery that is not finished, and for each undo that has failed. */
function unfinishedMoves(read: ReadRun, journal: string, resume: (...more: string[]) => string): MoveOn[] {
  if (read.runState.asked.cancelled?.undo === true)
    return [move(resume(), 'tries a failed undo again, and goes on with the abort'), ...owedMoves(read, journal)];
  const failed = owedUndos(read).map((key): MoveOn => {
    const name = nameOf(key, read);
    const tool = quoted(read.runState.ledger.get(key)?.intent.tool ?? 'the call');
    return {
      command: resume('--settle', name, '--as', 'compensated', '--by', 'NAME'),
      when: `once ${tool} has been undone by hand: the recovery goes on without its undo`,
      call: key,
    };
  });
  return [move(resume(), 'finishes the recovery, and tries a failed undo again'), ...failed];
}

/** The words about each call whose undo has failed. */
function owedMoves(read: ReadRun, journal: string): MoveOn[] {
  const isAborted = read.runState.asked.cancelled?.undo === true;
  return owedUndos(read).flatMap((key) => [
    undoneMove(key, read, journal),
    ...(isAborted ? [standsMove(key, read, journal)] : []),
  ]);
}

/** The keys of the calls whose undo has failed. */
function owedUndos({ runState, standing }: Pick<ReadRun, 'runState' | 'standing'>): readonly string[] {
  if (standing.is !== 'stuck') return [];
  const { asked, aborted, pending } = runState;
  return asked.cancelled?.undo === true ? [...aborted.owed.keys()] : [...(pending?.stuck.keys() ?? [])];
}

/** The approvals that are wanted, and the next command where no living process takes them. */
function gateMoves({ runState, held }: ReadRun, journal: string, resume: string): MoveOn[] {
  const approvals = runState.asked.pending().filter(({ asks }) => asks !== 'outcome');
  const moves = approvals.flatMap((gate): MoveOn[] => {
    if (gate.asks === 'branch') return branchMoves(gate, journal);
    if (gate.review !== undefined) return reviewMoves(gate, gate.review, journal);
    const tool = quoted(runState.ledger.get(gate.key)?.intent.tool ?? 'a call');
    const until = gate.expires === null ? '' : `, until ${timeText(gate.expires)}`;
    const [approve = '', deny = '', same] = answersTo(gate, journal);
    const isSame = `if it is the call that has happened before: it is answered, and not made`;
    return [
      { command: approve, when: `lets ${tool} be called, once and as it stands${until}`, call: gate.key },
      { command: deny, when: `refuses it`, call: gate.key },
      ...(same === undefined ? [] : [{ command: same, when: isSame, call: gate.key }]),
    ];
  });
  return held ? moves : [...moves, move(resume, 'then: goes on with what was answered')];
}

/** The commands that let judged work stand, or reject it. */
function reviewMoves(
  gate: ApprovalRequest,
  { instance, boundary }: NonNullable<ApprovalRequest['review']>,
  journal: string,
): MoveOn[] {
  const [approve = '', deny = ''] = answersTo(gate, journal);
  const of = `${quoted(boundary)} of ${quoted(instanceName(instance))}`;
  return [
    { command: approve, when: `lets ${of} stand, of which its judge is not sure`, call: null },
    { command: deny, when: `rejects ${of}`, call: null },
  ];
}

/** The commands that choose a branch, one for each that may be chosen, and none of them. */
function branchMoves(gate: ApprovalRequest, journal: string): MoveOn[] {
  const of = quoted(alternativesAsked(gate.key));
  const until = gate.expires === null ? '' : `, until ${timeText(gate.expires)}`;
  const commands = answersTo(gate, journal);
  return commands.map((command, index) => ({
    command,
    when: index < commands.length - 1 ? `chooses that branch of ${of}${until}` : `chooses no branch of ${of}`,
    call: null,
  }));
}

/** Commands that give the process of the run the outcomes that it asks for. */
function outcomeMoves({ runState }: ReadRun, journal: string): MoveOn[] {
  return runState.asked.pending().flatMap((gate): MoveOn[] => {
    if (gate.asks !== 'outcome') return [];
    const tool = quoted(runState.ledger.get(gate.key)?.intent.tool ?? 'the call');
    const [confirmed = '', failed = ''] = answersTo(gate, journal);
    return [
      {
        command: confirmed,
        when: `if ${tool} happened: the call is answered with that JSON, and not made again`,
        call: gate.key,
      },
      { command: failed, when: AGAIN, call: gate.key },
    ];
  });
}

/** A held call of a tool that changes nothing is simply made again when the run is resumed. */
function again({ entry, around }: Decided, resume: () => string): MoveOn[] {
  const asks = 'unblock' in entry.decision && entry.decision.unblock.acts.some(({ act }) => act === 'settle_outcome');
  if (entry.call === null || around.tool === null || asks) return [];
  return [move(resume(), `has ${quoted(around.tool)} called again`)];
}

function movesOf(act: Act, read: ReadRun, journal: string, resume: (...more: string[]) => string): MoveOn[] {
  switch (act.act) {
    case 'settle_outcome': {
      const effect = nameOf(act.effect.id, read);
      const call = act.effect.id;
      const asks = act.ask === undefined || act.ask.reconciler === null ? null : act.ask.reconciler;
      const output = act.effect.class === 'none' ? [] : ['--output', 'JSON'];
      return [
        ...(asks === null
          ? []
          : [{ command: resume(), when: `asks ${quoted(asks)}, and goes on by what it says`, call }]),
        { command: resume('--settle', effect, '--as', 'confirmed', ...output, '--by', 'NAME'), when: ANSWERED, call },
        { command: resume('--settle', effect, '--as', 'failed', '--by', 'NAME'), when: AGAIN, call },
      ];
    }
    case 'undo_by_hand':
    case 'register_undo':
      // It was undone, and the answer is the same all the same: to say it once more changes nothing.
      if (act.effect.id !== null && read.runState.ledger.get(act.effect.id)?.status === 'compensated') return [];
      return [
        {
          command: resume('--settle', nameOf(act.effect.id, read), '--as', 'compensated', '--by', 'NAME'),
          when: 'once it has been undone by hand',
          call: act.effect.id,
        },
      ];
    case 'settle_obligation':
    case 'give_mandate':
      return [];
    case 'fix_and_retry':
      return againMoves('once the code is put right: the step is tried again', read, journal, resume());
    case 'raise_limit':
      return againMoves('with a higher limit', read, journal, resume());
    case 'register_codec':
      return [move(resume(), 'once the program passes plain data there, or has a codec for it')];
    case 'start_sandbox':
      return [move(resume(), 'once the sandbox can start')];
    case 'change_graph':
      return [move(resume(), 'once the graph is built in another way: it goes on from where it stands')];
    case 'cancel_run':
    // A turn is sent by the program that has the thread.
    case 'correct_in_turn':
    // A changed config makes the checkpoints of this run stale (§5): it helps only later runs.
    case 'allow_joint':
    case 'end_instances':
      return [];
    case 'allow_exit':
      return [move(resume(), 'once the config of the agent has the exit restored')];
    case 'look_again':
      return [...suspectMoves(read, journal), move(resume(), `has ${quoted(act.tool)} looked at once more`)];
    case 'name_suspect': {
      const said = suspectMoves(read, journal);
      return said.length === 0 ? [] : [...said, move(resume(), 'takes that up')];
    }
  }
}

/** The commands that have a step tried again which threw, or which met a limit: by another process, or on the word of a person. */
function againMoves(when: string, { run, held }: ReadRun, journal: string, resume: string): MoveOn[] {
  const said = command('retry', run, journal, '--by', 'NAME');
  if (held) return [move(said, `${when}, in the process that has the run`)];
  const word = 'has the step tried again on your word, under the same version and the same limit';
  return [move(resume, when), move(said, word)];
}

/** The name of a call for `--settle`: its tool, where the tool has only one of the calls that matter; otherwise its row. */
function nameOf(key: string | null, read: ReadRun): string {
  if (key === null) return 'KEY';
  const tool = read.runState.ledger.get(key)?.intent.tool ?? '';
  const alike = relevantCalls(read).filter((call) => call.tool === tool);
  if (alike.length === 1 && tool !== '') return tool;
  const row = read.eventRows.called(key)?.seq;
  return row === undefined ? key : `row ${row}`;
}

/** A call that a person may know about. */
export interface RelevantCall {
  readonly key: string;
  readonly tool: string;
  readonly status: Effect['status'];
  readonly class: Effect['class'];
  /** The row of its newest intent; null where the rows that were read do not have it. */
  readonly row: number | null;
}

/** The calls with an open outcome, the calls that the standing decisions name, and the calls with a failed undo. */
export function relevantCalls({
  runState,
  standing,
  open,
  eventRows,
}: Pick<ReadRun, 'runState' | 'standing' | 'open' | 'eventRows'>): RelevantCall[] {
  const acts = actsOf(open).flatMap((act) => ('effect' in act ? [act.effect.id] : []));
  const named = new Set([...acts, ...owedUndos({ runState, standing })]);
  return [...runState.ledger.all()]
    .filter(({ key, status }) => status === 'intended' || status === 'unknown' || named.has(key))
    .map(({ key, intent, status }) => {
      return { key, tool: intent.tool, status, class: intent.class, row: eventRows.called(key)?.seq ?? null };
    });
}

/** The same in words, each call that they are about once before its commands; empty where there are none. A command is never wrapped, so that it can be copied. */
export function movesText(moves: readonly MoveOn[], read: ReadRun, medium: Medium): string {
  const { bold } = pc.createColors(medium.colours);
  const room = { ...medium, columns: medium.columns - 4 };
  let about: string | null = null;
  const lines = moves.map(({ command: typed, when, call }) => {
    const told = layOut(null, { text: when }, room).trimEnd();
    const facts = call === null || call === about ? '' : calledText(call, read, medium);
    about = call;
    return `${facts}  ${printable(typed)}\n    ${told.replaceAll('\n', '\n    ')}\n`;
  });
  return lines.length === 0 ? '' : `\n${bold('To go on')}\n${lines.join('')}`;
}

/** The call that commands are about, indented as they are. */
function calledText(key: string, read: ReadRun, medium: Medium): string {
  const outline = calledOutline(key, read);
  if (outline === null) return '';
  const told = layOut(null, outline, { ...medium, columns: medium.columns - 2 }).trimEnd();
  return `  ${told.replaceAll('\n', '\n  ')}\n`;
}
