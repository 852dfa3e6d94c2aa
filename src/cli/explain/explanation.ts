/**
 * The verb `explain`: every decision of a run with its reasons, and the commands that set a waiting run going again.
 */

import { instanceName } from '../../model/instance.ts';
import { explain } from '../../recovery/explain.ts';
import { choiceSentences, choicesOf } from '../../reports/choices.ts';
import { type LeftAtEnd, leftAtEnd } from '../../reports/left-at-end.ts';
import { mandateText } from '../../reports/mandate-text.ts';
import { doneWith, isOver } from '../../reports/run-status.ts';
import type { Decided } from '../../reports/timeline.ts';
import { waitsOf } from '../../reports/waits.ts';
import { quotedText } from '../approvals/approvals.ts';
import { answerFields } from '../decide/answer.ts';
import { type Counting, type ReadRun, reading, readRun, type Told } from '../reading/reading.ts';
import { layOut, type Medium } from '../terminal/terminal.ts';
import { command, count, leftSentences, statusText } from '../terminal/wording.ts';
import { calledFacts } from './called.ts';
import { movesOn, movesText } from './moves.ts';

/** Options of explaining a run. */
export interface ExplainOptions {
  readonly file: string;
  readonly run: string;
  /** True to tell every decision, and not only those that the run stands still over. */
  readonly all: boolean;
  readonly json: boolean;
  readonly medium: Medium;
  readonly counting: Counting;
}

/** Explains a run. */
export async function explainRun({ file, run, all, json, medium, counting }: ExplainOptions): Promise<Told> {
  return reading(file, async (store) => {
    const read = await readRun(store, run, counting);
    const left = leftAtEnd(read.runState, await store.posts(run));
    if (!json) return [text(read, left, { file, all, medium })];
    const decided = read.decisions.map((each) => decisionFields(read, each, file));
    const repeats = repetitions(read);
    const choices = choicesOf(read.runState);
    const more = { ...left, ...(repeats.length > 0 && { repeats }), ...(choices.length > 0 && { choices }) };
    const lines = Object.keys(more).length > 0 ? [...decided, { run: read.run, ...more }] : decided;
    return lines.map((each) => `${JSON.stringify(each)}\n`);
  });
}

function text(
  read: ReadRun,
  left: LeftAtEnd,
  { file, all, medium }: Pick<ExplainOptions, 'file' | 'all' | 'medium'>,
): string {
  const { run, held, decisions } = read;
  const standing = read.standing.is === 'done' ? doneWith(left) : read.standing;
  const made =
    decisions.length === 0 ? 'nothing has failed, so nothing was decided' : count(decisions.length, 'decision');
  const hasEnded = isOver(standing);
  const nothing = hasEnded && Object.keys(standing).length === 1 ? ', nothing is open' : '';
  const waits = waitsOf(standing.is, read.waits, { held, last: read.times?.last ?? null });
  const why = whyItStands(read);
  const under = [...why, ...waits.map((wait) => `waits for: ${wait.text}`)].map((each) => ({ text: each }));
  const head = layOut(null, { label: run, text: `${statusText(standing, held)}${nothing}, ${made}`, under }, medium);
  const wanted = all ? decisions : standingOver(read);
  const older = decisions.length - wanted.length;
  const rest =
    older === 0
      ? []
      : [
          layOut(
            null,
            { text: `${count(older, 'older decision')}: ${command('explain', run, file, '--all')}` },
            medium,
          ),
        ];
  const told = wanted.map((decided) => {
    const { decision } = decided.entry;
    const { number, seq, around } = decided;
    return layOut(`decision ${number}, row ${seq}`, explain(decision, around, read.eventRows.texts(seq)), medium);
  });
  return (
    [
      head,
      ...rest,
      ...told,
      ...choiceText(read, medium),
      ...repeatedText(read, medium),
      ...leftAtEndText(left, medium),
    ].join('\n') + movesText(movesOn(read, file), read, medium)
  );
}

