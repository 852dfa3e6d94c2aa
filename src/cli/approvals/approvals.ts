/**
 * The verb `approvals`: the questions that runs put to people, read from a journal file. An answer that was left and not
 * yet taken is shown with its question; only the run itself decides if it counts.
 */

import type { ApprovalRequest } from '../../effects/gates.ts';
import { type Answer, answerIn } from '../../effects/messages/answers.ts';
import { JournalError, type JournalStore, type RunSummary } from '../../journal/journal.ts';
import { instanceName } from '../../model/instance.ts';
import type { RunState } from '../../projection/run-state.ts';
import type { Outline } from '../../recovery/explain.ts';
import { guardedRequest, kinText, type shownBranches } from '../../reports/approval-requests.ts';
import { parseRunNote, type RunNote, runNoteOf } from '../../reports/run-note.ts';
import { type Counting, countedRows, reading, readRun, type Told } from '../reading/reading.ts';
import { printable } from '../terminal/printable.ts';
import { layOut, type Medium } from '../terminal/terminal.ts';
import { command, commandOfAll, jsonText, plain, shortened, timeText } from '../terminal/wording.ts';

/** Options of the list. */
export interface GatesOptions {
  readonly file: string;
  /** One run, or null for all runs of the file. */
  readonly run: string | null;
  /** True to list requests that no longer wait, too. */
  readonly all: boolean;
  readonly json: boolean;
  readonly medium: Medium;
  readonly counting: Counting;
  readonly now: number;
}

/** An answer that lies in the inbox of a run, which has not taken it yet. */
interface LeftAnswer {
  readonly post: number;
  /** The wall clock of the person who left it, in milliseconds. */
  readonly time: number;
  readonly answer: Answer;
}

/** A request as it is shown to the person who is to answer it. */
export interface AskedGate extends Omit<ApprovalRequest, 'status'> {
  readonly run: string;
  readonly agent: string | null;
  readonly held: boolean;
  /** `expired` also where the journal does not record it yet. */
  readonly status: ApprovalRequest['status'];
  readonly tool: string;
  readonly instance: string;
  readonly class: string;
  readonly args: unknown;
  /** The reason why a person is asked, in words. */
  readonly reason: string;
  readonly left: readonly LeftAnswer[];
}

/** The length of arguments shown in a text, in characters. */
const ARGS = 400;

/** Lists the requests. */
export async function listGates(options: GatesOptions): Promise<Told> {
  const { file, run, all, json, medium, counting, now } = options;
  return reading(file, async (store) => {
    const { gates, unread, answered } = await (run === null
      ? gatesOfAll(store, now, counting, all)
      : gatesOf(store, run, now, counting));
    const problem = unread.length === 0 ? null : `${file}: cannot be read: ${unread.join(', ')}`;
    const shown = gates.filter(({ status }) => all || status === 'pending');
    if (json) return { pieces: shown.map((gate) => `${JSON.stringify(fields(gate, file), plain)}\n`), problem };
    if (shown.length === 0) return { pieces: [`${emptyText(gates.length + answered, run, file)}\n`], problem };
    return { pieces: [shown.map((gate) => gateText(gate, file, medium)).join('\n')], problem };
  });
}

/**
 * The requests of every run of a file; a run that cannot be read must not hide the others. Most runs ask no person: the
 * note of a run names its requests, and only these are read.
 * @param all false to leave out runs in which nothing waits for an answer; `answered` is their number.
 */
export async function gatesOfAll(store: JournalStore, now: number, counting: Counting = () => {}, all = true) {
  const gates: AskedGate[] = [];
  const unread: string[] = [];
  let answered = 0;
  for (const summary of await store.runs()) {
    const { run } = summary;
    try {
      const { asked, unanswered } = await noted(store, summary, counting);
      if (unanswered > 0 || (asked && all)) gates.push(...(await gatesOf(store, run, now, counting)).gates);
      else if (asked) answered += 1;
    } catch (error) {
      if (!(error instanceof JournalError)) throw error;
      unread.push(`${JSON.stringify(run)} (${error.code})`);
    }
  }
  return { gates, unread, answered };
}

async function noted(store: JournalStore, { run, note }: RunSummary, counting: Counting): Promise<RunNote> {
  return parseRunNote(note) ?? runNoteOf(await countedRows(store, run, counting));
}

