/**
 * The acts that a run offers to a person: a description of each, the command that does the same, and the reason if it
 * cannot be done here. They are computed from the journal at each display and each request, so an act that the run no
 * longer offers is never done.
 */
import type { ApprovalRequest } from '../../effects/gates.ts';
import type { Act } from '../../model/decision.ts';
import type { Effect } from '../../model/effect.ts';
import type { ObligationAnswer } from '../../model/obligation-entries.ts';
import { quoted } from '../../recovery/explain.ts';
import { guardedRequest } from '../../reports/approval-requests.ts';
import { choiceWaits } from '../../reports/noted-attempt.ts';
import { isOver } from '../../reports/run-status.ts';
import type { WireAct } from '../page-data.ts';
import type { Inspected, Saying } from '../port.ts';
import type { Read } from '../reading.ts';

type Status = 'confirmed' | 'failed' | 'compensated' | 'supplied' | ObligationAnswer;

/** An act, and how it is done. */
export interface Offered extends Omit<WireAct, 'disabled' | 'first' | 'kind' | 'command' | 'named'> {
  readonly by:
    | { readonly is: 'answer'; readonly gate: string; readonly saying: Saying }
    | { readonly is: 'pause'; readonly pause: boolean }
    | { readonly is: 'retry' }
    | { readonly is: 'keep' }
    | { readonly is: 'cancel' }
    | { readonly is: 'settle'; readonly key: string; readonly status: Status }
    | { readonly is: 'code'; readonly verb: string; readonly more: readonly string[] };
}

/** Every act that a run offers, the best first. */
export function offered(read: Read, now: number): Offered[] {
  const { timeline, summary } = read;
  const { standing, runState, open: questions } = timeline;
  if (isOver(standing) || timeline.agent === null) return [];
  if (standing.is === 'paused') return summary.held ? [UNPAUSE] : [UNPAUSE, ...resuming(read)];
  const gates = runState.asked.pending().filter(({ expires }) => expires === null || expires > now);
  const answers = gates.flatMap((gate) => answersOf(gate, read));
  const asked = new Set(gates.map(({ key }) => key));
  const unblock = questions.flatMap(({ entry }) => ('unblock' in entry.decision ? entry.decision.unblock.acts : []));
  const owed = standing.is === 'stuck' ? [runState.ledger.get(standing.effect)] : [];
  const settling = [
    ...owed.flatMap((call) => (call === undefined ? [] : [undone(call.key, call.intent.tool, 'undo')])),
    ...unblock.flatMap((act) => settlingOf(act, asked)),
  ];
  const rerun = standing.is === 'parked' && standing.verdict === 'rerun' ? [RERUN] : [];
  const open = runState.ledger.open().length > 0 ? [RECONCILE] : [];
  // A living process goes on by itself, and takes words and answers as they come.
  const going = summary.held ? settling.flatMap(sentAct) : [...rerun, ...settling, ...resuming(read), ...open];
  const retry = unblock.some(({ act }) => act === 'fix_and_retry' || act === 'raise_limit') ? [retrying(read)] : [];
  const all = unique([...answers, ...keeping(read), ...retry, ...going]);
  const stands = standing.is === 'parked' && !all.some(({ id }) => id !== 'resume' && id !== 'reconcile');
  return stands ? [...all, CANCEL] : all;
}

/** The keeping of an attempt that waits for the choice (FK9). */
function keeping({ timeline }: Read): Offered[] {
  const { attempt } = timeline.runState;
  if (choiceWaits(timeline.standing.is, attempt).length === 0) return [];
  const does =
    'The attempt goes on: it makes the calls that nothing takes back, and ends. The others are aborted with their undos.';
  return [{ id: 'keep', title: 'Keep this attempt', does, output: false, by: { is: 'keep' } }];
}

/** The act as a message to the process that has the run; none for what only another process can do. */
function sentAct(act: Offered): Offered[] {
  if (act.by.is !== 'code') return [act];
  const [flag, key = '', , status] = act.by.more;
  if (flag !== '--settle' || (status !== 'confirmed' && status !== 'failed' && status !== 'compensated')) return [];
  return [{ ...act, by: { is: 'settle', key, status } }];
}

