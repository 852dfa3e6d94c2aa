/**
 * The resume primer of a run, as compact text for a model that goes on after a pause. It has the run's goal, the open
 * and owed work, the events and their revisions, and the acts with their reasons. Pure: equal rows give equal bytes,
 * whatever the time.
 */
import { entriesOf } from '../journal/entries.ts';
import type { StoredRow } from '../journal/journal.ts';
import { NUMBER, optional, ROWS, refuseOther, shape } from '../model/argument.ts';
import { STEERED } from '../model/failure.ts';
import { type InstanceId, instanceName } from '../model/instance.ts';
import { RunState } from '../projection/run-state.ts';
import { quoted } from '../recovery/explain.ts';
import { eventsOf, type RunEvent } from './events.ts';
import type { LedgerDecision, Relied } from './ledger-decision.ts';
import type { LedgerEffect } from './ledger-effects.ts';
import type { Obligation } from './ledger-obligations.ts';
import { ledgersOf } from './ledgers.ts';

/** Options of a primer. */
export interface PrimerOptions {
  /** The most tokens of the text, from 200 on; 2,000 where it is left out. A token is counted as four bytes of UTF-8. */
  readonly tokens?: number;
}

/** The bytes that a token is counted as. */
const TOKEN = 4;
/** The fewest tokens that hold the heads of all parts. */
export const LEAST = 200;
/** The most characters of one value, and of the goal. */
const LONGEST = 240;
const MOST = 800;
/** The most characters of the name of the agent. */
const NAME_LENGTH = 60;
/** The bytes that are kept for the line which says what a part leaves out. */
const LINE = 64;

/** A part of a primer. */
interface Part {
  readonly head: string;
  readonly items: readonly string[];
}

/**
 * The resume primer of a run, from its rows.
 * @returns text of at most the given tokens; of each part that does not fit, the newest lines, and how many are left out.
 * @throws RangeError for fewer than 200 tokens; JournalError `journal_corrupt`, `journal_not_ours`.
 * @example
 * import { primerOf } from 'belay-sidecar/reports';
 *
 * assert.match(primerOf([], { tokens: 500 }), /^Status: open/);
 */
export function primerOf(rows: Iterable<StoredRow>, options: PrimerOptions = {}): string {
  refuseOther('primerOf', { rows: [rows, ROWS], options: [options, OPTIONS] });
  const { tokens = 2_000 } = options;
  if (!Number.isSafeInteger(tokens) || tokens < LEAST)
    throw new RangeError(`a primer takes at least ${LEAST} tokens, as a whole number; it was given ${tokens}`);
  return fitted(partsOf([...rows], Math.min(MOST, (tokens * TOKEN) / 8)), tokens * TOKEN);
}

const OPTIONS = shape<PrimerOptions>('an object', { tokens: optional(NUMBER) });

function partsOf(rows: readonly StoredRow[], longest: number): readonly Part[] {
  const { runState, former } = toldIn(rows);
  const last = rows.at(-1)?.time ?? 0;
  const { standing, decisions, effects, obligations } = ledgersOf(rows, last);
  const [input, ...events] = eventsOf(runState);
  const why = new Map(decisions.flatMap((each) => (each.is === 'call' ? [[each.key, each.relies] as const] : [])));
  const acts = effects.filter(({ repeats }) => repeats === null);
  const verdict = 'verdict' in standing ? ` (${standing.verdict})` : '';
  const agent = runState.agent === null ? '' : `, agent ${quoted(clipped(runState.agent, NAME_LENGTH))}`;
  return [
    {
      head: `Status: ${standing.is}${verdict}${agent}`,
      items: input === undefined || input.event === undefined ? [] : [`Goal: ${valueText(input.event, longest)}`],
    },
    { head: 'Open and owed', items: obligations.map(owedText) },
    {
      head: 'Said to the run',
      items: [...events.map((event) => saidText(event, former)), ...decisions.flatMap(answerText)],
    },
    { head: 'Done in the world', items: acts.filter((act) => act.class !== 'none').map((act) => actText(act, why)) },
    { head: 'Found wrong', items: decisions.flatMap(recoveryText) },
    { head: 'Looked up', items: acts.filter((act) => act.class === 'none').map((act) => actText(act, why)) },
  ];
}

/** The run as its rows have it, and the former words of each event that was revised. */
function toldIn(rows: readonly StoredRow[]) {
  const runState = new RunState();
  const former = new Map<string, unknown[]>();
  for (const { entry, row, fold } of entriesOf(rows)) {
    if (entry.do === 'steered' && entry.refused === null && entry.act === 'revise' && entry.event !== undefined) {
      const before = eventsOf(runState).find(({ name }) => name === entry.of);
      if (before !== undefined) former.set(entry.of, [...(former.get(entry.of) ?? []), before.event]);
    }
    fold(() => runState.apply(entry, row.time));
  }
  return { runState, former };
}

function saidText(
  { name, type, event, by, version, is, why, instead }: RunEvent,
  former: ReadonlyMap<string, readonly unknown[]>,
): string {
  const who = by === null ? '' : ` by ${quoted(by)}`;
  const before = (former.get(name) ?? []).map(membersText).join(', then ');
  const place = instead === null ? '' : `, in place of ${quoted(instead)} from here on`;
  const now = version === 0 ? '' : ` (version ${version}${before === '' ? '' : `; said before: ${before}`})`;
  const fate = {
    taken: '',
    held: ', not taken yet',
    taken_back: ', waits for its sender: what that had seen is not so any more',
    refused: `, refused: ${why}`,
    retracted: ', retracted: it counts as never sent',
  }[is];
  return `${quoted(type)} ${quoted(name)}${who}: ${membersText(event)}${now}${place}${fate}`;
}

