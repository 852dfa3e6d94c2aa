/**
 * Every history of a given length, canonical up to renaming, asked after every failure in it, under each policy, and held
 * against the oracle. An event is a read or a write of one of three keys, a commit, or an irreversible effect, by one of
 * four instances that were entered before.
 */
import { History } from '../../src/history/history.ts';
import type { Decision, Policy } from '../../src/model/decision.ts';
import type { HistoryEvent } from '../../src/model/event.ts';
import type { InstanceId } from '../../src/model/instance.ts';
import { type Key, parseKey } from '../../src/model/key.ts';
import { decide } from '../../src/recovery/decide.ts';
import { greatest, includes, type Line, Oracle, type WrittenEvent } from './oracle.ts';

/** What a sweep counts for one policy, against restoring instance by instance. */
interface Tally {
  /** Restores of a line that the oracle finds unsafe. */
  unsafeAdmissions: number;
  /** Failures refused although a safe line exists that crosses no commitment of others. */
  needlessBlocks: number;
  /** Failures with a safe line whose answer was another line than the greatest. */
  notGreatest: number;
  /** The first history of each kind of mistake, in words. */
  examples: string[];
}

export interface Sweep {
  /** All histories of the length, and those whose failures were asked about. */
  histories: number;
  asked: number;
  failures: number;
  tallies: Record<Policy, Tally>;
}

const MOST_INSTANCES = 4;
const MOST_KEYS = 3;
const instances: InstanceId[] = ['A', 'B', 'C', 'D'].map((entity) => ({ skeleton: 'S', entity, ordinal: 0 }));
const keys: Key[] = ['a', 'b', 'c'].map(parseKey);

interface Step {
  by: number;
  kind: 'read' | 'write' | 'commit' | 'effect';
  key: number;
}

/** A share of the histories: one of every so many. */
export interface Share {
  readonly every: number;
  /** The remainder of its number in their order. */
  readonly from: number;
}

const WHOLE: Share = { from: 0, every: 1 };

/** Runs the sweep. `blind` says whether all writes are blind or none is; `progress` is told of the histories done. */
export function sweep(
  length: number,
  blind: boolean,
  {
    share = WHOLE,
    progress = () => {},
  }: { readonly share?: Share; readonly progress?: (histories: number) => void } = {},
): Sweep {
  const empty = (): Tally => ({ unsafeAdmissions: 0, needlessBlocks: 0, notGreatest: 0, examples: [] });
  const result: Sweep = {
    histories: 0,
    asked: 0,
    failures: 0,
    tallies: { line: empty(), static: empty(), dart: empty() },
  };
  for (const { steps, used } of histories(length)) {
    result.histories += 1;
    if (result.histories % 100_000 === 0) progress(result.histories);
    if (result.histories % share.every !== share.from) continue;
    result.asked += 1;
    const history = fold(steps, used, blind);
    const known = new Oracle(written(steps, used, blind));
    const safe = known.lines().filter((line) => !line.crosses);
    for (let failed = 0; failed < used; failed += 1) {
      result.failures += 1;
      const open = known.open(safe, failed, Number.POSITIVE_INFINITY);
      const best = greatest(open);
      const level = best === null ? null : known.levelOf(best, failed);
      for (const policy of ['line', 'static', 'dart'] as const) {
        const decision = decide(history, { in: instances[failed] as InstanceId, key: null }, { policy, joint: 'none' });
        hold(result.tallies[policy], decision, { open, best, level }, used, () => {
          return `${show(steps)} · fail ${'ABCD'[failed]}`;
        });
      }
    }
  }
  return result;
}

/** What the oracle says of a failure: its safe lines, the greatest of them, and the level of that. */
interface Expected {
  open: Line[];
  best: number[] | null;
  level: 0 | 1 | 2 | null;
}

function hold(tally: Tally, decision: Decision, expected: Expected, used: number, text: () => string): void {
  const admitted = decision.verdict === 'restore';
  const line = positions(decision, used, (id) => instances.indexOf(id));
  const wrong = (count: 'unsafeAdmissions' | 'needlessBlocks' | 'notGreatest') => {
    tally[count] += 1;
    if (tally[count] === 1) tally.examples.push(`${count}: ${text()} -> ${decision.verdict}`);
  };
  if (admitted && (line === null || !includes(expected.open, line))) wrong('unsafeAdmissions');
  if (!admitted && expected.level !== null && expected.level < 2) wrong('needlessBlocks');
  const { best } = expected;
  const same = line === null || best === null ? line === best : best.every((at, i) => at === line[i]);
  const unique = best === null || includes(expected.open, best);
  if (!same || !unique) wrong('notGreatest');
}

