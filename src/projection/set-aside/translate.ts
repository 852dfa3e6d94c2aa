/**
 * The steps of a record in the words of now (semantics.md C5): actors and the roots of their regions have other numbers, control stands
 * elsewhere in the regions beside it, and what does not belong to the record is left out.
 */
import type { Place, PlacedStep } from '../../history/places.ts';
import type { HistoryEvent } from '../../model/event.ts';
import { type InstanceId, instanceName, ROOT } from '../../model/instance.ts';
import { type Region, regionName, split } from '../../model/region.ts';
import type { StateValue, StepEntry } from '../../model/step-entry.ts';
import type { ActorState, RecordedStep } from '../state-types.ts';
import { partOf, type WorkRecord } from './records.ts';

/** What a step that is done again has besides its words. */
export interface Translation {
  readonly ties: readonly PlacedStep[];
  /** The numbers of the marks that its marks repeat. */
  readonly origins: readonly (number | undefined)[];
}

/** What translating reads of a run. */
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

  /** Whether an actor that runs now stands for one of the record's. */
  knows(actor: number): boolean {
    return this.#numbers.has(actor);
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
    const isLast = step === this.#last;
    const marks: HistoryEvent[] = [];
    const regions: string[] = [];
    const boundaries: string[] = [];
    const origins: (number | undefined)[] = [];
    let happened = step.act;
    let enters = 0;
    let certified = 0;
    for (const [index, mark] of old.marks.entries()) {
      if (mark.do !== 'enter') happened += 1;
      const region = mark.do === 'enter' ? old.regions[enters++] : undefined;
      const boundary = mark.do === 'boundary' ? old.boundaries[certified++] : undefined;
      if (!this.#belongs(mark.in, isLast && mark.do === 'enter')) continue;
      const now = { ...mark, in: this.instance(mark.in) };
      if (now.do === 'enter') {
        if (this.#run.history.registry.get(now.in) !== undefined) continue;
        regions.push(this.#region(region as string));
      }
      if (boundary !== undefined) boundaries.push(boundary);
      origins.push(mark.do === 'enter' ? undefined : (step.origins?.[index] ?? happened));
      marks.push(now.do === 'enter' ? { ...now, by: now.by === null ? null : this.instance(now.by) } : now);
    }
    const parties = old.parties.map(({ instance, region }) => ({
      instance: this.instance(instance),
      region: this.#region(region),
    }));
    this.#enterRoots(parties, marks, regions, origins);
    const own = this.#run.actor(actor);
    const path = split(this.#record.region)[1];
    const entry: StepEntry = {
      ...old,
      actor,
      parties,
      marks,
      regions,
      boundaries,
      value:
        old.actor === this.#record.actor ? withPart(own.value, path, partOf(old.value, path) as StateValue) : old.value,
      remembered: Object.keys(step.recalled).length > 0 ? { ...own.remembered, ...step.recalled } : null,
      started: isLast ? [] : old.started,
      closed: old.closed.filter(({ instance }) => this.#record.members.has(instanceName(instance))),
      ended: old.ended.flatMap((number) => this.#actors.get(number) ?? []),
      ...(old.moves === undefined && { moves: old.parties.map(({ region }) => split(region)[1]) }),
      ties: [],
    };
    return { entry, around: { ties: step.ties.flatMap((tied) => this.#steps.get(tied) ?? []), origins } };
  }

  #enterRoots(
    parties: StepEntry['parties'],
    marks: HistoryEvent[],
    regions: string[],
    origins: (number | undefined)[],
  ): void {
    for (const { instance, region } of parties) {
      if (instance.skeleton !== ROOT || this.#run.history.registry.get(instance) !== undefined) continue;
      if (marks.some((mark) => mark.do === 'enter' && instanceName(mark.in) === instanceName(instance))) continue;
      marks.unshift({ do: 'enter', in: instance, by: null });
      regions.unshift(region);
      origins.unshift(undefined);
    }
  }

  /** Whether a mark is the record's; whom its last step entered is not. */
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
