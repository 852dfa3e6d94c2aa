/**
 * Entries as rows of the journal and back. What happens often is laid out as an array, with what repeats called by number
 * (states, instances, keys, paths); the rest is an object. Values go through the codec; one that has no text is left out, and
 * said to be (semantics.md §3).
 */

import { ActorReference, isReference } from '../model/actor-reference.ts';
import { EFFECT_CLASSES, EFFECT_STATUSES } from '../model/effect.ts';
import type { Edit, Entry, IntentEntry, OutcomeEntry, Started, StepEntry } from '../model/entry.ts';
import type { HistoryEvent } from '../model/event.ts';
import type { InstanceId } from '../model/instance.ts';
import { parseKey } from '../model/key.ts';
import { regionName } from '../model/region.ts';
import { type Encoded, type EncodeOptions, encode, revive, type Unencodable } from './codec.ts';
import { JournalError, type Row, type StoredRow } from './journal.ts';
import { NAME_KIND, Names } from './names.ts';
import { Coded, type ValueCodec } from './value-codec.ts';

/** The kinds of rows; a kind is never given another meaning. */
const KINDS = [
  'name',
  'begin',
  'config',
  'step',
  'intent',
  'outcome',
  'timer',
  'decision',
  'phase',
  'restored',
  'passed',
  'late',
  'finding',
  'end',
  'leave',
  'demoted',
  'asked',
  'gate',
  'answer',
  'publish',
  'spend',
  'claimed',
  'dismissed',
  'withdrawn',
  'position',
  'retracted',
] as const;
const EDITS = ['set', 'delete', 'append'] as const;
const MARKS = ['enter', 'read', 'write', 'boundary'] as const;
const MODES = ['update', 'blind', 'append'] as const;
const BOUNDARIES = ['commit', 'exit', 'outcome'] as const;
const ACTORS = ['promise', 'machine', 'other'] as const;
const HELD = ['gate', 'buffer'] as const;

/** The format that this code writes, and the newest that it reads (style.md 13). */
export const FORMAT = 4;

/** The longest name that is worth a number. */
const LONGEST_NAME = 200;

/** A value that no journal holds: what it belongs to, where in it, and why. */
export interface Lost {
  readonly of: 'event' | 'memory' | 'input' | 'output';
  readonly path: readonly string[];
  readonly reason: Unencodable;
}

/** The place in a value of the first part that no journal holds, and the reason; null where all of it can be written. */
export function lostIn(value: unknown, at: readonly string[], codecs: readonly ValueCodec[]): Omit<Lost, 'of'> | null {
  const encoded = encode(value, { ...options, codecs });
  return 'text' in encoded ? null : { path: [...at, ...encoded.path], reason: encoded.reason };
}

/** Says what was lost, with its place. */
export function lostText({ of, path, reason }: Lost): string {
  return `${of} ${path.join('/') || '(whole)'} cannot be journaled: ${reason.replaceAll('_', ' ')}`;
}

/** Stands for a value that was lost. */
class Missing {
  readonly path: string;

  constructor(path: string) {
    this.path = path;
  }
}

const LOST_ID = '\u0000lost:';
const options = {
  reference: (value: object) =>
    value instanceof Missing ? `${LOST_ID}${value.path}` : isReference(value) ? value.id : null,
};

/** Lays entries out, for the writer of a run. */
export class EntryEncoder {
  readonly #names: Names;
  readonly #instances = new WeakMap<InstanceId, number | string>();
  readonly #codecs: readonly ValueCodec[];
  readonly #options: EncodeOptions;

  constructor(names = new Names(), codecs: readonly ValueCodec[] = []) {
    this.#names = names;
    this.#codecs = codecs;
    this.#options = { ...options, codecs };
  }

  /** The rows of an entry, those of its new names first. `lost` is told what could not be written. */
  rows(entry: Entry, lost: (what: Lost) => void): Row[] {
    const kind = KINDS.indexOf(entry.do);
    let encoded = this.#text(entry);
    if (!('text' in encoded)) encoded = this.#text(this.#without(entry, lost));
    if (!('text' in encoded)) {
      throw new JournalError(
        'journal_cannot_write',
        `an entry ("${entry.do}") has no text: ${encoded.reason} at ${encoded.path.join('.')}`,
      );
    }
    return [...this.#names.take(), { kind, body: encoded.text }];
  }

  #name(text: string): number | string {
    if (text.length > LONGEST_NAME) return text;
    try {
      return this.#names.id(text);
    } catch (error) {
      if (error instanceof JournalError) return text;
      throw error;
    }
  }