/** The decision's line as one position for each of `count` instances, in the oracle's terms. */
export function positions(decision: Decision, count: number, indexOf: (id: InstanceId) => number): number[] | null {
  if (decision.line === null) return null;
  const line = new Array<number>(count).fill(Number.POSITIVE_INFINITY);
  for (const { instance, keep } of decision.line.moves) line[indexOf(instance)] = keep === 'none' ? 0 : keep.at;
  return line;
}

/** A share of the histories of a length, each with the instances in it. */
export function* folded(
  length: number,
  blind: boolean,
  share: Share,
): Generator<{ readonly history: History; readonly ids: readonly InstanceId[] }> {
  let number = 0;
  for (const { steps, used } of histories(length)) {
    number += 1;
    if (number % share.every === share.from) yield { history: fold(steps, used, blind), ids: instances.slice(0, used) };
  }
}

/** Every history once, instances and keys named in the order of their first use. */
function* histories(length: number): Generator<{ steps: Step[]; used: number }> {
  function* extend(steps: Step[], used: number, named: number): Generator<{ steps: Step[]; used: number }> {
    if (steps.length === length) {
      yield { steps, used };
      return;
    }
    for (let by = 0; by <= Math.min(used, MOST_INSTANCES - 1); by += 1) {
      const now = Math.max(used, by + 1);
      for (const kind of ['commit', 'effect'] as const) yield* extend([...steps, { by, kind, key: -1 }], now, named);
      for (const kind of ['read', 'write'] as const) {
        for (let key = 0; key <= Math.min(named, MOST_KEYS - 1); key += 1) {
          yield* extend([...steps, { by, kind, key }], now, Math.max(named, key + 1));
        }
      }
    }
  }
  yield* extend([], 0, 0);
}

function fold(steps: readonly Step[], used: number, blind: boolean): History {
  const history = new History();
  for (let i = 0; i < used; i += 1) history.apply({ do: 'enter', in: instances[i] as InstanceId, by: null });
  for (const step of steps) history.apply(toEvent(step, blind));
  return history;
}

function toEvent({ by, kind, key }: Step, blind: boolean): HistoryEvent {
  const id = instances[by] as InstanceId;
  switch (kind) {
    case 'read':
      return { do: 'read', in: id, key: keys[key] as Key };
    case 'write':
      return { do: 'write', in: id, key: keys[key] as Key, mode: blind ? 'blind' : 'update' };
    case 'commit':
      return { do: 'boundary', in: id, kind: 'commit' };
    case 'effect':
      return { do: 'effect', in: id, id: null, class: 'irreversible', status: 'confirmed', undo: null };
  }
}

/** The same history in the oracle's own terms. */
function written(steps: readonly Step[], used: number, blind: boolean): WrittenEvent[] {
  const name = (i: number): [string, string, number] => ['S', 'ABCD'[i] as string, 0];
  const enters = Array.from({ length: used }, (_, i): WrittenEvent => ({ do: 'enter', in: name(i) }));
  return [
    ...enters,
    ...steps.map(({ by, kind, key }): WrittenEvent => {
      const where = { in: name(by) };
      if (kind === 'commit') return { do: 'boundary', kind: 'commit', ...where };
      if (kind === 'effect') return { do: 'effect', class: 'irreversible', status: 'confirmed', ...where };
      return { do: kind, key: 'abc'[key] as string, ...(kind === 'write' && { blind }), ...where };
    }),
  ];
}

function show(steps: readonly Step[]): string {
  const letter = { read: 'R', write: 'W', commit: 'commit', effect: 'effect' };
  return steps
    .map(({ by, kind, key }) => `${letter[kind]}_${'ABCD'[by]}${key < 0 ? '' : ` ${'abc'[key]}`}`)
    .join(' · ');
}

/** The counts as a table, for people. */
export function table(rows: readonly { writes: string; result: Sweep }[]): string {
  const out = ['policy  writes    failures  unsafe admissions  needless blocks  not the greatest line'];
  for (const { writes, result } of rows) {
    for (const policy of ['line', 'static', 'dart'] as const) {
      const { unsafeAdmissions, needlessBlocks, notGreatest } = result.tallies[policy];
      const cells = [policy.padEnd(6), writes.padEnd(8), String(result.failures).padStart(9)];
      out.push([...cells, pad(unsafeAdmissions, 17), pad(needlessBlocks, 15), pad(notGreatest, 21)].join('  '));
    }
  }
  return out.join('\n');
}

function pad(count: number, width: number): string {
  return String(count).padStart(width);
}
