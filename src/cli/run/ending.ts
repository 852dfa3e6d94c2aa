/**
 * The end of a process of a run, for the person who started it and for a program: the state, the decisions, the world,
 * the next command.
 */
import pc from 'picocolors';
import { failureOutline, type Outline, quoted } from '../../recovery/explain.ts';
import { leftText } from '../../reports/ended-text.ts';
import { onlyLeft } from '../../reports/left-at-end.ts';
import { doneWith } from '../../reports/run-status.ts';
import type { Fault } from '../../xstate/faults.ts';
import { movesOn, movesText } from '../explain/moves.ts';
import type { ReadRun } from '../reading/reading.ts';
import { printable } from '../terminal/printable.ts';
import { table } from '../terminal/table.ts';
import { layOut, type Medium } from '../terminal/terminal.ts';
import { command, leftSentences, plain, statusFields } from '../terminal/wording.ts';
import type { Ended, Stop } from './session.ts';
import { decisions, placeText } from './show.ts';
import { faultText } from './step.ts';

/** The facts that the text needs. */
export interface Ending {
  readonly ended: Ended;
  readonly journal: string;
  /** The module of the machines, where it had to be named. */
  readonly machines: string | null;
  readonly fault: Fault | null;
  /** The number of decisions that the run had before this process. */
  readonly before: number;
}

/** The exit code: 0 where the run is done and has left nothing; 1 where a held call was never made, a complaint has no answer, the program was not told of a commit, an obligation is broken, or the run stands still; and what a shell expects of a process that was stopped. */
export function exitCodeOf(stop: Stop): number {
  switch (stop.status) {
    case 'done':
      return isWhole(stop) ? 0 : 1;
    case 'parked':
    case 'stuck':
    case 'cancelled':
    case 'compensated':
    case 'paused':
    case 'waiting':
    case 'broken':
      return 1;
    case 'stopped':
      return stop.by === 'SIGINT' ? 130 : 143;
  }
}

function isWhole({ unpublished, unanswered, unannounced, broken }: Extract<Stop, { status: 'done' }>): boolean {
  return [unpublished, unanswered, unannounced, broken].every((left) => left === undefined);
}

/** Formats it in words. */
export function endingText({ ended, journal, machines, fault, before }: Ending, medium: Medium): string {
  const { bold } = pc.createColors(medium.colours);
  const { read, stop, state, world, fired } = ended;
  const made = decisions(read).slice(before);
  const parts = [
    layOut(null, { label: read.run, text: stopText(stop, state, read), under: leftUnder(stop, read) }, medium),
    ...(fault === null || fired ? [] : [`The failure never came: ${printable(faultText(fault))}.\n`]),
    made.length === 0 ? '' : `\n${bold('Decisions')}\n${decisionTable(made, medium)}`,
    world === null ? '' : `\n${bold('World')}\n${worldTable(world, medium)}`,
  ];
  const isAsked = read.standing.is === 'waiting';
  const isChosen = read.waits.some(({ code }) => code === 'choice');
  const moves = stop.status === 'waiting' && !isAsked && !isChosen ? [] : movesOn(read, journal, machines);
  const next = [command('show', read.run, journal), command('explain', read.run, journal)];
  return [...parts, movesText(moves, read, medium), '\n', ...next.map((line) => `${printable(line)}\n`)].join('');
}

/** The sentences under the end: what is left, or the failures that the run is parked on. */
function leftUnder(stop: Stop, { open }: ReadRun): Outline[] {
  if (stop.status === 'parked') return open.map(({ around }) => failureOutline(around));
  return stop.status === 'done' ? leftSentences(stop).map((text) => ({ text })) : [];
}

function stopText(stop: Stop, state: string, { standing, waits, runState: { redaction } }: ReadRun): string {
  const where = `in the state ${quoted(state)}`;
  switch (stop.status) {
    case 'done': {
      const left = leftText(doneWith(stop));
      return left === null ? `done, ${where}` : `done, ${where}; ${left}`;
    }
    case 'parked':
      return `parked (${stop.decision.verdict}), ${where}, until a person acts`;
    case 'cancelled':
      return `cancelled by ${JSON.stringify(redaction.text(stop.by))}, ${where}`;
    case 'compensated':
      return `aborted by ${JSON.stringify(redaction.text(stop.by))}, ${where}: what could be undone is`;
    case 'paused':
      return `paused by ${JSON.stringify(redaction.text(stop.by))}, ${where}, until a person says unpause`;
    case 'stuck': {
      const tool = quoted(stop.effect.tool ?? 'an effect');
      return `stuck, ${where}, as what undoes ${tool} failed: ${JSON.stringify(redaction.text(stop.error))}`;
    }
    case 'waiting':
      if (standing.is === 'waiting') return `at rest, ${where}, until a person answers ${asksText(standing.approvals)}`;
      if (waits.some(({ code }) => code === 'choice')) return `at rest, ${where}, until one of its attempts is kept`;
      return `at rest, ${where}, for an event that only a program of its own sends`;
    case 'broken':
      return `broken off, ${where}, as something in the agent's module threw: ${JSON.stringify(redaction.text(stop.error))}`;
    case 'stopped':
      return `stopped, ${where}`;
  }
}

function asksText(approvals: number): string {
  return approvals === 1 ? 'whether a call may leave' : `whether ${approvals} calls may leave`;
}

function decisionTable(made: ReturnType<typeof decisions>, medium: Medium): string {
  const columns = [{ name: 'SIGNAL' }, { name: 'VERDICT' }, { name: 'INSTANCE' }, { name: 'BACK TO' }];
  const rows = made.map(({ signal, verdict, instance, checkpoint }) => [
    signal,
    verdict,
    instance ?? '(none)',
    checkpoint === null ? '' : placeText(checkpoint),
  ]);
  return table(columns, rows, medium);
}

function worldTable(world: NonNullable<Ended['world']>, medium: Medium): string {
  const rows = Object.entries(world).map(([name, all]) => [name, all.length.toLocaleString('en')]);
  return rows.length === 0 ? '  nothing\n' : table([{ name: 'TABLE' }, { name: 'ROWS', right: true }], rows, medium);
}

/** Formats it for a program, as one line of JSON. */
export function endingJson({ ended, fault, before }: Ending): string {
  const { read, stop, state, world, fired } = ended;
  const { redaction } = read.runState;
  return `${JSON.stringify(
    {
      run: read.run,
      agent: read.agent,
      status: stop.status,
      state,
      ...(stop.status === 'done' && stop.output !== undefined && { output: redaction.value(stop.output) }),
      ...((stop.status === 'stuck' || stop.status === 'broken') && { error: redaction.text(stop.error) }),
      ...((stop.status === 'stopped' ||
        stop.status === 'cancelled' ||
        stop.status === 'compensated' ||
        stop.status === 'paused') && {
        by: redaction.text(stop.by),
      }),
      ...statusFields(read.standing, read.held),
      ...(stop.status === 'done' && onlyLeft(stop)),
      decisions: decisions(read).slice(before),
      ...(fault !== null && { fault: { ...fault, fired } }),
      world: redaction.value(world),
    },
    plain,
  )}\n`;
}
