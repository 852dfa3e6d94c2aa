/**
 * The trace format: a history written down by any runtime, one JSON value a line (docs/trace-format.md). This file
 * reads one line at a time and knows nothing of files; `History` checks the lines against each other.
 */
import { Ajv, type ErrorObject } from 'ajv';
import { CodedError } from '../model/coded-error.ts';
import type { HistoryEvent } from '../model/event.ts';
import type { Failure } from '../model/failure.ts';
import type { InstanceId } from '../model/instance.ts';
import { type Key, KeyError, parseKey } from '../model/key.ts';
import type { ControlLine } from './control-trace.ts';
import { compileLines, type InstanceColumns, type Written } from './trace-lines.ts';

/** A line of a trace: the start of a history, a question about the history, or one of its events. */
export type TraceLine =
  | { readonly do: 'trace'; readonly id: string }
  | { readonly do: 'fail'; readonly failure: Failure }
  /** `region` says where an instance is entered, in a trace that knows of control. */
  | { readonly do: 'event'; readonly event: HistoryEvent; readonly region?: string }
  | { readonly do: 'knows'; readonly of: ControlLine };

/** The codes of malformed lines, found before the history is asked. */
export type TraceErrorCode =
  | 'no_trace'
  | 'not_json'
  | 'not_an_object'
  | 'unknown_do'
  | 'unknown_kind'
  | 'unknown_class'
  | 'unknown_status'
  | 'unknown_field'
  | 'missing_field'
  | 'bad_value'
  | 'bad_instance'
  | 'bad_key';

/** Thrown for a line that is not of the format. The message says what would be. */
export class TraceError extends CodedError<TraceErrorCode> {
  override readonly name = 'TraceError';
}

/**
 * Makes a reader of trace lines. Making one compiles the shapes of the lines, so make one for many lines.
 * @returns a function from the text of a line to its meaning; it throws a `TraceError` when the line is not of the
 * format.
 * @example
 * import { traceReader } from 'belay-sidecar';
 *
 * const read = traceReader();
 * const line = read('{"do":"enter","in":["Order","7",0]}');
 * assert.equal(line.do, 'event');
 * assert.throws(() => read('{"do":"leap"}'), { code: 'unknown_do' });
 */
export function traceReader(): (source: string) => TraceLine {
  const shapes = compileLines(new Ajv());
  return (source) => {
    const value = parseJson(source);
    const kind = (value as { do?: unknown }).do;
    if (kind === undefined) throw new TraceError('missing_field', 'a line says what it does in "do"');
    if (typeof kind !== 'string' || !Object.hasOwn(shapes, kind)) {
      throw new TraceError('unknown_do', `${show(kind)} is none of ${list(Object.keys(shapes))}`);
    }
    const validate = shapes[kind as Written['do']];
    if (!validate(value)) throw refusal((validate.errors as [ErrorObject])[0]);
    return toLine(value as Written);
  };
}

function parseJson(source: string): object {
  let value: unknown;
  try {
    value = JSON.parse(source);
  } catch (error) {
    throw new TraceError('not_json', (error as Error).message);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new TraceError('not_an_object', 'a line is a JSON object');
  }
  return value;
}

function toLine(written: Written): TraceLine {
  switch (written.do) {
    case 'trace':
      return { do: 'trace', id: written.id };
    case 'fail':
      return {
        do: 'fail',
        failure: { in: toInstance(written.in), key: written.key === undefined ? null : toKey(written.key) },
      };
    case 'enter':
      return { do: 'event', event: toEvent(written), ...(written.region !== undefined && { region: written.region }) };
    case 'read':
    case 'write':
    case 'boundary':
    case 'effect':
      return { do: 'event', event: toEvent(written) };
    default:
      return { do: 'knows', of: toControl(written) };
  }
}

type Known = Extract<Written, { do: ControlLine['do'] }>;

