/**
 * The stored form of a step (entry-table.ts): its edits, its marks, the actors it started, and its effect on control.
 */

import type { HistoryEvent } from '../model/event.ts';
import type { Key } from '../model/key.ts';
import { regionName } from '../model/region.ts';
import type { Closed, Edit, Party, Started, StepEntry } from '../model/step-entry.ts';
import {
  count,
  type Form,
  flag,
  flat,
  instance,
  kept,
  list,
  name,
  named,
  oneOf,
  orEmpty,
  orNull,
  orZero,
  path,
  plain,
  value,
} from './entry-forms.ts';
import { type Column, member, optional, RowForm, variant, variants } from './entry-row.ts';
import { inputPlace } from './lost.ts';

type MarkOf<K extends HistoryEvent['do']> = Extract<HistoryEvent, { do: K }>;

const key: Form<Key> = {
  write: ({ text }, to) => to.name(text),
  read: (stored, from) => from.key(stored),
};

const mark = variants<HistoryEvent>([
  variant<MarkOf<'enter'>>('enter', new RowForm(1, [member('in', instance), member('by', orNull(instance), 'null')])),
  variant<MarkOf<'read'>>('read', new RowForm(2, [member('in', instance), member('key', key)])),
  variant<MarkOf<'write'>>(
    'write',
    new RowForm(3, [member('in', instance), member('key', key), member('mode', oneOf(['update', 'blind', 'append']))]),
  ),
  variant<MarkOf<'boundary'>>(
    'boundary',
    new RowForm(2, [member('in', instance), member('kind', oneOf(['commit', 'exit', 'outcome']))]),
  ),
]);

/** An edit of a step with so many parties: 0 stands for all of them. */
function edit(parties: number): Form<Edit> {
  const everyone = Array.from({ length: parties }, (_, index) => index);
  return new RowForm<Edit>(3, [
    member('op', oneOf(['set', 'delete', 'append'])),
    member('path', path),
    {
      absent: null,
      write: ({ by }) => (by.length === parties ? '0' : JSON.stringify(by)),
      read: (stored, _, edit) => {
        edit.by = stored === 0 ? everyone : (stored as number[]);
      },
    },
    {
      absent: null,
      write: ({ op, path, value }, to) => (op === 'delete' ? null : to.value(value, 'memory', path)),
      read: (stored, _, edit) => {
        if (edit.op !== 'delete') edit.value = stored;
      },
    },
  ]);
}

const edits: Column<StepEntry> = {
  absent: null,
  isFirst: true,
  write: ({ edits, parties }, to) => editsOf(parties.length).write(edits, to),
  read: (stored, from, step) => {
    step.edits = editsOf(step.parties?.length ?? 0).read(stored, from);
  },
};

const editLists: Form<readonly Edit[]>[] = [];
function editsOf(parties: number): Form<readonly Edit[]> {
  const known = editLists[parties] ?? list(edit(parties));
  editLists[parties] = known;
  return known;
}

const started = new RowForm<Started>(5, [
  member('id', name),
  member('src', orZero(name)),
  member('at', orZero(name)),
  member('kind', oneOf(['promise', 'machine', 'other'])),
  {
    absent: null,
    write: ({ id, at, input }, to) => to.value(input, inputPlace(at), [id]),
    read: (stored, _, started) => {
      started.input = stored;
    },
  },
  optional('systemId', name),
]);

/** The members of a step that say what it did to control, and its part in the life of sources. */
type ControlOfStep = Pick<StepEntry, 'moves' | 'looks' | 'ties' | 'source' | 'tells'>;

/** The change that a step made to control, where that does not follow from its parties (C1): 0 stands for the regions of its parties. */
const control = new RowForm<ControlOfStep>(0, [
  optional('moves', list(name), '0'),
  optional('looks', list(name), '[]'),
  optional(
    'ties',
    flat(
      count,
      count,
      ([actor, back]) => [actor, back],
      (actor, back): readonly [number, number] => [actor, back],
    ),
    '[]',
  ),
  optional('source', count, '0'),
  optional('tells', list(count), '[]'),
]);

export const STEP = new RowForm<StepEntry>(
  5,
  [
    member('actor', count),
    member('event', value('event')),
    member('value', named<StepEntry['value']>()),
    member(
      'parties',
      kept(
        flat<Party, Party['instance'], string>(
          instance,
          name,
          ({ instance, region }) => [instance, region],
          (instance, region) => ({ instance, region }),
        ),
      ),
    ),
    edits,
    member('marks', list(kept(mark)), '[]'),
    member('boundaries', list(name), '[]'),
    member('started', list(started), '[]'),
    member('regions', list(name), '[]'),
    member(
      'closed',
      flat<Closed, Closed['instance'], boolean | string>(
        instance,
        plain<boolean | string>(),
        ({ instance, gate, discard }) => [instance, discard ?? gate],
        (instance, how) =>
          typeof how === 'string' ? { instance, gate: false, discard: how } : { instance, gate: how },
      ),
      '[]',
    ),
    member('ended', list(count), '[]'),
    member('remembered', orEmpty(plain<NonNullable<StepEntry['remembered']>>()), '[]'),
    member('done', flag, '[]'),
    member('outside', flag, '[]'),
    {
      absent: '[]',
      write: (step, to) => (isPlain(step) ? '[]' : control.write(unusual(step), to)),
      read: (stored, from, step) => {
        control.readInto(step, stored as unknown[], from);
      },
    },
  ],
  true,
);

/** True for a step that moves the region of its one party and looks at none: the usual one, found without a set. */
function isPlain({ moves, looks = [], ties = [], source, tells, parties, actor }: StepEntry): boolean {
  if (parties.length !== 1 || moves?.length !== 1 || looks.length > 0 || ties.length > 0) return false;
  if (source !== undefined || tells !== undefined) return false;
  return regionName(actor, moves[0] as string) === parties[0]?.region;
}

/** The control of a step, without the moves that are those of its parties and without what is empty. */
function unusual({ moves, looks = [], ties = [], source, tells, parties, actor }: StepEntry): ControlOfStep {
  const usual = new Set(parties.map(({ region }) => region));
  const isUsual =
    moves === undefined || (moves.length === usual.size && moves.every((path) => usual.has(regionName(actor, path))));
  return {
    ...(!isUsual && { moves }),
    ...(looks.length > 0 && { looks }),
    ...(ties.length > 0 && { ties }),
    ...(source !== undefined && { source }),
    ...(tells !== undefined && { tells }),
  };
}
