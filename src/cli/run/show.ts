/**
 * The verb `show`: the instances, effects, decisions and findings of a run, as tables. Every name comes from a journal,
 * and is made harmless to print.
 */

import pc from 'picocolors';
import { instanceName, ROOT } from '../../model/instance.ts';
import { choicesOf } from '../../reports/choices.ts';
import { type LeftAtEnd, leftAtEnd } from '../../reports/left-at-end.ts';
import { mandateText, shownMandate } from '../../reports/mandate-text.ts';
import { doneWith } from '../../reports/run-status.ts';
import { sandboxReports } from '../../reports/sandboxes.ts';
import { waitsOf } from '../../reports/waits.ts';
import { quotedText } from '../approvals/approvals.ts';
import { type Counting, type ReadRun, reading, readRun, type Told } from '../reading/reading.ts';
import { printable } from '../terminal/printable.ts';
import { table } from '../terminal/table.ts';
import { layOut, type Medium } from '../terminal/terminal.ts';
import {
  command,
  handleLines,
  leftSentences,
  statusFields,
  statusText,
  timeText,
  waitFields,
} from '../terminal/wording.ts';

/** Options of showing a run. */
export interface ShowOptions {
  readonly file: string;
  readonly run: string;
  readonly json: boolean;
  readonly medium: Medium;
  readonly counting: Counting;
}

/** Shows a run. */
export async function showRun({ file, run, json, medium, counting }: ShowOptions): Promise<Told> {
  return reading(file, async (store) => {
    const found = await readRun(store, run, counting);
    const left = leftAtEnd(found.runState, await store.posts(run));
    const read = found.standing.is === 'done' ? { ...found, standing: doneWith(left) } : found;
    return [json ? `${JSON.stringify({ ...fields(read), ...left })}\n` : text(read, left, file, medium)];
  });
}

/** A checkpoint and its row; null where the rows that were read do not have it. */
interface Place {
  readonly kind: string;
  readonly row: number | null;
}

interface Instance {
  readonly instance: string;
  readonly epoch: number;
  readonly live: boolean;
  readonly committed: boolean;
  readonly checkpoints: readonly Place[];
  readonly restored: number;
}

function instances({ runState, restored, eventRows }: ReadRun): Instance[] {
  return [...runState.history.registry.all()].flatMap(({ id, committed, checkpoints }) => {
    if (id.skeleton === ROOT) return [];
    const instance = instanceName(id);
    return {
      instance,
      epoch: runState.epochs.get(instance) ?? 0,
      live: runState.live.has(instance),
      committed: committed !== null,
      checkpoints: checkpoints.all.map(({ kind, at }) => ({ kind, row: eventRows.rowOf(at) })),
      restored: restored.get(instance) ?? 0,
    };
  });
}

function effects({ runState, eventRows, settledBy }: ReadRun) {
  return [...runState.ledger.all()].map(({ key, intent, status, error, at }) => ({
    key,
    tool: intent.tool,
    instance: intent.instance.skeleton === ROOT ? null : instanceName(intent.instance),
    class: intent.class,
    status,
    row: eventRows.called(key)?.seq ?? null,
    undone: at === null,
    ...(error !== null && { error }),
    ...(settledBy.has(key) && { settledBy: settledBy.get(key) }),
  }));
}

/** Each decision of a run in short. */
export function decisions({ decisions: decided, eventRows }: Pick<ReadRun, 'decisions' | 'eventRows'>) {
  return decided.map(({ number, seq, time, entry: { signal, decision, checkpoint } }) => ({
    number,
    time: new Date(time).toISOString(),
    row: seq,
    signal,
    verdict: decision.verdict,
    level: decision.line?.level ?? null,
    instance: decision.failed === null ? null : instanceName(decision.failed),
    checkpoint:
      checkpoint !== null && decision.verdict.startsWith('restore')
        ? { kind: checkpoint.kind, row: eventRows.rowOf(checkpoint.at, seq) }
        : null,
  }));
}

function fields(read: ReadRun): object {
  const { run, agent, standing, held, digests, rows, times, findings } = read;
  const mandate = shownMandate(read.runState.mandates);
  return {
    run,
    agent,
    ...statusFields(standing, held),
    waits: waitFields(waitsOf(standing.is, read.waits, { held, last: times?.last ?? null, runState: read.runState })),
    config: digests?.config ?? null,
    machine: digests?.machine ?? null,
    rows,
    first: times === null ? null : new Date(times.first).toISOString(),
    last: times === null ? null : new Date(times.last).toISOString(),
    instances: instances(read),
    effects: effects(read),
    decisions: decisions(read),
    choices: choicesOf(read.runState),
    ...(mandate !== null && { mandate }),
    ...(read.runState.sandboxes.all.size > 0 && { sandboxes: sandboxReports(read.runState) }),
    findings: findings.map(({ instance, ...found }) => ({
      ...found,
      instance: instance === null ? null : instanceName(instance),
    })),
  };
}

function text(read: ReadRun, left: LeftAtEnd, file: string, medium: Medium): string {
  const sentences = leftSentences(left).map((each) => ({ text: each }));
  return [
    head(read, medium),
    ...(sentences.length === 0 ? [] : [layOut(null, { text: 'Left at the end', under: sentences }, medium)]),
    section('Instances', instanceTable(read, medium), 'none has been entered', medium),
    section('Effects', effectTable(read, medium), 'no call that could change the world', medium),
    section('Decisions', decisionTable(read, medium), 'nothing has failed', medium),
    ...choiceSection(read, medium),
    ...sandboxSection(read, medium),
    section('Findings', findingTable(read, medium), 'nothing that a person should know', medium),
    ...(read.decisions.length === 0 ? [] : [`${printable(command('explain', read.run, file))} says why.\n`]),
  ].join('\n');
}

