/**
 * Control in a trace (docs/trace-format.md): the steps that read and wrote the control of each region, and what was
 * closed, set aside or cannot be used. A reader derives from these lines what a running machine knows, so its decisions
 * can be computed again (C2).
 */
import type { Effect } from '../model/effect.ts';
import { type InstanceId, instanceName, ROOT } from '../model/instance.ts';
import type { Region } from '../model/region.ts';
import type { Unavailable } from '../model/veto.ts';
import type { History } from './history.ts';
import { Places } from './places.ts';
import type { PlacedStep } from './step-lists.ts';

/** A line of a trace that is no event: it takes no number. */
export type ControlLine =
  /** An actor of the run, by its number: the regions of an invoked machine lie within its parent's. */
  | { readonly do: 'actor'; readonly number: number; readonly parent: number; readonly at: string }
  /**
   * The part of an instance in a step: the version of a region's control that it read, and the version that it wrote.
   */
  | {
      readonly do: 'control';
      readonly step: number;
      readonly in: InstanceId | null;
      readonly region: Region | null;
      readonly wrote: number | null;
      /** Earlier steps that are undone together with this step, and whether the step spawned an actor. */
      readonly with: readonly number[];
      readonly spawns: boolean;
    }
  | { readonly do: 'closed'; readonly in: InstanceId; readonly certified: boolean }
  | { readonly do: 'aside'; readonly in: InstanceId; readonly effects: readonly Omit<Effect, 'instance' | 'at'>[] }
  | {
      readonly do: 'unavailable';
      readonly in: InstanceId;
      /** Names one of its checkpoints, from 0. */
      readonly checkpoint: number;
      readonly why:
        | Unavailable
        | { readonly code: 'replay_escapes_instance'; readonly instance: InstanceId; readonly step: number };
    }
  | { readonly do: 'suspect'; readonly in: InstanceId };

type Writable<T> = { -readonly [K in keyof T]: T[K] };
type Part = Extract<ControlLine, { do: 'control' }>;

/** The lines of one trace that tell of control. */
export class TracedControl {
  readonly places = new Places();
  readonly #history: History;
  readonly #steps = new Map<number, PlacedStep>();
  #entered: { readonly id: InstanceId; readonly region: Region }[] = [];
  #parts: Part[] = [];
  #act = 0;
  #nth = 0;
  /** Further instances that were found wrong, until the next failure. */
  suspects = new Set<string>();
  /** The reasons why checkpoints cannot be used, until the next failure. */
  unavailable: Extract<ControlLine, { do: 'unavailable' }>[] = [];
  /**
   * True once a line has said anything of control. Without one, a trace is answered as if nothing were known of control
   * (§9).
   */
  isKnown = false;

  constructor(history: History) {
    this.#history = history;
  }

  /** Notes where an instance is entered, for the step that follows. */
  enter(id: InstanceId, region: Region | undefined): void {
    this.#finish();
    if (region !== undefined) this.#entered.push({ id, region });
  }

  take(line: ControlLine): void {
    this.isKnown = true;
    switch (line.do) {
      case 'actor':
        while (this.places.actors.length < line.number)
          this.places.actors.push({ parent: null, at: '', started: null });
        this.places.actors[line.number] = { parent: line.parent, at: line.at, started: null };
        break;
      case 'control':
        if (this.#parts[0]?.step !== line.step) {
          this.#finish();
          this.#act = this.#history.head;
        }
        this.#parts.push(line);
        break;
      case 'closed':
        this.#finish();
        this.#close(line.in, line.certified);
        break;
      case 'aside':
        for (const effect of line.effects)
          this.#history.effects.setAside({ ...effect, instance: line.in, at: this.#history.head });
        break;
      case 'unavailable':
        this.unavailable.push(line);
        break;
      case 'suspect':
        this.suspects.add(instanceName(line.in));
        break;
    }
  }

  /** Marks everything said so far as known, because a question follows. */
  settle(): void {
    this.#finish();
  }

  /** Forgets what was said for a question that has been asked. */
  asked(): void {
    this.suspects = new Set();
    this.unavailable = [];
  }

  #finish(): void {
    const [first] = this.#parts;
    if (first === undefined) return;
    const moved = new Set<Region>();
    const looked = new Set<Region>();
    const parties = new Map<string, Region>();
    const ties = new Set<PlacedStep>();
    for (const { region, wrote, in: id, with: tied } of this.#parts) {
      if (region !== null) (wrote === null ? looked : moved).add(region);
      if (id !== null) parties.set(instanceName(id), this.#regionOf(id) ?? region ?? '0:');
      for (const nth of tied) {
        const step = this.#steps.get(nth);
        if (step !== undefined) ties.add(step);
      }
    }
    for (const region of moved) looked.delete(region);
    const step: PlacedStep = {
      nth: this.#nth,
      act: this.#act,
      to: this.#history.head,
      actor: Number((first.region ?? '0:').split(':')[0]),
      parties: [...parties].map(([name, region]) => ({ name, region })),
      moves: [...moved],
      looks: [...looked],
      entered: this.#entered.map(({ id }) => instanceName(id)),
      leads: [],
      owes: 0,
      ties: [...ties],
      spawns: this.#parts.some(({ spawns }) => spawns),
      gone: false,
    };
    this.#nth += 1;
    this.#steps.set(first.step, step);
    this.places.add(step);
    for (const { id, region } of this.#entered) this.places.enter(id, region, id.skeleton === ROOT, step);
    this.#entered = [];
    this.#parts = [];
  }

  #regionOf(id: InstanceId): Region | undefined {
    const entered = this.#entered.find((each) => instanceName(each.id) === instanceName(id));
    return entered?.region ?? this.places.of(instanceName(id))?.region;
  }

  #close(id: InstanceId, certified: boolean): void {
    const place = this.places.of(instanceName(id));
    const last = this.places.steps.last;
    if (place === undefined || last === undefined) return;
    place.closed = last;
    place.certified = certified;
    (last as Writable<PlacedStep>).to = this.#history.head;
  }
}
