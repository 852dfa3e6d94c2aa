/** The calls of a run in a base: the ledger, the questions to people, and the spending. */

import type { Budgets } from '../../effects/budgets.ts';
import type { ApprovalRequest, ApprovalRequests } from '../../effects/gates.ts';
import type { Ledger } from '../../effects/ledger.ts';
import type { LedgerCall } from '../../effects/ledger-call.ts';
import { PlacedCalls } from '../../effects/placed-calls.ts';
import { RetainedCall } from '../../effects/retained-call.ts';
import type { PositionEntry, PublishEntry } from '../../model/call-entries.ts';
import { EFFECT_STATUSES, type EffectStatus } from '../../model/effect.ts';
import { parseKey } from '../../model/key.ts';
import type { LookedAt, Looks } from '../looks.ts';
import type { Positions } from '../positions.ts';
import type { Loading } from './loading.ts';
import type { Saving } from './saving.ts';

/** Lays down which calls there are, and where they stand. The calls themselves follow: `savedCalls`. */
export function savedLedger(ledger: Ledger, to: Saving) {
  const { calls, placed, byActor, displaced, heldBack } = ledger.parts;
  const numbers = (all: Iterable<LedgerCall>) => [...all].map((call) => to.calls.of(call));
  return {
    secret: ledger.secret,
    overtaken: ledger.overtaken,
    left: [...ledger.left],
    forks: ledger.forks,
    released: [...ledger.released],
    promised: [...ledger.promised],
    calls: numbers(calls.values()),
    placed: [...placed].map(([name, of]) => [name, numbers(of.all())] as const),
    byActor: [...byActor].map(([actor, call]) => [actor, to.calls.of(call)] as const),
    displaced: numbers(displaced.all()),
    heldBack: numbers(heldBack),
  };
}

/** Lays all calls down that were met. */
export function savedCalls(to: Saving) {
  return to.calls.all.map((call) => savedCall(call, to));
}

const FLAGS = [
  'undo',
  'undoing',
  'staged',
  'isAnswered',
  'voided',
  'mayLeave',
  'isNamed',
  'discarded',
  'stands',
  'decides',
] as const;

function savedCall(call: LedgerCall, to: Saving) {
  const { key, tool, status, error, asked, at, wrong, promise, act, repeats, place, keyedAt } = call;
  const flags = FLAGS.reduce((sum, flag, index) => sum + (call[flag] ? 2 ** index : 0), 0);
  const found = wrong === null ? null : ([savedOutput(wrong.output, to), wrong.isSure, wrong.isOutdated] as const);
  const promised = promise === null ? null : ([to.id(promise.by)] as const);
  return [
    ...([to.word(key), to.word(tool), to.texts.intent(call), EFFECT_STATUSES.indexOf(status)] as const),
    ...([to.texts.output(call), error, flags] as const),
    ...([asked.tries, asked.next, to.texts.time(call.calledAt), at, found, promised] as const),
    ...([act === null ? null : to.word(act), repeats === null ? null : to.word(repeats)] as const),
    place === null ? null : to.word(place),
    keyedAt === null ? null : to.texts.time(keyedAt),
  ] as const;
}

function savedOutput(output: unknown, to: Saving) {
  return output === undefined ? null : ([to.texts.value(output, 'output')] as const);
}

function outputFrom(stored: readonly [unknown] | null, from: Loading): unknown {
  return stored === null ? undefined : from.source.value(stored[0]);
}

/** Makes the calls again. */
export function loadCalls(saved: ReturnType<typeof savedCalls>, from: Loading): void {
  for (const row of saved) {
    const [key, tool, intent, status, output, error, flags, tries, next, calledAt, at, wrong, promise, ...named] = row;
    const [act, repeats, place, keyedAt] = named;
    const flag = (index: number) => Math.floor(flags / 2 ** index) % 2 === 1;
    const facts = {
      key: from.word(key),
      tool: from.word(tool),
      status: EFFECT_STATUSES[status] as EffectStatus,
      error,
      undo: flag(0),
      undoing: flag(1),
      staged: flag(2),
      asked: { tries, next },
      calledAt,
      keyedAt,
      at,
      wrong: wrong === null ? null : { output: outputFrom(wrong[0], from), isSure: wrong[1], isOutdated: wrong[2] },
      promise: promise === null ? null : { by: promise[0] === -1 ? null : from.id(promise[0]) },
      isAnswered: flag(3),
      voided: flag(4),
      mayLeave: flag(5),
      isNamed: flag(6),
      discarded: flag(7),
      stands: flag(8),
      decides: flag(9),
      act: act === null ? null : from.word(act),
      repeats: repeats === null ? null : from.word(repeats),
      place: place === null ? null : from.word(place),
    };
    from.calls.push(new RetainedCall(facts, { source: from.source, stored: { intent, output } }));
  }
}

