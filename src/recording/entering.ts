/**
 * The instances that take part in a microstep, and the instances that begin and end with it. Instances are entered at
 * the entry states of their skeletons, and left when control leaves the states (semantics.md K2, §4).
 */
import type { Skeleton } from '../boundaries/config.ts';
import type { HistoryEvent } from '../model/event.ts';
import { hasVersion } from '../model/external-keys.ts';
import { type InstanceId, instanceName, ROOT } from '../model/instance.ts';
import { type Region, regionName, split } from '../model/region.ts';
import type { Party } from '../model/step-entry.ts';
import type { Live } from '../projection/state-types.ts';
import type { Microstep, Place } from '../runtime/microstep.ts';
import { covers, isWithin, liesIn, type Placed } from './entry-states.ts';
import type { Entry } from './planned.ts';
import type { StepView } from './step-view.ts';

/** The longest entity that names an instance, in characters. */
const LONGEST_ENTITY = 1024;

/** The parties of a microstep, and the instances that come and go with it. */
export class Entering {
  readonly parties: readonly Party[];
  /** The names of the instances that it leaves. */
  readonly leaving = new Set<string>();
  readonly entered: Live[] = [];
  /** The instances that it enters for the first time ever: no occurrence there was undone or set aside (C5, C8). */
  readonly fresh: InstanceId[] = [];
  readonly enters: HistoryEvent[] = [];
  /** Where those are entered, in their order. */
  readonly regions: Region[] = [];
  readonly #view: StepView;

  constructor(view: StepView) {
    this.#view = view;
    this.parties = this.#parties();
    // The root of a region owns the calls outside every skeleton there, whether it had a part in a step or not.
    for (const path of view.seen.moves) this.#root(regionName(view.actor, path));
    this.#enterAll(this.parties, this.leaving);
  }

