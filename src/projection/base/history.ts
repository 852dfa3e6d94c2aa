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
  const records: unknown[] = [];
  for (let index = 0; index < to.records.all.length; index += 1)
    records.push(savedRecord(to.records.all[index] as InstanceRecord, to));
  return { head, there, records, accesses, placed, asides };
}

function savedRecord({ id, starter, checkpoints, starts }: InstanceRecord, to: Saving) {
  const starters = to.records.of(starter);
  const started = starts.flatMap(({ at, started }) => [at, to.records.of(started)]);
  const kinds = checkpoints.map(({ kind }) => KINDS.indexOf(kind));
  const ats = checkpoints.map(({ at }) => at);
  return [to.id(id), starters, to.texts.numbers(kinds), to.texts.numbers(ats), started] as const;
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
  const { registry, versions, effects } = history;
  const rows = saved.records as ReturnType<typeof savedRecord>[];
  /** A starter stands before those that it started, unless it was cut back since. */
  const make = (index: number): InstanceRecord => {
    const known = from.records[index];
    if (known !== undefined) return known;
    const [id, starter, kinds, ats] = rows[index] as ReturnType<typeof savedRecord>;
    const by = starter === -1 ? null : make(starter);
    const at = from.source.numbers(ats);
    const checkpoints = from.source.numbers(kinds).map((kind, nth) => ({
      kind: KINDS[kind] as Checkpoint['kind'],
      at: at[nth] as number,
    }));
    const record = registry.made({ id: from.id(id), starter: by, checkpoints });
    from.records[index] = record;
    return record;
  };
  for (let index = 0; index < rows.length; index += 1) make(index);
  for (const [index, [, , , , starts]] of rows.entries()) {
    const list: { at: number; started: InstanceRecord }[] = [];
    for (let nth = 0; nth < starts.length; nth += 2)
      list.push({ at: starts[nth] as number, started: from.record(starts[nth + 1] as number) });
    registry.readd(from.record(index), list, index < saved.there);
  }
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