  #instance(id: InstanceId): number | string {
    const known = this.#instances.get(id);
    if (known !== undefined) return known;
    const { skeleton, entity, ordinal } = id;
    const name = this.#name(JSON.stringify([skeleton, entity, ordinal]));
    this.#instances.set(id, name);
    return name;
  }

  #text(entry: Entry): Encoded {
    return entry.do === 'step' ? this.#step(entry) : encode(this.#body(entry), this.#options);
  }

  #body(entry: Exclude<Entry, StepEntry>): unknown {
    switch (entry.do) {
      case 'intent': {
        const said = [
          entry.key,
          entry.actor,
          this.#name(entry.tool),
          this.#instance(entry.instance),
          EFFECT_CLASSES.indexOf(entry.class),
          entry.undo,
          entry.digest,
          entry.args,
        ];
        const held = entry.held === undefined ? -1 : HELD.indexOf(entry.held);
        if (entry.keyedAs !== undefined) return [...said, held, entry.keyedAs];
        return held === -1 ? said : [...said, held];
      }
      case 'outcome': {
        const said = [entry.key, EFFECT_STATUSES.indexOf(entry.status), entry.error ?? 0];
        return 'output' in entry ? [...said, entry.output] : said;
      }
      default: {
        const { do: _, ...rest } = entry;
        return rest;
      }
    }
  }

  /** The text of a step: its values through the codec, the rest, which is numbers and names, as JSON has it. */
  #step(entry: StepEntry): Encoded {
    const event = encode(entry.event, this.#options);
    if (!('text' in event)) return event;
    let edits = '';
    for (const edit of entry.edits) {
      const encoded = this.#edit(edit, entry.parties.length);
      if (!('text' in encoded)) return encoded;
      edits += edits === '' ? encoded.text : `,${encoded.text}`;
    }
    const value = JSON.stringify(this.#name(JSON.stringify(entry.value)));
    const parties = entry.parties.flatMap(({ instance, region }) => [this.#instance(instance), this.#name(region)]);
    const rest = this.#rest(entry);
    const tail = entry.started.length === 0 ? { text: JSON.stringify(rest) } : encode(rest, this.#options);
    if (!('text' in tail)) return tail;
    const more = rest.length === 0 ? ']' : `,${tail.text.slice(1)}`;
    return { text: `[${entry.actor},${event.text},${value},${JSON.stringify(parties)},[${edits}]${more}` };
  }

  #rest(entry: StepEntry): unknown[] {
    const whole = [
      entry.marks.map((mark) => this.#mark(mark)),
      entry.boundaries.map((id) => this.#name(id)),
      entry.started.map(({ id, src, at, kind, input }) => [
        this.#name(id),
        src === null ? 0 : [this.#name(src)],
        at === null ? 0 : [this.#name(at)],
        ACTORS.indexOf(kind),
        input,
      ]),
      entry.regions.map((region) => this.#name(region)),
      entry.closed.flatMap(({ instance, gate }) => [this.#instance(instance), gate]),
      entry.ended,
      [],
      entry.remembered === null ? [] : [entry.remembered],
      entry.done ? [1] : [],
      entry.outside ? [1] : [],
      this.#control(entry),
    ];
    return trimmed(whole);
  }

  /** The change that a step made to control, where it does not follow from its parties (C1). */
  #control({ moves, looks = [], ties = [], parties, actor }: StepEntry): unknown[] {
    const [party] = parties;
    const isPlain = parties.length === 1 && moves?.length === 1 && looks.length === 0 && ties.length === 0;
    if (isPlain && regionName(actor, moves[0] as string) === party?.region) return [];
    const usual = new Set(parties.map(({ region }) => region));
    const isUsual =
      moves === undefined || (moves.length === usual.size && moves.every((path) => usual.has(regionName(actor, path))));
    if (isUsual && looks.length === 0 && ties.length === 0) return [];
    const named = (paths: readonly string[]) => paths.map((path) => this.#name(path));
    return trimmed([isUsual ? 0 : named(moves), named(looks), ties.flat()]);
  }

  #edit({ op, path, value, by }: Edit, parties: number): Encoded {
    const head = JSON.stringify([EDITS.indexOf(op), this.#name(JSON.stringify(path)), by.length === parties ? 0 : by]);
    if (op === 'delete') return { text: head };
    const encoded = encode(value, this.#options);
    return 'text' in encoded ? { text: `${head.slice(0, -1)},${encoded.text}]` } : encoded;
  }

  #mark(mark: HistoryEvent): unknown[] {
    const kind = MARKS.indexOf(mark.do as (typeof MARKS)[number]);
    const instance = this.#instance(mark.in);
    switch (mark.do) {
      case 'enter':
        return mark.by === null ? [kind, instance] : [kind, instance, this.#instance(mark.by)];
      case 'read':
        return [kind, instance, this.#name(mark.key.text)];
      case 'write':
        return [kind, instance, this.#name(mark.key.text), MODES.indexOf(mark.mode)];
      case 'boundary':
        return [kind, instance, BOUNDARIES.indexOf(mark.kind)];
      case 'effect':
        throw new Error('an effect is an entry of its own');
    }
  }

  /** The entry without what has no text, each such place named. */
  #without(entry: Entry, lost: (what: Lost) => void): Entry {
    const kept = (value: unknown, of: Lost['of'], at: readonly string[]): unknown => {
      const what = lostIn(value, at, this.#codecs);
      if (what === null) return value;
      lost({ of, ...what });
      return new Missing(what.path.join('/'));
    };
    switch (entry.do) {
      case 'step': {
        const { type } = entry.event as { type: string };
        const event = kept(entry.event, 'event', []);
        return {
          ...entry,
          event: event === entry.event ? event : { type },
          edits: entry.edits.map((edit) =>
            'value' in edit ? { ...edit, value: kept(edit.value, 'memory', edit.path) } : edit,
          ),
          started: entry.started.map((started) => ({ ...started, input: kept(started.input, 'input', [started.id]) })),
        };
      }
      case 'intent':
        // The step that started its actor has said what of this no journal holds.
        return { ...entry, args: undefined };
      case 'outcome':
        return 'output' in entry ? { ...entry, output: kept(entry.output, 'output', []) } : entry;
      case 'timer':
        return { ...entry, event: { type: (entry.event as { type: string }).type } };
      default:
        return entry;
    }
  }
}

/** Without what is empty at its end. */
function trimmed(whole: unknown[]): unknown[] {
  while (Array.isArray(whole.at(-1)) && (whole.at(-1) as unknown[]).length === 0) whole.pop();
  return whole;
}

/** The kind of a row's entry, without decoding it; null for rows that only define names, and for unknown kinds. */
export function kindOf({ kind }: StoredRow): Entry['do'] | null {
  const name = KINDS[kind];
  return name === undefined || name === 'name' ? null : name;
}

/** Reads rows back, for whoever opens a run. */
export class EntryDecoder {
  readonly names = new Names();
  /** Places in the context whose values no journal could hold. */
  readonly missing = new Set<string>();
  /** The names of codecs that values were written with, and that are not at hand. */
  readonly unregistered = new Set<string>();
  readonly #codecs: readonly ValueCodec[];

  constructor(codecs: readonly ValueCodec[] = []) {
    this.#codecs = codecs;
  }

  /**
   * The entry of a row; null for the rows that only name things.
   * @throws JournalError `journal_corrupt`, `journal_too_new`.
   */
  entry(row: StoredRow): Entry | null {
    if (row.kind === NAME_KIND) {
      this.names.learn(row);
      return null;
    }
    const name = KINDS[row.kind];
    if (name === undefined || name === 'name') throw this.#corrupt(row, 'is of no kind that this version knows');
    try {
      const body = revive(JSON.parse(row.body), {
        resolve: (id) => this.#resolve(id),
        decode: (codec, form) => this.#decode(codec, form),
      });
      const entry = this.#entry(name, body as unknown[]);
      if (entry.do !== 'begin' || entry.format <= FORMAT) return entry;
      const newer = `the run was written in format ${entry.format}, and this version reads up to ${FORMAT}`;
      throw new JournalError('journal_too_new', `${newer}: use the newer Belay.`);
    } catch (error) {
      if (error instanceof JournalError) throw error;
      throw this.#corrupt(row, error instanceof Error ? error.message : 'cannot be read');
    }
  }

  #corrupt(row: StoredRow, why: string): JournalError {
    return new JournalError('journal_corrupt', `row ${row.seq} ${why}`);
  }

  #resolve(id: string): unknown {
    if (!id.startsWith(LOST_ID)) return new ActorReference(id);
    this.missing.add(id.slice(LOST_ID.length));
    return undefined;
  }

  #decode(name: string, form: unknown): unknown {
    const codec = this.#codecs.find((each) => each.name === name);
    if (codec !== undefined) return codec.decode(form as never);
    this.unregistered.add(name);
    return new Coded(name, form);
  }

  #text(name: unknown): string {
    if (typeof name === 'string') return name;
    return this.names.text(name as number);
  }

  #instance(name: unknown): InstanceId {
    const [skeleton, entity, ordinal] = JSON.parse(this.#text(name)) as [string, string, number];
    return { skeleton, entity, ordinal };
  }

  #entry(kind: Exclude<(typeof KINDS)[number], 'name'>, body: unknown[]): Entry {
    switch (kind) {
      case 'step':
        return this.#step(body);
      case 'intent':
        return this.#intent(body);
      case 'outcome':
        return outcome(body);
      default:
        return { do: kind, ...(body as object) } as Entry;
    }
  }

  #intent([key, actor, tool, instance, kind, undo, digest, ...more]: unknown[]): IntentEntry {
    const [args, held, keyedAs] = more;
    return {
      do: 'intent',
      key: key as string,
      actor: actor as number,
      tool: this.#text(tool),
      instance: this.#instance(instance),
      class: EFFECT_CLASSES[kind as number] as IntentEntry['class'],
      undo: undo as boolean,
      digest: digest as string,
      ...(more.length > 0 && { args }),
      ...(held !== undefined && held !== -1 && { held: HELD[held as number] as 'gate' | 'buffer' }),
      ...(keyedAs !== undefined && { keyedAs: keyedAs as string }),
    };
  }

  #step(body: unknown[]): StepEntry {
    const list = (index: number) => (body[index] ?? []) as unknown[];
    const parties = pairs(list(3)).map(([instance, region]) => ({
      instance: this.#instance(instance),
      region: this.#text(region),
    }));
    const everyone = parties.map((_, index) => index);
    return {
      do: 'step',
      actor: body[0] as number,
      event: body[1],
      value: JSON.parse(this.#text(body[2])),
      parties,
      edits: list(4).map((edit) => this.#edit(edit as unknown[], everyone)),
      marks: list(5).map((mark) => this.#mark(mark as unknown[])),
      boundaries: list(6).map((id) => this.#text(id)),
      started: list(7).map((started) => this.#started(started as unknown[])),
      regions: list(8).map((region) => this.#text(region)),
      closed: pairs(list(9)).map(([instance, gate]) => ({ instance: this.#instance(instance), gate: gate as boolean })),
      ended: list(10) as number[],
      remembered: (list(12)[0] ?? null) as StepEntry['remembered'],
      done: list(13).length > 0,
      outside: list(14).length > 0,
      ...this.#controlOf(list(15)),
    };
  }

  #controlOf([moves, looks = [], ties = []]: unknown[]): Pick<StepEntry, 'moves' | 'looks' | 'ties'> {
    const texts = (names: unknown) => (names as unknown[]).map((name) => this.#text(name));
    return {
      ...(Array.isArray(moves) && { moves: texts(moves) }),
      ...((looks as unknown[]).length > 0 && { looks: texts(looks) }),
      ...((ties as unknown[]).length > 0 && { ties: pairs(ties as unknown[]) as [number, number][] }),
    };
  }

  #edit([op, at, who, value]: unknown[], everyone: readonly number[]): Edit {
    const path = JSON.parse(this.#text(at)) as string[];
    const by = who === 0 ? everyone : (who as number[]);
    const name = EDITS[op as number] as Edit['op'];
    return name === 'delete' ? { op: name, path, by } : { op: name, path, by, value };
  }

  #started([id, src, at, kind, input]: unknown[]): Started {
    const text = (name: unknown) => (name === 0 ? null : this.#text((name as unknown[])[0]));
    return { id: this.#text(id), src: text(src), at: text(at), kind: ACTORS[kind as number] as Started['kind'], input };
  }

  #mark([kind, instance, third, mode]: unknown[]): HistoryEvent {
    const who = this.#instance(instance);
    switch (MARKS[kind as number]) {
      case 'enter':
        return { do: 'enter', in: who, by: third === undefined ? null : this.#instance(third) };
      case 'read':
        return { do: 'read', in: who, key: parseKey(this.#text(third)) };
      case 'write':
        return { do: 'write', in: who, key: parseKey(this.#text(third)), mode: MODES[mode as number] as 'update' };
      case 'boundary':
        return { do: 'boundary', in: who, kind: BOUNDARIES[third as number] as 'commit' };
      default:
        throw new Error('has a mark of no kind');
    }
  }
}

function outcome([key, status, error, ...output]: unknown[]): OutcomeEntry {
  return {
    do: 'outcome',
    key: key as string,
    status: EFFECT_STATUSES[status as number] as OutcomeEntry['status'],
    ...(error !== 0 && { error: error as string }),
    ...(output.length > 0 && { output: output[0] }),
  };
}

function pairs(list: readonly unknown[]): [unknown, unknown][] {
  const found: [unknown, unknown][] = [];
  for (let index = 0; index < list.length; index += 2) found.push([list[index], list[index + 1]]);
  return found;
}