/** The words for why a run stands still, besides its decisions. */
function whyItStands({ standing, runState }: ReadRun): string[] {
  const { redaction, ledger, mandates } = runState;
  switch (standing.is) {
    case 'paused':
      return standing.why === null ? [] : [`because ${quotedText(redaction.text(standing.why))}`];
    case 'parked': {
      const mandate = mandateText(mandates);
      return mandate === null ? [] : [`mandate: ${redaction.text(mandate)}`];
    }
    case 'stuck': {
      const tool = ledger.get(standing.effect)?.intent.tool ?? standing.effect;
      return [`the undo of ${tool} failed: ${quotedText(redaction.text(standing.error))}`];
    }
    default:
      return [];
  }
}

/** The decisions that a run stands still over; the newest where it does not. */
function standingOver({ standing, open, decisions }: ReadRun): readonly Decided[] {
  switch (standing.is) {
    case 'parked':
      return open;
    case 'stuck':
    case 'recovering':
      return decisions.slice(-1);
    default:
      return decisions.slice(-1);
  }
}

/** The calls that were no acts of their own: each was answered or refused for an act of its run (ON2, ON3). */
function repetitions({ runState }: ReadRun) {
  return [...runState.ledger.all()].flatMap(({ key, intent, status, repeats }) => {
    if (repeats === null) return [];
    return [{ key, tool: intent.tool, instance: instanceName(intent.instance), repeats, refused: status === 'failed' }];
  });
}

/** The choices among alternatives: why each branch lost, and what of it is undone, owed or standing. */
function choiceText({ runState }: ReadRun, medium: Medium): string[] {
  return choicesOf(runState).map((choice) => {
    const under = choiceSentences(choice).map((text) => ({ text }));
    const chosen = choice.winner === null ? 'no branch was chosen' : `${choice.winner} was chosen`;
    const by = choice.person === undefined ? choice.by : `${choice.by}, ${quotedText(choice.person.by)}`;
    return layOut(null, { text: `Choice of ${choice.alternatives} (${by}): ${chosen}`, under }, medium);
  });
}

function repeatedText(read: ReadRun, medium: Medium): string[] {
  const calls = repetitions(read);
  if (calls.length === 0) return [];
  const under = calls.map(({ tool, instance, refused, repeats }) => {
    return { text: `${tool} of ${instance} ${refused ? 'was refused, since it repeats' : 'repeats'} ${repeats}` };
  });
  return [layOut(null, { text: `${count(calls.length, 'call')} that made no act of their own`, under }, medium)];
}

/** The held calls that were never made, and the complaints without an answer. */
function leftAtEndText(left: LeftAtEnd, medium: Medium): string[] {
  const under = leftSentences(left).map((text) => ({ text }));
  return under.length === 0 ? [] : [layOut(null, { text: 'Left at the end', under }, medium)];
}

/** A decision as one object, complete. */
function decisionFields(read: ReadRun, { number, seq, time, entry, around, entered }: Decided, file: string): object {
  const { signal, error, state, tool, aftermath } = around;
  const waits = read.open.some((each) => each.number === number);
  const commands = read.open.at(-1)?.number === number ? movesOn(read, file) : [];
  return {
    run: read.run,
    number,
    row: seq,
    time: new Date(time).toISOString(),
    signal,
    error,
    state,
    tool,
    failed: entry.decision.failed === null ? null : instanceName(entry.decision.failed),
    policy: entry.decision.policy,
    ...answerFields(entered, entry.decision),
    checkpoint: entry.checkpoint,
    replayed: aftermath?.replayed.map(({ instance, tools }) => ({ instance: instanceName(instance), tools })) ?? null,
    preserved: aftermath?.preserved.map(instanceName) ?? null,
    parked: waits,
    commands,
    calls: [...new Set(commands.flatMap(({ call }) => call ?? []))].map((key) => calledFacts(key, read)),
  };
}