function head(read: ReadRun, medium: Medium): string {
  const { run, agent, standing, held, digests, rows, times } = read;
  const waits = waitsOf(standing.is, read.waits, { held, last: times?.last ?? null, runState: read.runState });
  const mandate = mandateText(read.runState.mandates);
  const facts = [
    `agent   ${agent ?? 'none yet'}`,
    `config  ${digests?.config.slice(0, 16) ?? 'none yet'}`,
    `rows    ${rows.toLocaleString('en')}`,
    ...(mandate === null ? [] : [`mandate ${read.runState.redaction.text(mandate)}`]),
    ...(waits.length === 0 ? [] : [`waits   for ${waits.map((wait) => wait.text).join(', ')}`]),
    ...(times === null ? [] : [`time    ${timeText(times.first)} to ${timeText(times.last)}`]),
  ];
  const under = facts.map((text) => ({ text }));
  return layOut(null, { label: run, text: statusText(standing, held), under }, medium);
}

function section(name: string, body: string | null, empty: string, { colours }: Medium): string {
  const { bold } = pc.createColors(colours);
  return `${bold(name)}${body === null ? `: ${empty}` : ''}\n${body ?? ''}`;
}

function instanceTable(read: ReadRun, medium: Medium): string | null {
  const all = instances(read);
  if (all.length === 0) return null;
  const columns = [{ name: 'INSTANCE' }, { name: 'EPOCH', right: true }, { name: 'STANDS' }, { name: 'CHECKPOINTS' }];
  const rows = all.map(({ instance, epoch, live, committed, checkpoints }) => [
    instance,
    String(epoch),
    `${live ? 'live' : 'closed'}${committed ? ', committed' : ''}`,
    checkpoints.map(placeText).join(', '),
  ]);
  return table(columns, rows, medium);
}

/** A checkpoint as a table has it. */
export function placeText({ kind, row }: Place): string {
  return row === null ? kind : `${kind} ${row}`;
}

function effectTable(read: ReadRun, medium: Medium): string | null {
  const all = effects(read);
  if (all.length === 0) return null;
  const columns = [
    { name: 'TOOL' },
    { name: 'INSTANCE' },
    { name: 'CLASS' },
    { name: 'STATUS' },
    { name: 'ROW', right: true },
  ];
  const rows = all.map(({ tool, instance, class: kind, status, row, undone, settledBy }) => [
    tool,
    instance ?? '(none)',
    kind,
    `${status}${undone ? ', rolled back' : ''}${settledBy === undefined ? '' : `, by ${quotedText(settledBy.by)}`}`,
    row === null ? '' : String(row),
  ]);
  return table(columns, rows, medium);
}

function decisionTable(read: ReadRun, medium: Medium): string | null {
  const all = decisions(read);
  if (all.length === 0) return null;
  const columns = [
    { name: '#', right: true },
    { name: 'SIGNAL' },
    { name: 'VERDICT' },
    { name: 'INSTANCE' },
    { name: 'BACK TO' },
  ];
  const rows = all.map(({ number, signal, verdict, level, instance, checkpoint }) => [
    String(number),
    signal,
    level === null || !verdict.startsWith('restore') ? verdict : `${verdict}, level ${level}`,
    instance ?? '(none)',
    checkpoint === null ? '' : placeText(checkpoint),
  ]);
  return table(columns, rows, medium);
}

/** The choices among alternatives; nothing for a run without one. */
function choiceSection({ runState }: ReadRun, medium: Medium): string[] {
  const rows = choicesOf(runState).flatMap(({ alternatives, candidates }) =>
    candidates.map(({ branch, is, score, why, calls }) => [
      alternatives,
      branch,
      is,
      score === undefined ? '' : String(score),
      [why ?? '', ...calls.map((call) => `${call.tool} ${call.is}`)].filter((text) => text !== '').join('; '),
    ]),
  );
  if (rows.length === 0) return [];
  const columns = ['ALTERNATIVES', 'BRANCH', 'IS', 'SCORE', 'WHY, AND WHAT IT DID'].map((name) => ({ name }));
  return [section('Choices', table(columns, rows, medium), '', medium)];
}

/** What its tools work in; nothing for a run without one. */
function sandboxSection({ runState }: ReadRun, medium: Medium): string[] {
  const reports = sandboxReports(runState);
  if (reports.length === 0) return [];
  const rows = reports.map(({ name, is, since, provider }) => [name, is, timeText(since), provider]);
  const columns = ['SANDBOX', 'IS', 'SINCE', 'PROVIDER'].map((name) => ({ name }));
  return [section('Sandboxes', `${table(columns, rows, medium)}${handleLines(reports)}`, '', medium)];
}

function findingTable({ findings }: ReadRun, medium: Medium): string | null {
  if (findings.length === 0) return null;
  const columns = [{ name: 'TIMES', right: true }, { name: 'FINDING' }, { name: 'WHAT' }];
  const rows = findings.map(({ code, text: what, instance, count: times }) => [
    String(times),
    code,
    instance === null || instance.skeleton === ROOT ? what : `${instanceName(instance)}: ${what}`,
  ]);
  return table(columns, rows, medium);
}
