/** The verb `decide`: reads a trace, asks the decision at every `fail` line, and prints the answers as they come. */
import { createReadStream } from 'node:fs';
import { TracedControl } from '../../history/control-trace.ts';
import { History } from '../../history/history.ts';
import { TraceError, traceReader } from '../../history/trace.ts';
import { CodedError } from '../../model/coded-error.ts';
import type { Rules } from '../../model/decision.ts';
import type { Failure } from '../../model/failure.ts';
import { decide, knownOf } from '../../recovery/decide.ts';
import { explain, quoted } from '../../recovery/explain.ts';
import { layOut, type Medium } from '../terminal/terminal.ts';
import { answer } from './answer.ts';
import { dependencyGraph, toDot } from './graph.ts';
import { lines, lineText } from './lines.ts';

/** The output for a trace: an answer for each failure, in words or as JSON, or the graph of each history. */
export type Form = 'words' | 'json' | 'dot' | 'graph-json';

/** Outputs of the verb: answers for readers, at their own pace; notes and progress for the person at the terminal. */
export interface Output {
  answers(text: string): Promise<void>;
  /** Prints one line; makes it harmless to print. */
  notes(line: string): void;
  progress(lines: number): void;
  readonly medium: Medium;
}

/**
 * Answers every failure of a trace.
 * @param file a path, or `-` for standard input.
 * @returns the exit code: 0 for every well-formed trace, 2 where it is malformed or cannot be read.
 */
export async function decideTrace(file: string, rules: Rules, form: Form, output: Output): Promise<0 | 2> {
  const session = new Session(rules, form, output.medium);
  let number = 0;
  try {
    for await (const batch of lines(file === '-' ? process.stdin : createReadStream(file))) {
      for (const bytes of batch) {
        number += 1;
        for (const piece of session.line(lineText(bytes))) await output.answers(piece);
      }
      output.progress(number);
    }
    for (const piece of session.end()) await output.answers(piece);
  } catch (error) {
    output.notes(complaint(error, file, number));
    return 2;
  }
  if (session.asked === 0 && !isGraph(form)) output.notes(`${file}: no "fail" line, so nothing was asked`);
  return 0;
}

function isGraph(form: Form): boolean {
  return form === 'dot' || form === 'graph-json';
}

/**
 * Says in one line what is wrong and where. An error that is neither the trace's nor the file's is a bug and is
 * rethrown.
 */
function complaint(error: unknown, file: string, line: number): string {
  if (error instanceof CodedError) return `${file}:${line}: ${error.code} ${error.message}`;
  if (error instanceof Error && 'syscall' in error) return `${file}: cannot_read ${error.message}`;
  throw error;
}

interface Traced {
  readonly id: string;
  readonly history: History;
  readonly control: TracedControl;
}

/** The state of a trace that is being read: the history so far, and the output of each line. */
class Session {
  /** The number of failures that were answered. */
  asked = 0;
  readonly #read = traceReader();
  readonly #rules: Rules;
  readonly #form: Form;
  readonly #medium: Medium;
  #current: Traced | null = null;

  constructor(rules: Rules, form: Form, medium: Medium) {
    this.#rules = rules;
    this.#form = form;
    this.#medium = medium;
  }

  /** Reads a line; returns the output, piece by piece, often nothing. Blank lines mean nothing. */
  line(text: string): Iterable<string> {
    if (text.trim() === '') return [];
    const line = this.#read(text);
    if (line.do === 'trace') {
      const ended = this.end();
      const history = new History();
      this.#current = { id: line.id, history, control: new TracedControl(history) };
      return ended;
    }
    if (this.#current === null) {
      throw new TraceError('no_trace', 'a history begins with a line {"do":"trace","id":"..."}');
    }
    const { history, control } = this.#current;
    if (line.do === 'fail') return this.#ask(this.#current, line.failure);
    if (line.do === 'knows') control.take(line.of);
    else {
      if (line.event.do === 'enter') control.enter(line.event.in, line.region);
      history.apply(line.event);
    }
    return [];
  }

  /** The lines to print when a history is over. */
  end(): Iterable<string> {
    if (this.#current === null || !isGraph(this.#form)) return [];
    const graph = dependencyGraph(this.#current.id, this.#current.history);
    return [this.#form === 'dot' ? toDot(graph) : `${JSON.stringify(graph.export())}\n`];
  }

  #ask({ id, history, control }: Traced, failure: Failure): Iterable<string> {
    if (failure.in !== null) history.expect(failure.in);
    this.asked += 1;
    if (isGraph(this.#form)) return [];
    const decision = decide(history, failure, this.#rules, knownOf(control, history, failure));
    if (this.#form === 'json') return answer(id, history, decision);
    return [layOut(`${quoted(id)}, event ${decision.at}`, explain(decision), this.#medium)];
  }
}
