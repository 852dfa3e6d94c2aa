/** A call for a person who finds out its outcome or undoes it: its key, arguments, time and answer. */
import type { EffectClass, EffectStatus } from '../../model/effect.ts';
import { instanceName, ROOT } from '../../model/instance.ts';
import { type Outline, quoted } from '../../recovery/explain.ts';
import { shownArgs } from '../../reports/ledger-effects.ts';
import type { ReadRun } from '../reading/reading.ts';
import { jsonText, shortened, timeText } from '../terminal/wording.ts';

/** A call, redacted as the config says. */
export interface CalledFacts {
  readonly key: string;
  readonly tool: string;
  /** Null for work outside every skeleton. */
  readonly instance: string | null;
  readonly class: EffectClass;
  readonly status: EffectStatus;
  /** The row of its newest intent, and its time in ISO 8601; null where the rows that were read do not have it. */
  readonly row: number | null;
  readonly called: string | null;
  /** False where it waits to leave: for an approval, or for a commit. */
  readonly left: boolean;
  readonly args: unknown;
  readonly error: string | null;
  /** The error of the undo of the call; null where no undo has failed. */
  readonly undoError: string | null;
}

type Read = Pick<ReadRun, 'runState' | 'eventRows' | 'standing'>;

/** The length of arguments and errors in a text, in characters. */
const LONGEST = 400;

/** The facts of a call by its key; null where there is none. */
export function calledFacts(key: string, { runState, eventRows, standing }: Read): CalledFacts | null {
  const call = runState.ledger.get(key);
  if (call === undefined) return null;
  const { intent, status, error } = call;
  const made = eventRows.called(key);
  const undoError =
    standing.is === 'stuck' ? (runState.pending?.stuck.get(key) ?? runState.aborted.owed.get(key) ?? null) : null;
  const request = runState.asked.of(key);
  const waits = request?.asks === 'approval' && request.status === 'pending';
  return {
    key,
    tool: intent.tool,
    instance: intent.instance.skeleton === ROOT ? null : instanceName(intent.instance),
    class: intent.class,
    status,
    row: made?.seq ?? null,
    called: made === null ? null : new Date(made.time).toISOString(),
    left: !waits && status !== 'buffered',
    args: shownArgs(intent, runState),
    error: error === null ? null : runState.redaction.text(error),
    undoError: undoError === null ? null : runState.redaction.text(undoError),
  };
}

/** The same in words. */
export function calledOutline(key: string, read: Read): Outline | null {
  const facts = calledFacts(key, read);
  if (facts === null) return null;
  const { tool, instance, class: kind, status, row, called, left, args, error, undoError } = facts;
  const of = instance === null ? '' : ` of ${quoted(instance)}`;
  const at = row === null ? '' : `, row ${row}`;
  return {
    text: `${quoted(tool)}${of} (${kind}, ${left ? status : 'not called yet'}${at})`,
    under: [
      ...(called === null ? [] : [{ text: `${left ? 'called' : 'asked '}  ${timeText(Date.parse(called))}` }]),
      { text: `with    ${shortened(jsonText(args), LONGEST)}` },
      ...(error === null ? [] : [{ text: `error   ${shortened(JSON.stringify(error), LONGEST)}` }]),
      ...(undoError === null ? [] : [{ text: `undo    ${shortened(JSON.stringify(undoError), LONGEST)}` }]),
      { text: `key     ${key}` },
    ],
  };
}
