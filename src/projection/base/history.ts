/** The history of a run in a base: its instances, their reads and writes, and their effects. */
import type { Told } from '../../history/first-accesses.ts';
import type { History } from '../../history/history.ts';
import type { Pager } from '../../history/paged.ts';
import type { InstanceRecord } from '../../history/registry.ts';
import type { Versions } from '../../history/versions.ts';
import type { Checkpoint } from '../../model/checkpoint.ts';
import { EFFECT_CLASSES, EFFECT_STATUSES, type Effect } from '../../model/effect.ts';
import type { Loading } from './loading.ts';
import type { Saving } from './saving.ts';

const KINDS: readonly Checkpoint['kind'][] = ['entry', 'commit', 'exit', 'outcome'];
const [READ, WRITTEN, COVERS] = [1, 2, 4];

/** Lays a history down. */
export function savedHistory(history: History, to: Saving) {
  const { registry, effects, head } = history;
  for (const record of registry.all()) to.records.of(record);
  const there = to.records.all.length;
  const accesses = savedAccesses(history.versions.here(), to);
  const firsts = savedAccesses(history.versions.firsts, to);
  const inOrder = [...effects.placed()].sort(([, a], [, b]) => a.at - b.at);
  const placed = inOrder.map(([record, effect]) => [to.records.of(record), ...savedEffect(effect, to)]);
  const asides = effects.asides().map((effect) => [to.id(effect.instance), ...savedEffect(effect, to)]);
  return { head, there, records: savedRecords(history, to), accesses, firsts, placed, asides };
}

/** The instances as columns, with the checkpoints of all of them one after the other, and those that started others. */
function savedRecords({ versions }: History, to: Saving) {
  const columns: number[][] = Array.from({ length: 13 }, () => []);
  const add = (column: number, fact: number) => (columns[column] as number[]).push(fact);
  const starts: (readonly [of: number, ...started: number[]])[] = [];
  // Those that are met on the way are added to the list.
  for (let index = 0; index < to.records.all.length; index += 1) {
    const { id, starter, checkpoints, entry, committed, lastOut, ...record } = to.records.all[index] as InstanceRecord;
    add(0, to.id(id));
    add(1, to.records.of(starter));
    add(2, entry.at);
    for (const [column, known] of [
      [3, committed],
      [5, lastOut],
    ] as const) {
      add(column, known === null ? -1 : KINDS.indexOf(known.kind));
      add(column + 1, known?.at ?? 0);
    }
    add(7, checkpoints.isPaged ? 1 : 0);
    for (const [kind, newest] of versions.newestOut(to.records.all[index] as InstanceRecord).entries())
      add(8 + kind, newest);
    add(10, checkpoints.here.length);
    for (const { kind, at } of checkpoints.here) {
      add(11, KINDS.indexOf(kind));
      add(12, at);
    }
    if (record.starts.length > 0)
      starts.push([index, ...record.starts.flatMap(({ at, started }) => [at, to.records.of(started)])]);
  }
  return { columns: columns.map((list) => to.texts.numbers(list)), starts };
}

/** Accesses as columns, of instances that are among the records. */
export function savedAccesses(accesses: Iterable<Told>, to: Saving) {
  const [ats, bys, keys, flags]: [number[], number[], number[], number[]] = [[], [], [], []];
  for (const [{ at, by, key }, isRead, isWritten, covers] of accesses) {
    ats.push(at);
    bys.push(to.records.of(by));
    keys.push(to.word(key.text));
    flags.push((isRead ? READ : 0) + (isWritten ? WRITTEN : 0) + (covers ? COVERS : 0));
  }
  return [ats, bys, keys, flags].map((list) => to.texts.numbers(list));
}

function savedEffect({ id, tool, class: kind, status, undo, at }: Effect, to: Saving) {
  const named = tool === undefined ? -1 : to.word(tool);
  return [
    id === null ? -1 : to.word(id),
    named,
    EFFECT_CLASSES.indexOf(kind),
    EFFECT_STATUSES.indexOf(status),
    undo ? 1 : 0,
    at,
  ] as const;
}

type SavedHistory = ReturnType<typeof savedHistory>;
type SavedEffect = readonly [of: number, ...ReturnType<typeof savedEffect>];