async function gatesOf(store: JournalStore, run: string, now: number, counting: Counting) {
  const { runState, held } = await readRun(store, run, counting);
  const { asked } = runState;
  const left = (await store.posts(run)).flatMap(({ number, time, body }): LeftAnswer[] => {
    const answer = number > asked.read ? answerIn(body) : null;
    if (answer === null) return [];
    const why = answer.why == null ? answer.why : runState.redaction.text(answer.why);
    return [{ post: number, time, answer: { ...answer, why } as Answer }];
  });
  const gates = [...asked.all()].flatMap((gate): AskedGate[] => {
    const about = aboutOf(gate, runState);
    if (about === null) return [];
    const isOver = gate.status === 'pending' && runState.ended !== null;
    const isLate = gate.status === 'pending' && gate.expires !== null && gate.expires <= now;
    return [
      {
        ...gate,
        status: isOver ? 'void' : isLate ? 'expired' : gate.status,
        run,
        agent: runState.agent,
        held,
        ...about,
        left: left.filter(({ answer }) => answer.gate === gate.gate),
      },
    ];
  });
  return { gates, unread: [] as string[], answered: 0 };
}

/** What a request is about: a call, or the branches of alternatives. */
function aboutOf(
  gate: ApprovalRequest,
  runState: RunState,
): Pick<AskedGate, 'tool' | 'instance' | 'class' | 'args' | 'reason'> | null {
  const asked = guardedRequest(runState, gate);
  if (asked === null) return null;
  const { tool, instance, args, reason } = asked;
  const kind = runState.ledger.get(gate.key)?.intent.class ?? 'none';
  return { tool, instance: instanceName(instance), class: kind, args, reason };
}

function emptyText(known: number, run: string | null, file: string): string {
  const none = run === null ? 'no run waits for a person' : `${printable(run)} waits for no person`;
  if (known === 0) return none;
  const lists = run === null ? commandOfAll('approvals', file, '--all') : command('approvals', run, file, '--all');
  return `${none}; ${printable(lists)} shows what was answered`;
}

/** The commands that answer a request, ready to type. */
export function answersTo(
  {
    gate,
    asks,
    like,
    edits,
    candidates = [],
  }: Pick<ApprovalRequest, 'gate' | 'asks' | 'like' | 'edits' | 'candidates'>,
  file: string,
): string[] {
  if (asks === 'branch') {
    const open = candidates.filter(({ is }) => is === 'over');
    const chosen = open.map(({ branch }) => command('approve', gate, file, '--with', branch, '--by', 'NAME'));
    return [...chosen, command('deny', gate, file, '--by', 'NAME')];
  }
  const same = like === undefined ? [] : [command('settle', gate, file, '--as', 'confirmed', '--by', 'NAME')];
  const changed = edits === undefined ? [] : [command('approve', gate, file, '--with', 'JSON', '--by', 'NAME')];
  if (asks === 'review') return ['approve', 'deny'].map((verb) => command(verb, gate, file, '--by', 'NAME'));
  if (asks === 'approval')
    return [...['approve', 'deny'].map((verb) => command(verb, gate, file, '--by', 'NAME')), ...same, ...changed];
  return [
    command('settle', gate, file, '--as', 'confirmed', '--output', 'JSON', '--by', 'NAME'),
    command('settle', gate, file, '--as', 'failed', '--by', 'NAME'),
  ];
}

function fields(asked: AskedGate, file: string): object {
  const { gate, run, held, asks, key, tool, instance, class: kind, args, digest, epoch, since, expires } = asked;
  const { like, kin } = asked;
  return {
    gate,
    run,
    held,
    asks,
    status: asked.status,
    key,
    tool,
    instance,
    class: kind,
    args,
    digest,
    epoch,
    ...(like !== undefined && { like }),
    ...(kin !== undefined && { kin }),
    ...(asked.edits !== undefined && { edits: asked.edits }),
    since: new Date(since).toISOString(),
    expires: expires === null ? null : new Date(expires).toISOString(),
    by: asked.by,
    why: asked.why,
    left: asked.left.map(({ post, time, answer: { verdict, by, why } }) => {
      return { post, time: new Date(time).toISOString(), verdict, by, why };
    }),
    commands: asked.status === 'pending' ? answersTo(asked, file) : [],
  };
}

