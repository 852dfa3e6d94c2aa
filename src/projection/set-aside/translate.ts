/**
 * The steps of a record in the words of now (semantics.md C5): actors and the roots of their regions have other numbers, control stands
 * elsewhere in the regions beside it, and what does not belong to the record is left out.
 */
import type { Place } from '../../history/places.ts';
import type { PlacedStep } from '../../history/step-lists.ts';
import { type InstanceId, instanceName, ROOT } from '../../model/instance.ts';
import { type Region, regionName, split } from '../../model/region.ts';
import { type NamedMark, namedMarks, type StateValue, type StepEntry } from '../../model/step-entry.ts';
import type { ActorState, RecordedStep } from '../state-types.ts';
import { partOf, type WorkRecord } from './records.ts';

/** The ties of a step that is done again, and the marks that it repeats. */
export interface Translation {
  readonly ties: readonly PlacedStep[];
  /** The numbers of the marks that its marks repeat. */
  readonly origins: readonly (number | undefined)[];
}

/** A mark in the words of now, with the number of the one that it repeats. */
interface RepeatedMark extends NamedMark {
  readonly origin: number | undefined;
}

/** The parts of a run that translating reads. */
interface Readable {
  readonly actors: readonly ActorState[];
  actor(number: number): ActorState;
  readonly history: { readonly registry: { get(id: InstanceId): unknown } };
}

/** Translates the steps of one record, in their order. */
export class Translating {
  readonly #record: WorkRecord;
  readonly #run: Readable;
  readonly #actors: Map<number, number>;
  readonly #steps = new Map<PlacedStep, PlacedStep>();
  readonly #last: RecordedStep | undefined;
  readonly #numbers: ReadonlySet<number>;

  constructor(record: WorkRecord, place: Place, run: Readable) {
    this.#record = record;
    this.#run = run;
    this.#actors = new Map([[record.actor, split(place.region)[0]]]);
    // What its entry had started then stands for what its entry has started now.
    const entered = place.entered as RecordedStep;
    for (const [index, old] of (record.entered.entry?.started ?? []).entries()) {
      const now = (entered.entry?.started ?? []).findIndex(({ id, at }) => id === old.id && at === old.at);
      if (now !== -1) this.#actors.set(record.entered.firstStarted + index, entered.firstStarted + now);
    }
    this.#numbers = new Set(this.#actors.values());
    const steps = record.items.flatMap((item) => (item.is === 'step' ? [item.step] : []));
    this.#last = steps.at(-1);
  }

  /** True where an actor that runs now stands for one of the record's. */
  knows(actor: number): boolean {
    return this.#numbers.has(actor);
  }

  /** The actors of the record, each with the one of now that stands for it. */
  get actors(): ReadonlyMap<number, number> {
    return this.#actors;
  }