/** The accesses of columns. */
export function* accessesOf(
  saved: ReturnType<typeof savedAccesses>,
  versions: Versions,
  from: Loading,
): Generator<Told> {
  const [ats = [], bys = [], keys = [], flags = []] = saved.map((list) => from.source.numbers(list));
  for (const [index, at] of ats.entries()) {
    const flag = flags[index] as number;
    const key = versions.own(from.key(keys[index] as number));
    const access = { at, by: from.record(bys[index] as number), key };
    yield [access, (flag & READ) !== 0, (flag & WRITTEN) !== 0, (flag & COVERS) !== 0];
  }
}

/** Makes a history again. `pager` pages in what is not among it. */
export function loadHistory(history: History, saved: SavedHistory, pager: Pager, from: Loading): void {
  const { versions, effects } = history;
  loadRecords(history, saved, pager, from);
  versions.arePagedOut(accessesOf(saved.firsts, versions, from), pager);
  const [reads = [], writes = []] = saved.records.columns.slice(8, 10).map((list) => from.source.numbers(list));
  for (const [index, record] of from.records.entries())
    versions.isNewestOut(record, [reads[index] as number, writes[index] as number], pager);
  for (const [access, isRead, isWritten, covers] of accessesOf(saved.accesses, versions, from)) {
    if (isWritten) versions.written(access, isRead, covers);
    else versions.read(access);
  }
  for (const row of saved.placed as unknown as SavedEffect[]) {
    const record = from.record(row[0]);
    effects.readd(record, { instance: record.id, ...effectOf(row, from) });
  }
  for (const row of saved.asides as unknown as SavedEffect[])
    effects.setAside({ instance: from.id(row[0]), ...effectOf(row, from) });
  history.resumeAt(saved.head);
}

function loadRecords({ registry }: History, { records, there }: SavedHistory, pager: Pager, from: Loading): void {
  const columns = records.columns.map((list) => from.source.numbers(list));
  const [ids = [], starters = [], entries = []] = columns;
  const [committed, lastOut] = [checkpointsOf(columns.slice(3, 5)), checkpointsOf(columns.slice(5, 7))];
  const [out = [], , , counts = []] = columns.slice(7, 11);
  const all = checkpointsOf(columns.slice(11)) as Checkpoint[];
  const firsts: number[] = [];
  let first = 0;
  for (const count of counts) {
    firsts.push(first);
    first += count;
  }
  /** A starter stands before the instances that it started, unless a restore has cut it back since. */
  const make = (index: number): InstanceRecord => {
    const known = from.records[index];
    if (known !== undefined) return known;
    const starter = starters[index] as number;
    const facts = {
      id: from.id(ids[index] as number),
      starter: starter === -1 ? null : make(starter),
      entry: { kind: 'entry', at: entries[index] as number } as const,
      committed: committed[index] ?? null,
      lastOut: lastOut[index] ?? null,
    };
    const begin = firsts[index] as number;
    const own = all.slice(begin, begin + (counts[index] as number));
    const record = registry.made(facts, own, out[index] === 1 ? pager : null);
    from.records[index] = record;
    return record;
  };
  for (let index = 0; index < ids.length; index += 1) make(index);
  const started = new Map(records.starts.map(([of, ...starts]) => [of, starts]));
  for (let index = 0; index < ids.length; index += 1) {
    const starts = started.get(index) ?? [];
    const list: { at: number; started: InstanceRecord }[] = [];
    for (let nth = 0; nth < starts.length; nth += 2)
      list.push({ at: starts[nth] as number, started: from.record(starts[nth + 1] as number) });
    registry.readd(from.record(index), list, index < there);
  }
}

/** Checkpoints as columns of their kinds and numbers. */
export function savedCheckpoints(checkpoints: readonly Checkpoint[]): readonly (readonly number[])[] {
  return [checkpoints.map(({ kind }) => KINDS.indexOf(kind)), checkpoints.map(({ at }) => at)];
}

/** The checkpoints of columns; null where there is none. */
export function checkpointsOf([kinds = [], ats = []]: readonly (readonly number[])[]): (Checkpoint | null)[] {
  return ats.map((at, index) => {
    const kind = KINDS[kinds[index] as number];
    return kind === undefined ? null : { kind, at };
  });
}

function effectOf([, id, tool, kind, status, undo, at]: SavedEffect, from: Loading): Omit<Effect, 'instance'> {
  return {
    id: id === -1 ? null : from.word(id),
    ...(tool !== -1 && { tool: from.word(tool) }),
    class: EFFECT_CLASSES[kind] as Effect['class'],
    status: EFFECT_STATUSES[status] as Effect['status'],
    undo: undo === 1,
    at,
  };
}