/** Puts the calls where they stand. */
export function loadLedger(ledger: Ledger, saved: ReturnType<typeof savedLedger>, from: Loading): void {
  const { calls, placed, byActor, displaced, heldBack, acts } = ledger.parts;
  ledger.secret = saved.secret;
  ledger.overtaken = saved.overtaken;
  for (const [key, by] of saved.left) ledger.left.set(key, by);
  ledger.forks.push(...saved.forks);
  for (const [key, passed] of saved.released) ledger.released.set(key, passed);
  for (const [key, by] of saved.promised) ledger.promised.set(key, by);
  for (const number of saved.calls) {
    calls.set(from.call(number).key, from.call(number));
    acts.add(from.call(number));
  }
  for (const [name, numbers] of saved.placed) {
    const of = new PlacedCalls<LedgerCall>();
    for (const number of numbers) of.add(from.call(number));
    placed.set(name, of);
  }
  for (const [actor, number] of saved.byActor) byActor.set(actor, from.call(number));
  for (const number of saved.displaced) displaced.add(from.call(number));
  for (const number of saved.heldBack) heldBack.add(from.call(number));
}

/** Lays down what people were asked. */
export function savedAsked(asked: ApprovalRequests, to: Saving) {
  const { gates, newest, pending, usable, asked: counts } = asked.parts;
  const all: ApprovalRequest[] = [];
  const number = (gate: ApprovalRequest) => {
    const known = all.indexOf(gate);
    return known === -1 ? all.push(gate) - 1 : known;
  };
  const listed = (map: ReadonlyMap<string, ApprovalRequest>) =>
    [...map].map(([name, gate]) => [name, number(gate)] as const);
  const lists = { gates: listed(gates), newest: listed(newest), pending: listed(pending), usable: listed(usable) };
  const { read, cancelled, paused, sent, unanswered } = asked;
  const told = all.map((gate) => ({ ...gate, since: to.texts.time(gate.since) }));
  const heard = { read, cancelled, paused, sent: [...sent], unanswered: [...unanswered] };
  return { ...lists, all: told, counts: [...counts], ...heard };
}

export function loadAsked(asked: ApprovalRequests, saved: ReturnType<typeof savedAsked>): void {
  const { gates, newest, pending, usable, asked: counts } = asked.parts;
  for (const [map, list] of [
    [gates, saved.gates],
    [newest, saved.newest],
    [pending, saved.pending],
    [usable, saved.usable],
  ] as const)
    for (const [name, number] of list) map.set(name, saved.all[number] as ApprovalRequest);
  for (const [key, count] of saved.counts) counts.set(key, count);
  asked.read = saved.read;
  asked.cancelled = saved.cancelled;
  asked.paused = saved.paused;
  for (const post of saved.sent) asked.sent.add(post);
  asked.unanswered.push(...saved.unanswered);
}

/** Lays down what was spent. */
export function savedBudgets({ parts: { spent, admitted, by } }: Budgets) {
  return { spent: [...spent], admitted: [...admitted], by: [...by] };
}

export function loadBudgets({ parts }: Budgets, saved: ReturnType<typeof savedBudgets>): void {
  for (const [name, amount] of saved.spent) parts.spent.set(name, amount);
  for (const [of, amounts] of saved.admitted) parts.admitted.set(of, amounts);
  for (const [of, amounts] of saved.by) parts.by.set(of, amounts);
}

/** Lays down what was read and changed of things that staging areas hold, and the commits that are under way. */
export function savedPositions({ parts }: Positions, publications: readonly PublishEntry[], to: Saving) {
  const items = parts.map((item) =>
    'entry' in item ? ([to.texts.entry(item.entry), to.step(item.by)] as const) : to.calls.of(item),
  );
  return { items, publications: publications.map((entry) => to.texts.entry(entry)) };
}

export function loadPositions(
  { parts }: Positions,
  { items, publications }: ReturnType<typeof savedPositions>,
  from: Loading,
): PublishEntry[] {
  for (const item of items) {
    if (typeof item === 'number') {
      parts.push(from.call(item));
      continue;
    }
    const entry = from.source.entry(item[0]) as PositionEntry;
    parts.push({ entry, keys: entry.reads.map(parseKey), by: from.stepOrNull(item[1]) });
  }
  return publications.map((stored) => from.source.entry(stored) as PublishEntry);
}

/** Lays down the answers of tools whose reads are revalidated, and who relied on them. */
export function savedLooks({ all, relied }: Looks, to: Saving) {
  const saved = ([actor, { tool, args, output, at }]: readonly [number, LookedAt]) => {
    const texts = [to.texts.value(args, 'arguments'), savedOutput(output, to)] as const;
    return [actor, to.word(tool), ...texts, to.texts.time(at)] as const;
  };
  return {
    looks: [...all].map(saved),
    relied: [...relied].map(([key, looks]) => [to.word(key), looks.map((look) => saved([look.actor, look]))] as const),
  };
}

export function loadLooks({ all, relied }: Looks, saved: ReturnType<typeof savedLooks>, from: Loading): void {
  const loaded = ([actor, tool, args, output, at]: (typeof saved.looks)[number]) => {
    const read = { args: from.source.value(args), output: outputFrom(output, from) };
    return { actor, tool: from.word(tool), ...read, at };
  };
  for (const look of saved.looks.map(loaded)) all.set(look.actor, look);
  for (const [key, looks] of saved.relied) relied.set(from.word(key), looks.map(loaded));
}