function gateText(asked: AskedGate, file: string, medium: Medium): string {
  const { gate, run, asks, tool, instance, class: kind, since, expires, status } = asked;
  const what = {
    approval: `may ${tool} (${kind}) be called?${mayBeText(asked)}`,
    outcome: `what became of ${tool} (${kind}), which was called?`,
    branch: `which branch of ${tool} is chosen?`,
    review: asked.reason,
  }[asks];
  const until = expires === null ? '' : `, until ${timeText(expires)}`;
  const under: Outline[] = [
    { text: `run    ${shortened(run, 100)}, for ${shortened(instance, 100)}` },
    ...shownLines(asked).map((text) => ({ text: shortened(text, ARGS) })),
    ...(asked.edits === undefined ? [] : [{ text: `change ${asked.edits.join(', ')}, in approving it` }]),
    { text: `asked  ${timeText(since)}${until}` },
    ...(status === 'pending' ? [] : [{ text: `is     ${statusText(asked)}` }]),
    ...asked.left.map(({ answer, time }) => ({
      text: `left   ${leftText(answer)}, at ${timeText(time)}, not yet taken`,
    })),
  ];
  const commands = status === 'pending' ? answersTo(asked, file) : [];
  const told = layOut(null, { label: gate, text: what, under }, medium);
  // A command is never wrapped, so that it can be copied.
  return `${told}${commands.map((line) => `  ${printable(line)}\n`).join('')}`;
}

/** What a person is shown: the arguments of a call, or the branches with what each did. */
function shownLines({ asks, args }: AskedGate): string[] {
  if (asks !== 'branch') return [`with   ${jsonText(args)}`];
  return (args as ReturnType<typeof shownBranches>).map(branchText);
}

/** A branch in one line: its score, its output, and its calls. */
function branchText({ branch, is, score, why, output, calls }: ReturnType<typeof shownBranches>[number]): string {
  const said = [
    is,
    ...(score === undefined ? [] : [`score ${score}`]),
    ...(why === undefined ? [] : [why]),
    ...(output === undefined ? [] : [jsonText(output)]),
  ];
  const did = calls.map(({ tool, args, is: how }) => `${tool} ${jsonText(args)} ${how}`);
  return `branch ${branch}: ${[said.join(', '), ...did].join('; ')}`;
}

/** The reason why a call may be one that has happened. */
function mayBeText({ like, kin, tool }: Pick<AskedGate, 'like' | 'kin' | 'tool'>): string {
  if (kin !== undefined) return ` ${upperFirst(kinText(kin, tool))}.`;
  return like === undefined
    ? ''
    : ' It has happened before, and the machine has not heard its answer: is this another act?';
}

function upperFirst(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;
}

/** The status of a request that no longer waits, with the person who answered and the reason. */
export function statusText({ status, by, why }: Pick<ApprovalRequest, 'status' | 'by' | 'why'>): string {
  const named = by === null ? '' : ` by ${quotedText(by)}`;
  const said = why === null || why === '' ? '' : `: ${quotedText(why)}`;
  switch (status) {
    case 'pending':
      return 'pending';
    case 'used':
      return `approved${named}, and used${said}`;
    case 'void':
      return `void: the run went back past it, or found out otherwise${by === null ? '' : ` (answered${named})`}`;
    case 'expired':
      return 'expired: no answer came in time';
    case 'approved':
      return `approved${named}, not yet used${said}`;
    case 'denied':
    case 'settled':
      return `${status}${named}${said}`;
  }
}

function leftText(answer: Answer): string {
  const { by, why } = answer;
  return `${saidOf(answer)} by ${quotedText(by)}${why === null || why === '' ? '' : `: ${quotedText(why)}`}`;
}

/** The content of an answer: a verdict, or the outcome of the call. */
export function saidOf(answer: Pick<Answer, 'verdict'>): string {
  if ('with' in answer) return `approved with ${shortened(jsonText(answer.with), ARGS)}`;
  return 'status' in answer ? String(answer.status) : answer.verdict;
}

/** A person's words, cut and in quotation marks. */
export function quotedText(text: string): string {
  return JSON.stringify(shortened(text, 200));
}