  /** Notes the step that another one was done again as. */
  done(old: RecordedStep, now: RecordedStep): void {
    this.#steps.set(old, now);
    const started = old.entry?.started ?? [];
    if (old === this.#last) return;
    for (const index of started.keys()) this.#actors.set(old.firstStarted + index, now.firstStarted + index);
  }

  of(step: RecordedStep): { readonly entry: StepEntry; readonly around: Translation } {
    const old = step.entry as StepEntry;
    const actor = this.#actor(old.actor);
    const parties = old.parties.map(({ instance, region }) => ({
      instance: this.instance(instance),
      region: this.#region(region),
    }));
    const marks = this.#withRoots(parties, this.#marks(step, old));
    const own = this.#run.actor(actor);
    const path = split(this.#record.region)[1];
    const entry: StepEntry = {
      ...old,
      actor,
      parties,
      marks: marks.map(({ mark }) => mark),
      regions: marks.flatMap(({ region }) => region ?? []),
      boundaries: marks.flatMap(({ boundary }) => boundary ?? []),
      value:
        old.actor === this.#record.actor ? withPart(own.value, path, partOf(old.value, path) as StateValue) : old.value,
      remembered: Object.keys(step.recalled).length > 0 ? { ...own.remembered, ...step.recalled } : null,
      started: step === this.#last ? [] : old.started,
      closed: old.closed.filter(({ instance }) => this.#record.members.has(instanceName(instance))),
      ended: old.ended.flatMap((number) => this.#actors.get(number) ?? []),
      ...(old.moves === undefined && { moves: old.parties.map(({ region }) => split(region)[1]) }),
      ties: [],
    };
    return { entry: this.#withSources(entry), around: this.#around(step, marks) };
  }

  /** A step with the sources of now in the place of the record's; it tells none that the record does not have. */
  #withSources({ source, tells = [], ...entry }: StepEntry): StepEntry {
    const now = source === undefined ? undefined : this.#actors.get(source);
    const told = tells.flatMap((number) => this.#actors.get(number) ?? []);
    return { ...entry, ...(now !== undefined && { source: now }), ...(told.length > 0 && { tells: told }) };
  }

  #around(step: RecordedStep, marks: readonly RepeatedMark[]): Translation {
    const ties = step.ties.flatMap((tied) => this.#steps.get(tied) ?? []);
    return { ties, origins: marks.map(({ origin }) => origin) };
  }

  /** The marks of a step that are the record's. An instance that is there already is not entered again. */
  #marks(step: RecordedStep, old: StepEntry): readonly RepeatedMark[] {
    let happened = step.act;
    return namedMarks(old).flatMap(({ mark, region, boundary }, index): RepeatedMark[] => {
      const now = this.instance(mark.in);
      if (mark.do !== 'enter') {
        happened += 1;
        const origin = step.origins?.[index] ?? happened;
        return this.#belongs(mark.in, false) ? [{ mark: { ...mark, in: now }, region, boundary, origin }] : [];
      }
      if (!this.#belongs(mark.in, step === this.#last)) return [];
      if (this.#run.history.registry.get(now) !== undefined) return [];
      const by = mark.by === null ? null : this.instance(mark.by);
      return [{ mark: { ...mark, in: now, by }, region: this.#region(region as string), boundary, origin: undefined }];
    });
  }

  /** Marks, after the entries of the roots that take part and are not there yet. */
  #withRoots(parties: StepEntry['parties'], marks: readonly RepeatedMark[]): readonly RepeatedMark[] {
    const all = [...marks];
    for (const { instance, region } of parties) {
      if (instance.skeleton !== ROOT || this.#run.history.registry.get(instance) !== undefined) continue;
      if (all.some(({ mark }) => mark.do === 'enter' && instanceName(mark.in) === instanceName(instance))) continue;
      const mark = { do: 'enter', in: instance, by: null } as const;
      all.unshift({ mark, region, boundary: undefined, origin: undefined });
    }
    return all;
  }

  /** True where a mark is the record's; whom its last step entered is not. */
  #belongs(id: InstanceId, isNext: boolean): boolean {
    return this.#record.members.has(instanceName(id)) && !(isNext && id.skeleton !== ROOT);
  }

  #actor(number: number): number {
    return this.#actors.get(number) ?? number;
  }

  #region(region: Region): Region {
    const [actor, path] = split(region);
    return regionName(this.#actor(actor), path);
  }

  /** An instance of the record as it is called now. */
  instance(id: InstanceId): InstanceId {
    return id.skeleton === ROOT ? { ...id, entity: this.#region(id.entity) } : id;
  }
}

/** A state value with a region's part in its place. A region that is not active has none. */
export function withPart(value: StateValue, path: string, part: StateValue): StateValue {
  if (path === '') return part;
  const [key = '', ...rest] = path.split('.');
  if (typeof value !== 'object' || value[key] === undefined) return value;
  return { ...value, [key]: withPart(value[key], rest.join('.'), part) };
}