function toControl(written: Known): ControlLine {
  switch (written.do) {
    case 'actor':
      return written;
    case 'control': {
      const { step, in: id, region = null, wrote = null, with: tied = [], spawns = false } = written;
      return { do: 'control', step, in: id === undefined ? null : toInstance(id), region, wrote, with: tied, spawns };
    }
    case 'closed':
      return { do: 'closed', in: toInstance(written.in), certified: written.certified };
    case 'aside':
      return {
        do: 'aside',
        in: toInstance(written.in),
        effects: (written.effects ?? []).map(({ undo = false, ...effect }) => ({ ...effect, undo })),
      };
    case 'unavailable':
      return { do: 'unavailable', in: toInstance(written.in), checkpoint: written.checkpoint, why: whyOf(written) };
    case 'suspect':
      return { do: 'suspect', in: toInstance(written.in) };
  }
}

function whyOf({
  code,
  call = '',
  changed = 'config',
  of = 'boundary',
  spent = 0,
  instance,
  in: own,
  step = 0,
}: Extract<Known, { do: 'unavailable' }>): Extract<ControlLine, { do: 'unavailable' }>['why'] {
  switch (code) {
    case 'checkpoint_stale':
      return { code, changed };
    case 'effect_gone':
      return { code, call };
    case 'never_still':
      return { code, spent };
    case 'recovery_budget_spent':
      return { code, of, spent };
    case 'replay_escapes_instance':
      return { code, instance: toInstance(instance ?? own), step };
  }
}

function toEvent(written: Exclude<Written, Known | { do: 'trace' | 'fail' }>): HistoryEvent {
  const instance = toInstance(written.in);
  switch (written.do) {
    case 'enter':
      return { do: 'enter', in: instance, by: written.by === undefined ? null : toInstance(written.by) };
    case 'read':
      return { do: 'read', in: instance, key: toKey(written.key) };
    case 'write': {
      // An append that also calls itself blind counts as an append: the weaker claim.
      const mode = written.append === true ? 'append' : written.blind === true ? 'blind' : 'update';
      return { do: 'write', in: instance, key: toKey(written.key), mode };
    }
    case 'boundary':
      return { do: 'boundary', in: instance, kind: written.kind };
    case 'effect': {
      const { class: kind, status, id = null, undo = null, tool } = written;
      return { do: 'effect', in: instance, id, ...(tool !== undefined && { tool }), class: kind, status, undo };
    }
  }
}

function toInstance([skeleton, entity, ordinal]: InstanceColumns): InstanceId {
  for (const part of [skeleton, entity]) {
    if (!part.isWellFormed())
      throw new TraceError('bad_instance', 'a name is well-formed Unicode: this one has a lone surrogate');
    if (part.includes('\0')) throw new TraceError('bad_instance', 'a name has no NUL character');
  }
  return { skeleton, entity, ordinal };
}

function toKey(text: string): Key {
  try {
    return parseKey(text);
  } catch (error) {
    if (error instanceof KeyError) throw new TraceError('bad_key', `${show(text)}: ${error.message}`);
    throw error;
  }
}

/** Turns the validator's first error into a code of this format and a sentence that says what would be right. */
function refusal(error: ErrorObject): TraceError {
  const [, field, place] = error.instancePath.split('/');
  switch (error.keyword) {
    case 'required':
      return new TraceError('missing_field', `"${error.params.missingProperty}" is missing`);
    case 'additionalProperties':
      return new TraceError('unknown_field', `${show(error.params.additionalProperty)} is no field of this line`);
    case 'enum': {
      const code = `unknown_${field}` as 'unknown_kind' | 'unknown_class' | 'unknown_status';
      return new TraceError(code, `"${field}" is one of ${list(error.params.allowedValues)}`);
    }
    default: {
      if (field !== 'in' && field !== 'by') return new TraceError('bad_value', `"${field}" ${error.message}`);
      const where = place === undefined ? '' : `, and part ${place} ${error.message}`;
      return new TraceError('bad_instance', `"${field}" is ["Skeleton", "entity", ordinal]${where}`);
    }
  }
}

function list(values: readonly string[]): string {
  return values.map((value) => `"${value}"`).join(', ');
}

/**
 * A value of the line as a message shows it. A value that is no text may be of any depth, so only its type is shown.
 */
function show(value: unknown): string {
  if (typeof value !== 'string') return `a value of type ${typeof value}`;
  const text = JSON.stringify(value);
  return text.length <= 60 ? text : `${text.slice(0, 57)}...`;
}