function actText(act: LedgerEffect, why: ReadonlyMap<string, readonly Relied[]>): string {
  const { key, tool, args, output, status, instance, error } = act;
  const became = {
    confirmed: output === undefined ? '' : ` -> ${valueText(output)}`,
    failed: `: did not happen${error === null ? '' : ` (${clipped(error)})`}`,
    compensated: ': undone',
    intended: ': under way, outcome not known',
    buffered: ': held back until its work is committed',
    unknown: ': outcome not known',
  }[status];
  const reason = becauseText(why.get(key) ?? []);
  return `${quoted(tool)} ${valueText(args)}${became}${placeText(act)} [${instanceText(instance)}${reason}]`;
}

/** The place of an act that no work of the run has; empty for any other. */
function placeText({ status, undone, stands, left }: LedgerEffect): string {
  if (status === 'compensated' || status === 'failed') return '';
  if (stands !== null) return `; stands although its work was discarded: ${clipped(stands)}`;
  if (left) return '; stands, and no step has its answer';
  return undone ? '; stands, and its work is to be done again' : '';
}

function becauseText(relies: readonly Relied[]): string {
  if (relies.length === 0) return '';
  return `; because of ${relies.map(({ key, by }) => (by.length === 0 ? quoted(key) : `${quoted(key)} by ${by.map(instanceText).join(' and ')}`)).join(', ')}`;
}

function answerText(decision: LedgerDecision): readonly string[] {
  if (decision.is !== 'answer') return [];
  const { verdict, by, why, asked } = decision;
  const about = asked?.tool == null ? '' : ` about ${quoted(asked.tool)}`;
  return [`${verdict}${by === null ? '' : ` by ${quoted(by)}`}${about}${why === null ? '' : `: ${clipped(why)}`}`];
}

function recoveryText(decision: LedgerDecision): readonly string[] {
  // An act on an event has its line among what was said.
  if (decision.is !== 'recovery' || decision.signal === STEERED) return [];
  const { signal, error, verdict, instance } = decision;
  return [`${signal}${instance === null ? '' : ` in ${instanceText(instance)}`}: ${clipped(error)} (${verdict})`];
}

function owedText(obligation: Obligation): string {
  switch (obligation.owes) {
    case 'approval':
      return `an approval of ${quoted(obligation.tool)} ${valueText(obligation.args)}${obligation.expired ? ', which has expired' : ''}`;
    case 'outcome':
      return `the outcome of ${quoted(obligation.tool)}, which is not known`;
    case 'recovery': {
      const what = { parked: 'waits for a person', unfinished: 'is not carried out to its end', stuck: 'is stuck' };
      const of = obligation.instance === null ? '' : ` of ${instanceText(obligation.instance)}`;
      return `a recovery${of} (${obligation.verdict}) ${what[obligation.is]}`;
    }
    case 'undo':
      return `the undo of ${quoted(obligation.tool)}${obligation.error === null ? '' : `, which failed: ${clipped(obligation.error)}`}`;
    case 'commit':
      return `the commit that ${quoted(obligation.tool)} is held back for`;
    case 'act':
      return `${quoted(obligation.keptBy)} for ${obligation.name}${obligation.overdue ? ', overdue' : ''}: ${valueText(obligation.says)}`;
    case 'publication':
      return `${obligation.keys.length} calls to be made visible, committed at ${quoted(obligation.boundary)}`;
    case 'claim':
      return `a replay that takes ${quoted(obligation.tool)} over, which stands though its work was undone`;
  }
}

function instanceText(instance: InstanceId): string {
  return quoted(instanceName(instance));
}

function membersText(event: unknown): string {
  if (typeof event !== 'object' || event === null) return valueText(event);
  const { type: _, ...members } = event as { readonly type?: unknown };
  return valueText(members);
}

function valueText(value: unknown, longest = LONGEST): string {
  if (value === undefined) return '-';
  return clipped(
    JSON.stringify(value, (_, member: unknown) => (typeof member === 'bigint' ? `${member}` : member)) ?? String(value),
    longest,
  );
}

/** A text on one line, cut where it is long. */
function clipped(text: string, longest = LONGEST): string {
  const line = plain(text);
  return line.length > longest ? `${line.slice(0, longest).toWellFormed()}…` : line;
}

/** The parts in at most so many bytes: the first come first, and of each its newest lines. */
function fitted(parts: readonly Part[], bytes: number): string {
  const there = parts.filter(({ items }, index) => index === 0 || items.length > 0);
  let left = bytes - there.reduce((sum, { head }) => sum + sizeOf(`${head}\n\n`) + LINE, 0);
  const texts = there.map(({ head, items }) => {
    const kept: string[] = [];
    for (const item of [...items].reverse()) {
      const line = `- ${plain(item)}`;
      if (sizeOf(`${line}\n`) > left) break;
      left -= sizeOf(`${line}\n`);
      kept.unshift(line);
    }
    const omitted = items.length - kept.length;
    const note = omitted === 0 ? [] : [`- ${omitted} ${kept.length > 0 ? 'before these ' : ''}left out`];
    return [head, ...note, ...kept].join('\n');
  });
  return `${texts.join('\n\n')}\n`;
}

function sizeOf(text: string): number {
  return Buffer.byteLength(text, 'utf8');
}

/**
 * A text on one line, without characters that end a line, are invisible, or reverse the direction of the text after
 * them.
 */
function plain(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ').toWellFormed();
}
