/**
 * Tells where control goes on after a restore, and which instances it would leave behind (semantics.md §4, C1). It changes
 * nothing.
 */
import type { BoundaryConfig, Skeleton } from '../../boundaries/config.ts';
import type { Aside } from '../../model/decision.ts';
import { type InstanceId, instanceName } from '../../model/instance.ts';
import { split } from '../../model/region.ts';
import type { StateValue } from '../../model/step-entry.ts';
import type { Kept } from '../../projection/rollback.ts';
import type { RunState } from '../../projection/run-state.ts';
import { partOf } from '../../projection/set-aside/records.ts';
import { covers, type Placed } from '../../recording/entry-states.ts';
import type { Cut } from '../../recovery/cut.ts';
import type { Runtime } from '../../runtime/runtime.ts';
import { controlBy } from '../plan/control.ts';
import type { Resume } from '../plan/restore-plan.ts';
import { Undoing } from './undoing.ts';

/** An instance that would stand where the machine does not, and the number of its entry. */
interface Escape {
  readonly instance: InstanceId;
  readonly step: number;
}

/** The control of one run after restores. */
export class Resuming {
  readonly #runState: RunState;
  readonly #config: BoundaryConfig;
  readonly #placed: readonly Placed[];
  readonly #runtime: Pick<Runtime, 'valueWithin'>;

  /** @param placed the places of the config's skeletons in the machine. */
  constructor(
    runState: RunState,
    config: BoundaryConfig,
    placed: readonly Placed[],
    runtime: Pick<Runtime, 'valueWithin'>,
  ) {
    this.#runState = runState;
    this.#config = config;
    this.#placed = placed;
    this.#runtime = runtime;
  }

  /** Where a checkpoint's own state is no place to go on from, the config names one (§4, Separable). */
  resumes(kept: readonly Kept[]): Resume[] {
    const undoing = new Undoing(this.#runState.places);
    undoing.to(kept);
    return this.#resumes(kept, undoing);
  }

  #resumes(kept: readonly Kept[], undoing: Undoing): Resume[] {
    return kept.flatMap(([id, at]): Resume[] => {
      const skeleton = this.#config.skeletons.get(id.skeleton);
      const place = this.#runState.places.of(instanceName(id));
      if (skeleton === undefined || skeleton.rollback.resume === null || at === 0 || place === undefined) return [];
      // Work that is over, and whose end stands, goes on nowhere.
      if (place.closed !== null && !undoing.steps.has(place.closed)) return [];
      const stands = this.#controlAfter(undoing, split(place.region)[0]);
      const value = stands === undefined ? null : this.#resumeValue(skeleton, stands, place.region);
      return value === null ? [] : [{ region: place.region, by: id, value: value as StateValue }];
    });
  }

  /**
   * Lists the instances that would stand where the machine does not: every live instance's region has to be active after a
   * restore.
   * @returns a function that is asked about the cuts of one decision, one after the other.
   */
  escaping(): (cut: Pick<Cut, 'moves' | 'aside'>) => Escape[] {
    const undoing = new Undoing(this.#runState.places);
    return ({ moves, aside }) => {
      const kept = keptOf(
        [...moves].map(([{ id }, { keep }]) => [id, keep?.at ?? 0] as const),
        aside,
      );
      const escapes = this.#escapes(kept, undoing);
      // If several escape, they are reported in the order of their steps in this cut, whatever the earlier cuts were.
      return escapes.length > 1 ? this.#escapes(kept, new Undoing(this.#runState.places)) : escapes;
    };
  }

  #escapes(kept: readonly Kept[], undoing: Undoing): Escape[] {
    const { places, history } = this.#runState;
    undoing.to(kept);
    const { steps: undone } = undoing;
    const resumes = this.#resumes(kept, undoing);
    const limits = new Map(kept.map(([id, at]) => [instanceName(id), at]));
    const concerned = new Set([...limits.keys(), ...this.#runState.live.keys(), ...undoing.closed()]);
    const controls = new Map<number, StateValue | null>();
    return [...concerned].flatMap((name) => {
      const place = places.of(name);
      const isClosed = place?.closed != null && !undone.has(place.closed);
      if (place === undefined || place.root || isClosed || undone.has(place.entered) || limits.get(name) === 0)
        return [];
      const [actor, path] = split(place.region);
      if (!controls.has(actor)) controls.set(actor, this.#standsAfter(undoing, actor));
      const control = controls.get(actor) ?? null;
      const resume = resumes.find(({ region, by }) => region === place.region && instanceName(by) === name);
      const skeleton = this.#config.skeletons.get(place.id.skeleton);
      if (resume !== undefined || skeleton === undefined) return [];
      const prefix = this.#placed.find((placed) => placed.skeleton === skeleton)?.prefix ?? '';
      const active = control === null ? [] : statesOf(partOf(control, path), path);
      if (active.some((state) => covers(skeleton.states, `${prefix}${state}`))) return [];
      return [{ instance: place.id, step: history.registry.get(place.id)?.entry.at ?? 0 }];
    });
  }

  /** The control of an actor after a restore; null where it is not there then. */
  #standsAfter(undoing: Undoing, actor: number): StateValue | null {
    const { steps: undone } = undoing;
    const { by, ended, parent } = this.#runState.actor(actor);
    if (by !== null && undone.has(by)) return null;
    if (ended !== null && !undone.has(ended)) return null;
    if (parent !== null && this.#standsAfter(undoing, parent) === null) return null;
    return this.#controlAfter(undoing, actor) ?? null;
  }

  #controlAfter(undoing: Undoing, actor: number): StateValue | undefined {
    return controlBy(this.#runState, actor, (region) => undoing.lastMover(region, actor));
  }

  #resumeValue(skeleton: Skeleton, value: unknown, region: string): unknown {
    const [, path] = split(region);
    let at = value;
    for (const key of path === '' ? [] : path.split('.'))
      at = typeof at === 'object' && at !== null ? (at as Record<string, unknown>)[key] : undefined;
    const states = statesOf(at, path);
    const prefix = this.#placed.find((placed) => placed.skeleton === skeleton)?.prefix ?? '';
    if (states.some((state) => covers(skeleton.states, `${prefix}${state}`))) return null;
    // A unit with entries in several regions resumes in its own.
    const named = [skeleton.rollback.resume as string, ...skeleton.entry];
    const within = named.flatMap((state) => (state.startsWith(prefix) ? [state.slice(prefix.length)] : []));
    const resume = within.find((state) => path === '' || state.startsWith(`${path}.`));
    if (resume === undefined) return null;
    const inner = path === '' ? resume : resume.slice(path.length + 1);
    return this.#runtime.valueWithin(prefix, path, inner) ?? null;
  }
}

/** The positions that a line keeps, with position 0 for each instance set aside: nothing of it is kept. */
export function keptOf(moves: readonly Kept[], aside: readonly Aside[]): Kept[] {
  return [...moves, ...aside.map(({ instance }): Kept => [instance, 0])];
}

/** The paths of the states of a state value, from a region's path on. */
function statesOf(value: unknown, path: string): string[] {
  const under = (key: string) => (path === '' ? key : `${path}.${key}`);
  if (typeof value === 'string') return [under(value)];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => [under(key), ...statesOf(inner, under(key))]);
}