const CANCEL: Offered = {
  id: 'cancel',
  title: 'Cancel',
  does: 'The run ends: nothing of it acts anew, and what it has done stands. Nothing is undone.',
  output: false,
  by: { is: 'cancel' },
};

/** The acts as they are sent. */
export function actsOf(read: Read, port: Inspected, now: number): WireAct[] {
  const { summary } = read;
  const all = offered(read, now);
  // Between answers the page does not choose: which is right, only the world tells.
  const hasAnswers = all.some(({ by }) => by.is === 'answer' || by.is === 'keep');
  return all.map(({ by, ...act }, index) => {
    const isCode = by.is === 'code';
    return {
      ...act,
      kind: isCode ? 'code' : 'answer',
      named: isNamed(by),
      command: commandFor({ ...act, by }, summary.run, port),
      first: index === 0 && !hasAnswers,
      disabled: disabled(isCode, port),
    };
  });
}

/** The reason why an act cannot be done from the page; null where it can. */
function disabled(isCode: boolean, { readOnly, execute }: Inspected): string | null {
  if (readOnly) return READ_ONLY;
  return isCode && execute === null ? CODE : null;
}

/** True of what is done under the name of a person. */
export function isNamed(by: Offered['by']): boolean {
  return by.is !== 'code' || by.more.includes('--settle');
}

function commandFor({ by, output }: Pick<Offered, 'by' | 'output'>, run: string, port: Inspected): string {
  const said = output === 'with' ? ['--with', 'JSON'] : output ? ['--output', 'JSON'] : [];
  switch (by.is) {
    case 'answer':
      return port.command(verbOf(by.saying), by.gate, ...wordsOf(by.saying), ...said, '--by', 'NAME');
    case 'pause':
      return port.command(by.pause ? 'pause' : 'unpause', run, '--by', 'NAME');
    case 'retry':
    case 'keep':
      return port.command(by.is, run, '--by', 'NAME');
    case 'cancel':
      return port.command('cancel', run, '--by', 'NAME');
    case 'settle':
      if (by.status === 'supplied') return port.command('supply', run, by.key, ...said, '--by', 'NAME');
      return port.command('settle', by.key, '--run', run, '--as', by.status, ...said, '--by', 'NAME');
    case 'code':
      return port.command(by.verb, run, ...by.more, ...said, ...(isNamed(by) ? ['--by', 'NAME'] : []));
  }
}

const UNPAUSE: Offered = {
  id: 'unpause',
  title: 'Unpause',
  does: 'The run goes on where it stands still. What has come meanwhile is carried out.',
  output: false,
  by: { is: 'pause', pause: false },
};

/** The trying again of the step that threw, or that met a limit. */
function retrying({ summary }: Read): Offered {
  const who = summary.held
    ? 'The process that has the run does so within a second'
    : 'The process that takes it next does so';
  return {
    id: 'retry',
    title: 'Retry',
    does: `Once its code is put right, or its limit raised: the step is tried again where it stood. ${who}. Nothing goes back.`,
    output: false,
    by: { is: 'retry' },
  };
}

const READ_ONLY = 'This page only shows: belay inspect was started with --read-only. Type the command.';
const CODE =
  "It runs the agent's code. Type the command, or start the inspector with --machines FILE to do it from here.";

function settled(status: 'confirmed' | 'failed'): Saying {
  return { verdict: 'settled', status, output: null };
}

/** What a person can say of a call whose outcome is asked for. */
function outcomesOf(tool: string) {
  return [
    [
      'confirmed',
      `Settle ${tool}: it happened`,
      'The call is answered with the output that you give, and is not made again.',
      settled('confirmed'),
      true,
    ],
    [
      'failed',
      `Settle ${tool}: it did not happen`,
      'Only if it did not happen and will not later: the call is made again, under its key.',
      settled('failed'),
      false,
    ],
  ] as const;
}

