/** What `belay decide` answers, in a browser: each failure of a trace, in words, as JSON, and by its line. */
import { answer } from '../../src/cli/decide/answer.ts';
import { layOut } from '../../src/cli/terminal/terminal.ts';
import { TracedControl } from '../../src/history/control-trace.ts';
import { History } from '../../src/history/history.ts';
import { TraceError, traceReader } from '../../src/history/trace.ts';
import { CodedError } from '../../src/model/coded-error.ts';
import type { Decision, Rules } from '../../src/model/decision.ts';
import type { Failure } from '../../src/model/failure.ts';
import { type InstanceId, instanceName } from '../../src/model/instance.ts';
import { decide, knownOf } from '../../src/recovery/decide.ts';
import { explain, quoted } from '../../src/recovery/explain.ts';

/** How far the past of one instance is kept, in words. */
interface Kept {
  readonly instance: string;
  readonly keep: string;
  /** True if the line rolls the instance back. */
  readonly moves: boolean;
}

/** The answer to one `fail` line. */
export interface Answer {
  /** The line of the failure in the text, from 1. */
  readonly line: number;
  /** Where the events of the history stand in the text: the line of event n at n - 1. */
  readonly events: readonly number[];
  readonly entered: readonly InstanceId[];
  readonly failure: Failure;
  readonly decision: Decision;
  /** The line that prints the decision, as `belay decide --json` does. */
  readonly json: string;
  /** The words of `belay decide`, wrapped to so many columns. */
  words(columns: number): string;
}

/** A trace that was read: its answers, and the first line that is not of the format. */
export interface Reading {
  readonly answers: readonly Answer[];
  readonly malformed: { readonly line: number; readonly code: string; readonly message: string } | null;
}

interface Traced {
  readonly id: string;
  readonly history: History;
  readonly control: TracedControl;
  readonly events: number[];
}

const readLine = traceReader();

/** Answers every failure of a trace. Answers that come before a malformed line stand. */
export function ask(text: string, rules: Rules): Reading {
  const answers: Answer[] = [];
  let traced: Traced | null = null;
  let number = 0;
  try {
    for (const source of text.replace(/^\uFEFF/, '').split('\n')) {
      number += 1;
      if (source.trim() === '') continue;
      const line = readLine(source);
      if (line.do === 'trace') {
        traced = begun(line.id);
        continue;
      }
      if (traced === null) throw new TraceError('no_trace', 'a history begins with a line {"do":"trace","id":"..."}');
      if (line.do === 'fail') answers.push(answered(traced, line.failure, rules, number));
      else if (line.do === 'knows') traced.control.take(line.of);
      else {
        if (line.event.do === 'enter') traced.control.enter(line.event.in, line.region);
        traced.history.apply(line.event);
        traced.events.push(number);
      }
    }
  } catch (error) {
    if (!(error instanceof CodedError)) throw error;
    return { answers, malformed: { line: number, code: error.code, message: error.message } };
  }
  return { answers, malformed: null };
}

function begun(id: string): Traced {
  const history = new History();
  return { id, history, control: new TracedControl(history), events: [] };
}

function answered({ id, history, control, events }: Traced, failure: Failure, rules: Rules, line: number): Answer {
  if (failure.in !== null) history.expect(failure.in);
  const decision = decide(history, failure, rules, knownOf(control, history, failure));
  const outline = explain(decision);
  const place = `${quoted(id)}, event ${decision.at}`;
  return {
    line,
    events: [...events],
    entered: [...history.registry.all()].map((record) => record.id),
    failure,
    decision,
    json: [...answer(id, history, decision)].join(''),
    words: (columns) => layOut(place, outline, { columns, colours: false, breaks: true }),
  };
}

/** The line of a decision, an instance a row; empty where there is none. */
export function lineOf({ entered, decision }: Answer): Kept[] {
  if (decision.line === null) return [];
  const moves = new Map(decision.line.moves.map((move) => [instanceName(move.instance), move.keep]));
  return entered.map((id) => {
    const instance = instanceName(id);
    const keep = moves.get(instance);
    if (keep === undefined) return { instance, keep: 'all of its past', moves: false };
    if (keep === 'none') return { instance, keep: 'nothing: it never started', moves: true };
    return { instance, keep: `up to its ${keep.kind} at event ${keep.at}`, moves: true };
  });
}