  /** The parties: the live instances whose states the transitions leave from or leave behind, else the roots of the regions. */
  #parties(): Party[] {
    const { before, sources, entered } = this.#view.seen;
    const parties = new Map<string, Party>();
    const add = (instance: InstanceId, region: Region) => parties.set(instanceName(instance), { instance, region });
    if (before === null) {
      const region = regionName(this.#view.actor, '');
      add(this.#root(region), region);
      // Starting a child machine is an act of the instance in whose state it is invoked (C1).
      const starter = this.#invoker();
      if (starter !== null) add(starter.id, starter.region);
      return [...parties.values()];
    }
    for (const source of sources) {
      const owners = this.#view.here.filter(({ live, placed }) => {
        const touched = [
          source,
          ...before.filter((place) => isWithin(place.path, source.path) && leftBy(place, this.#view.seen, entered)),
        ];
        return (
          live.region !== '' &&
          touched.some((place) => covers(placed.skeleton.states, place.path) && liesIn(live, place))
        );
      });
      for (const { live } of owners) add(live.id, live.region);
      if (owners.length > 0) continue;
      const region = regionName(this.#view.actor, source.region);
      add(this.#root(region), region);
    }
    // A state that is entered for a unit alive in another region is a step of that unit, too: undoing the step takes
    // the unit's call there with it.
    for (const { live, placed } of this.#view.here)
      if (entered.some((place) => covers(placed.skeleton.states, place.path) && liesIn(live, place)))
        add(live.id, live.region);
    if (parties.size === 0) {
      const region = regionName(this.#view.actor, '');
      add(this.#root(region), region);
    }
    return [...parties.values()];
  }

  /** The root of a region, entered the first time that it has a part in a step. */
  #root(region: Region): InstanceId {
    const known = this.#view.runState.places.rootOf(region);
    if (known !== undefined) return known;
    const id = { skeleton: ROOT, entity: region, ordinal: 0 };
    if (!this.regions.includes(region)) {
      this.enters.push({ do: 'enter', in: id, by: null });
      this.regions.push(region);
    }
    return id;
  }

  #enterAll(parties: readonly Party[], leaving: Set<string>): void {
    const { after } = this.#view.seen;
    const here = this.#view.here;
    for (const { live, placed } of here) {
      if (!after.some((place) => covers(placed.skeleton.states, place.path) && liesIn(live, place)))
        leaving.add(instanceName(live.id));
    }
    for (const placed of this.#view.placed) {
      for (const at of this.#entriesOf(placed)) this.#enterAt(placed, at, parties, leaving);
    }
  }

  #enterAt(placed: Placed, at: Place, parties: readonly Party[], leaving: Set<string>): void {
    const { skeleton } = placed;
    const value = skeleton.entity.evaluate(this.#view.facts(at.path, null));
    if ('reason' in value || value.value.length > LONGEST_ENTITY) {
      const reason = 'reason' in value ? value.reason : `it has more than ${LONGEST_ENTITY} characters`;
      this.#view.find(
        'entity_unknown',
        null,
        `${skeleton.name} begins at ${at.path}, and whose work it is is not known: ${reason}`,
      );
      return;
    }
    const region = this.#regionOf(placed, at);
    const same = this.#sameAs(placed, region);
    if (same !== undefined && same.id.entity === value.value) return;
    if (same !== undefined) leaving.add(instanceName(same.id));
    this.#enter(placed, region, value.value, parties, leaving);
  }

  /** The entry states of a skeleton that the step enters: the first, or the first of each region where each has a unit of its own. */
  #entriesOf(placed: Placed): Place[] {
    const { entered } = this.#view.seen;
    const found = entered.filter(
      ({ path, prefix = '' }) => placed.skeleton.entry.includes(path) && placed.prefix === prefix,
    );
    if (!placed.lanes) return found.slice(0, 1);
    return found.filter((at, index) => !found.slice(0, index).some((before) => isWithin(at.region, before.region)));
  }

  #regionOf(placed: Placed, at: Place): Region {
    return regionName(this.#view.actor, placed.lanes ? at.region : placed.region);
  }

  /** The live instance of a skeleton that a step would enter again, were its entity the same. */
  #sameAs({ skeleton, lanes }: Placed, region: Region): Live | undefined {
    const isSame = ({ id, region: own }: Live) =>
      id.skeleton === skeleton.name &&
      (!lanes || isWithin(split(region)[1], split(own)[1])) &&
      !this.leaving.has(instanceName(id));
    return this.#view.here.find(({ live }) => isSame(live))?.live;
  }

  /**
   * The entries of a step that entered no instance: while the live instances have the same entities, the step enters
   * none again.
   */
  plan(): Entry[] {
    return this.#view.placed.flatMap((placed) => {
      return this.#entriesOf(placed).flatMap((at) => {
        const same = this.#sameAs(placed, this.#regionOf(placed, at));
        if (same === undefined) return [];
        return [{ entity: same.id.entity, evaluate: placed.skeleton.entity.evaluate, state: at.path }];
      });
    });
  }

  #enter(
    placed: Placed,
    region: Region,
    entity: string,
    parties: readonly Party[],
    leaving: ReadonlySet<string>,
  ): void {
    const skeleton = placed.skeleton.name;
    const taken = new Set(
      this.entered.flatMap((live) =>
        live.id.skeleton === skeleton && live.id.entity === entity ? [live.id.ordinal] : [],
      ),
    );
    const { runState } = this.#view;
    const { id, isNew } = runState.occurrences.next(skeleton, entity, runState.family.structureOf(region), taken);
    if (isNew) this.fresh.push(id);
    this.enters.push({ do: 'enter', in: id, by: this.#starter(parties, leaving) });
    this.regions.push(region);
    this.entered.push({ id, region, certified: new Set(), told: new Set(), stray: null });
    this.#view.begins({ id, region });
    this.#missingInputs(placed.skeleton, id);
  }

  /**
   * The live instance whose act the start is: it took part and goes on, or it invoked the machine whose first step this is (K6).
   */
  #starter(parties: readonly Party[], leaving: ReadonlySet<string>): InstanceId | null {
    const stays = parties.find(({ instance }) => instance.skeleton !== ROOT && !leaving.has(instanceName(instance)));
    if (stays !== undefined) return stays.instance;
    return this.#view.seen.before !== null ? null : (this.#invoker()?.id ?? null);
  }

  /** The live instance in whose state the machine is invoked that takes this step. */
  #invoker(): Live | null {
    const { region } = this.#view.runState.actor(this.#view.actor);
    return region === null ? null : (this.#view.runState.ownerOf(region, this.#view.placed) ?? null);
  }

  #missingInputs(skeleton: Skeleton, id: InstanceId): void {
    for (const template of skeleton.required) {
      const key = template.fill(this.#view.factsFor(id));
      if (!hasVersion(this.#view.seen.context, key)) {
        this.#view.find(
          'missing_input',
          id,
          `nothing that is kept has written ${key.text}, which ${skeleton.name} requires`,
        );
      }
    }
  }
}

function leftBy(place: Place, seen: Microstep, entered: readonly Place[]): boolean {
  return !seen.after.includes(place) || entered.includes(place);
}