function answersOf(gate: ApprovalRequest, read: Read): Offered[] {
  const { runState } = read.timeline;
  const about = guardedRequest(runState, gate);
  if (about === null) return [];
  const tool = quoted(about.tool);
  const take = read.summary.held
    ? 'The process that has the run takes it within a second.'
    : 'No process has the run: it takes the answer when it is resumed.';
  const answer = (
    id: string,
    title: string,
    does: string,
    saying: Saying,
    output: Offered['output'] = false,
  ): Offered => {
    return {
      id: `${id}-${gate.gate}`,
      title,
      does: `${does} ${take}`,
      output,
      by: { is: 'answer', gate: gate.gate, saying },
    };
  };
  if (gate.asks === 'branch') return branchesOf(gate, tool, answer);
  if (gate.asks === 'review')
    return [
      answer('accept', 'Let it stand', 'The boundary certifies, and what is held back leaves.', {
        verdict: 'approved',
        with: null,
      }),
      answer('reject', 'Reject it', 'The work goes back as found wrong, or the run is aborted, as the config says.', {
        verdict: 'denied',
      }),
    ];
  if (gate.asks === 'outcome')
    return outcomesOf(tool).map(([id, title, does, saying, output]) => answer(id, title, does, saying, output));
  const same: Offered[] =
    gate.like === undefined
      ? []
      : [
          answer(
            'same',
            `${tool} is the call that has happened before`,
            'It is answered with what that call answered, and is not made.',
            settled('confirmed'),
          ),
        ];
  return [
    answer('approve', `Approve ${tool}`, `It is called once, with exactly these arguments.`, {
      verdict: 'approved',
      with: null,
    }),
    ...(gate.edits === undefined
      ? []
      : [
          answer(
            'approve-with',
            `Approve ${tool} with other arguments`,
            changedText(gate.edits),
            { verdict: 'approved', with: null },
            'with',
          ),
        ]),
    supplying(gate.key, tool, take),
    answer('deny', `Deny ${tool}`, `It is not called; the machine receives GOVERNOR_DENIED.`, { verdict: 'denied' }),
    ...same,
  ];
}

/** The branches that a person may choose, and none of them. */
function branchesOf(
  { candidates = [] }: ApprovalRequest,
  of: string,
  answer: (id: string, title: string, does: string, saying: Saying) => Offered,
): Offered[] {
  const open = candidates.filter(({ is }) => is === 'over');
  return [
    ...open.map(({ branch, actor }) =>
      answer(
        `choose-${actor}`,
        `Choose ${quoted(branch)} of ${of}`,
        'The machine goes on with its output. What the other branches did is undone.',
        { verdict: 'approved', with: branch },
      ),
    ),
    answer('deny', `Choose no branch of ${of}`, 'What the branches did is undone.', { verdict: 'denied' }),
  ];
}

function changedText(edits: readonly string[]): string {
  return `It is called once, with what you change in its place. You may change ${edits.join(', ')}.`;
}

/** The handing over of the answer of a call whose act a person has made by hand (PE5). */
function supplying(key: string, tool: string, take: string): Offered {
  return {
    id: `supply-${key}`,
    title: `Hand over what ${tool} would answer`,
    does: `Once you have made the act by hand: the call is answered with your output, and is never made. You undo it yourself. ${take}`,
    output: true,
    by: { is: 'settle', key, status: 'supplied' },
  };
}

/** The acts about the calls that a decision names. */
function settlingOf(act: Act, asked: ReadonlySet<string>): Offered[] {
  switch (act.act) {
    case 'settle_outcome': {
      const { effect, ask } = act;
      const tool = quoted(effect.tool ?? 'the call');
      const whom = ask === undefined || ask.reconciler === null ? null : ask.reconciler;
      const asking =
        whom === null
          ? []
          : [
              code(
                'ask',
                `Ask ${quoted(whom)}`,
                `Asks the counterparty of ${tool}, and goes on by what it says.`,
                'resume',
              ),
            ];
      if (effect.id === null || asked.has(effect.id)) return asking;
      return [
        ...asking,
        settle(
          effect,
          'confirmed',
          `Settle ${tool}: it happened`,
          'The call is answered with the output that you give, and is not made again.',
          true,
        ),
        settle(
          effect,
          'failed',
          `Settle ${tool}: it did not happen`,
          'Only if it did not happen and will not later: the call is made again, under its key.',
        ),
      ];
    }
    case 'undo_by_hand':
    case 'register_undo': {
      const { id, at, tool = 'the call' } = act.effect;
      return [undone(id ?? `event ${at}`, tool, at)];
    }
    case 'settle_obligation':
      return [
        answered(act.obligation, 'kept', `It was kept in another way than by ${quoted(act.tool)}.`),
        answered(act.obligation, 'released', 'It is owed no more.'),
        answered(act.obligation, 'broken', 'It is not kept, and the end of the run names it.'),
      ];
    case 'allow_joint':
    case 'allow_exit':
    case 'end_instances':
    case 'name_suspect':
    case 'register_codec':
    case 'look_again':
    case 'start_sandbox':
    case 'fix_and_retry':
    case 'raise_limit':
    case 'change_graph':
    case 'correct_in_turn':
    case 'cancel_run':
    case 'give_mandate':
      return [];
  }
}

