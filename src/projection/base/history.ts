/** The history of a run in a base: its instances, what they read and wrote, and their effects. */
import type { History } from '../../history/history.ts';
import type { InstanceRecord } from '../../history/registry.ts';
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
  const accesses = savedAccesses(history, to);
  const inOrder = [...effects.placed()].sort(([, a], [, b]) => a.at - b.at);
  const placed = inOrder.map(([record, effect]) => [to.records.of(record), ...savedEffect(effect, to)]);
  const asides = effects.asides().map((effect) => [to.id(effect.instance), ...savedEffect(effect, to)]);
  return { head, there, records: savedRecords(to), accesses, placed, asides };
}

/** The instances as columns, with the checkpoints of all of them one after the other, and those that started others. */
function savedRecords(to: Saving) {
  const [ids, starters, counts, kinds, ats]: [number[], number[], number[], number[], number[]] = [[], [], [], [], []];
  const starts: (readonly [of: number, ...started: number[]])[] = [];
  // Those that are met on the way are added to the list.
  for (let index = 0; index < to.records.all.length; index += 1) {
    const { id, starter, checkpoints, ...record } = to.records.all[index] as InstanceRecord;
    ids.push(to.id(id));
    starters.push(to.records.of(starter));
    counts.push(checkpoints.length);
    for (const { kind, at } of checkpoints) {
      kinds.push(KINDS.indexOf(kind));
      ats.push(at);
    }
    if (record.starts.length > 0)
      starts.push([index, ...record.starts.flatMap(({ at, started }) => [at, to.records.of(started)])]);
  }
  return { columns: [ids, starters, counts, kinds, ats].map((list) => to.texts.numbers(list)), starts };
}

function savedAccesses({ versions }: History, to: Saving) {
  const [ats, bys, keys, flags]: [number[], number[], number[], number[]] = [[], [], [], []];
  for (const [{ at, by, key }, isRead, isWritten, covers] of versions.all()) {
    ats.push(at);
    bys.push(to.records.of(by));
    keys.push(to.word(key.text));
    flags.push((isRead ? READ : 0) + (isWritten ? WRITTEN : 0) + (covers ? COVERS : 0));
  }
  return [ats, bys, keys, flags].map((list) => to.texts.numbers(list));
}

function savedEffect({ id, tool, class: kind, status, undo, at }: Effect, to: Saving) {
  const named = tool === undefined ? -1 : to.word(tool);
  return [id, named, EFFECT_CLASSES.indexOf(kind), EFFECT_STATUSES.indexOf(status), undo ? 1 : 0, at] as const;
}

type SavedHistory = ReturnType<typeof savedHistory>;
type SavedEffect = readonly [of: number, ...ReturnType<typeof savedEffect>];

/** Makes a history again. */
export function loadHistory(history: History, saved: SavedHistory, from: Loading): void {
  const { versions, effects } = history;
  loadRecords(history, saved, from);
  const [ats = [], bys = [], keys = [], flags = []] = saved.accesses.map((list) => from.source.numbers(list));
  for (const [index, at] of ats.entries()) {
    const flag = flags[index] as number;
    const access = { at, by: from.record(bys[index] as number), key: from.key(keys[index] as number) };
    if ((flag & WRITTEN) === 0) versions.read(access);
    else versions.written(access, (flag & READ) !== 0, (flag & COVERS) !== 0);
  }
  for (const row of saved.placed as unknown as SavedEffect[]) {
    const record = from.record(row[0]);
    effects.readd(record, { instance: record.id, ...effectOf(row, from) });
  }
  for (const row of saved.asides as unknown as SavedEffect[])
    effects.setAside({ instance: from.id(row[0]), ...effectOf(row, from) });
  history.resumeAt(saved.head);
}

function loadRecords({ registry }: History, { records, there }: SavedHistory, from: Loading): void {
  const [ids = [], starters = [], counts = [], kinds = [], ats = []] = records.columns.map((list) =>
    from.source.numbers(list),
  );
  const firsts: number[] = [];
  let first = 0;
  for (const count of counts) {
    firsts.push(first);
    first += count;
  }
  /** A starter stands before those that it started, unless it was cut back since. */
  const make = (index: number): InstanceRecord => {
    const known = from.records[index];
    if (known !== undefined) return known;
    const starter = starters[index] as number;
    const by = starter === -1 ? null : make(starter);
    const checkpoints: Checkpoint[] = [];
    const begin = firsts[index] as number;
    for (let nth = begin; nth < begin + (counts[index] as number); nth += 1)
      checkpoints.push({ kind: KINDS[kinds[nth] as number] as Checkpoint['kind'], at: ats[nth] as number });
    const record = registry.made({ id: from.id(ids[index] as number), starter: by, checkpoints });
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

function effectOf([, id, tool, kind, status, undo, at]: SavedEffect, from: Loading): Omit<Effect, 'instance'> {
  return {
    id,
    ...(tool !== -1 && { tool: from.word(tool) }),
    class: EFFECT_CLASSES[kind] as Effect['class'],
    status: EFFECT_STATUSES[status] as Effect['status'],
    undo: undo === 1,
    at,
  };
}
