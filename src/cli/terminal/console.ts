/**
 * The two streams of the command: answers go to standard output and nowhere else; notes, errors and progress go to
 * standard error. Also its exit, which does not wait for what an imported module has left open.
 */
import { once } from 'node:events';
import ora from 'ora';
import stringWidth from 'string-width';
import { PROCESS } from '../../clock/clock.ts';
import type { Output } from '../decide/decide.ts';
import type { Told } from '../reading/reading.ts';
import { inert, printable } from './printable.ts';
import type { Medium } from './terminal.ts';

/** The widest readable line of prose, in columns. */
const READABLE = 100;
/** The width for a reader of a pipe or a file, in columns. */
const NARROW = 80;
const PROGRESS_EVERY = 200_000;

/** Prints the output of a verb, and its problem. */
export async function tell({ pieces, problem }: Told, done: () => void = () => {}): Promise<void> {
  done();
  const output = terminal();
  for (const piece of pieces) await output.answers(piece);
  if (problem === null) return;
  output.notes(problem);
  process.exitCode = 2;
}

/** Prints everything and exits, without waiting for what an imported module has left open. */
export async function finish(text: string, complaint: string | null, code: number): Promise<never> {
  if (complaint !== null) process.stderr.write(`${printable(complaint)}\n`);
  await new Promise((resolve) => process.stdout.write(inert(text), resolve));
  process.exit(code);
}

/** The streams of this process; `what` names the things that are counted while they are read. */
export function terminal(what: 'lines' | 'rows' = 'lines'): Output & { done(): void } {
  const { stdout, stderr } = process;
  let announced = 0;
  const line = progressLine();
  return {
    medium: { columns: Math.min(stdout.columns ?? READABLE, READABLE), colours: wantsColours() },
    done: line.done,
    notes: (text) => {
      line.done();
      stderr.write(`${printable(text)}\n`);
    },
    progress: (lines) => {
      if (lines < announced + PROGRESS_EVERY) return;
      announced = lines;
      line.show(`${lines.toLocaleString('en')} ${what} read`);
    },
    answers: async (text) => {
      line.done();
      if (!stdout.write(inert(text))) await once(stdout, 'drain');
    },
  };
}

/** The width for tables and accounts: that of the terminal, or 80 columns where there is none. */
export function page(): Medium {
  return {
    columns: Math.min(Math.max(process.stdout.columns ?? NARROW, 40), READABLE),
    colours: wantsColours(),
    breaks: true,
  };
}

/** NO_COLOR says no, FORCE_COLOR yes; else a terminal that can has colours, and a pipe or a file has none. */
export function wantsColours(): boolean {
  const { NO_COLOR = '', FORCE_COLOR = '', TERM } = process.env;
  if (NO_COLOR !== '') return false;
  if (FORCE_COLOR !== '') return FORCE_COLOR !== '0';
  return process.stdout.isTTY === true && TERM !== 'dumb';
}

/** Prints one line to the person at the terminal. */
export function note(line: string): void {
  process.stderr.write(`${printable(line)}\n`);
}

/** One line of progress on standard error, where that is a terminal. */
export interface ProgressLine {
  /** Draws the line anew with another text. No timer draws it, so that a rehearsal, whose timers stand still, shows it too. */
  show(text: string): void;
  /** Removes the line. */
  done(): void;
}

/** Begins a line of progress. */
export function progressLine(): ProgressLine {
  const { stderr } = process;
  const spinner = ora({ stream: stderr, discardStdin: false, hideCursor: false });
  return {
    show: (text) => {
      spinner.text = truncated(printable(text), (stderr.columns ?? NARROW) - 3);
      spinner.render();
    },
    done: () => void spinner.stop(),
  };
}

/** The interval between drawings of a live line, in milliseconds. */
const REDRAW = 100;

/** Draws a line of progress again and again, and keeps no process alive for it. */
export function liveLine(tell: () => string): Pick<ProgressLine, 'done'> {
  const line = progressLine();
  const timer = PROCESS.every(REDRAW, () => line.show(tell()));
  return {
    done: () => {
      timer.cancel();
      line.done();
    },
  };
}

function truncated(text: string, width: number): string {
  return stringWidth(text) <= width ? text : `${[...text].slice(0, Math.max(0, width - 3)).join('')}...`;
}