/** The word that a call was undone by hand. @param of tells it from other acts of the run. */
function undone(call: string, tool: string, of: string | number): Offered {
  const does = 'Only once it has been undone in the world: the run is decided again, without that call in its way.';
  const said = ['--settle', call, '--as', 'compensated'];
  return code(`compensated-${of}`, `${quoted(tool)} was undone by hand`, does, 'resume', ...said);
}

/** A person's answer for an obligation. */
function answered(name: string, status: ObligationAnswer, does: string): Offered {
  return {
    id: `${status}-${name}`,
    title: `${name}: ${status}`,
    does,
    output: false,
    by: { is: 'settle', key: name, status },
  };
}

function settle({ id, at }: Effect, as: string, title: string, does: string, output = false): Offered {
  const offer = code(`${as}-${at}`, title, does, 'resume', '--settle', id ?? `event ${at}`, '--as', as);
  return { ...offer, output };
}

/** Going on where nothing else is asked. */
function resuming({ timeline }: Read): Offered[] {
  const { standing, open } = timeline;
  const last = open.at(-1);
  switch (standing.is) {
    case 'done':
    case 'cancelled':
    case 'compensated':
      return [];
    case 'paused':
      return [code('resume', 'Resume', 'Once it was unpaused: the agent goes on where it stood still.', 'resume')];
    case 'open':
      return [code('resume', 'Resume', 'The agent goes on where its journal ends.', 'resume')];
    case 'waiting':
      return [code('resume', 'Resume', 'The agent goes on with what was answered.', 'resume')];
    case 'stuck':
    case 'recovering':
      return [code('resume', 'Resume', 'The recovery is finished, and an undo that failed is tried again.', 'resume')];
    case 'parked': {
      const tool = last?.entry.call === null ? null : (last?.around.tool ?? null);
      const asks =
        last !== undefined &&
        'unblock' in last.entry.decision &&
        last.entry.decision.unblock.acts.some(({ act }) => act === 'settle_outcome');
      const does =
        tool !== null && !asks
          ? `${quoted(tool)} is called again, under its key.`
          : 'The run is taken up, takes the answers that lie there, and is decided again.';
      return [code('resume', 'Resume', does, 'resume')];
    }
  }
}

const RERUN = code(
  'rerun',
  'Rerun',
  'The run is started over, in the same run and under the same keys: what has happened is not done twice.',
  'resume',
  '--rerun',
);
const RECONCILE = code(
  'reconcile',
  'Reconcile',
  'Asks the counterparties of all calls whose outcome is open; the machine stays where it is.',
  'reconcile',
);

function code(id: string, title: string, does: string, verb: string, ...more: readonly string[]): Offered {
  return { id, title, does, output: false, by: { is: 'code', verb, more } };
}

function verbOf(saying: Saying): string {
  return saying.verdict === 'settled' ? 'settle' : saying.verdict === 'approved' ? 'approve' : 'deny';
}

function wordsOf(saying: Saying): string[] {
  if (saying.verdict === 'approved' && saying.with !== null) return ['--with', saying.with];
  if (saying.verdict !== 'settled') return [];
  return ['--as', saying.status, ...(saying.output === null ? [] : ['--output', saying.output])];
}

function unique(all: readonly Offered[]): Offered[] {
  return [...new Map(all.map((each) => [each.id, each])).values()];
}
