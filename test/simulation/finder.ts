/** Finds wrong values: it complains about a value only once it has seen it in a context, and names the instance that made the call. */
import type { InstanceId } from 'belay-sidecar';
import type { Sidecar } from 'belay-sidecar/xstate';
import { type Memory, type Place, Places } from './places.ts';
import { type Block, type Fault, inner, type Scenario, type Site } from './scenario.ts';
import { sleep, type World } from './world.ts';

type Wrong = Extract<Fault, { fault: 'wrong' }>;

/** What the finder needs of a run. */
interface Watched {
  readonly world: World;
  readonly instances: ReadonlyMap<Site, InstanceId>;
  readonly sidecar: Sidecar | null;
  readonly isUp: boolean;
  tell(text: string): void;
}

/** What a complaint about a site can say. */
interface Complaint {
  readonly key: string;
  /** The key as a complaint names it; null in child machines, whose keys have no names outside. */
  readonly name: string | null;
  /** The unit that asked. */
  readonly unit: string;
  /** True where the instance alone says which write is meant: nothing of it lies after that write. */
  readonly isLast: boolean;
}

interface Search {
  readonly fault: Wrong;
  /** What can be said, the act's own state first. */
  readonly complaints: readonly Complaint[];
  /** How many calls there were when the value was first seen. */
  seenAt: number | null;
  isOver: boolean;
}

export class Finder {
  /** Sites about which a complaint was refused. */
  readonly refused = new Set<Site>();
  /** Sites about which a complaint was made of which nobody knows yet whether it was taken. */
  readonly unheard = new Set<Site>();
  readonly #searches: Search[];
  readonly #course: Watched;
  readonly #faults: readonly Fault[];
  /** Where the last unit makes its last call; null where it does something else. */
  readonly #last: string | null;

  constructor(scenario: Scenario, course: Watched) {
    this.#course = course;
    this.#faults = scenario.faults;
    const end = scenario.body.at(-1);
    const last = end?.block === 'unit' ? end.steps.at(-1) : undefined;
    this.#last = last?.step === 'call' ? last.at : null;
    this.#searches = scenario.faults.flatMap((fault) => {
      if (fault.fault !== 'wrong') return [];
      // What cannot be named is never complained about: then the wrong value stays right for the judge.
      const complaints = complaintsOf(scenario, fault.site);
      if (complaints.length === 0 || complaints.some(({ name, isLast }) => name === null && !isLast)) return [];
      return [{ fault, complaints, seenAt: null, isOver: false }];
    });
  }

  /** Takes over what earlier processes have complained about: what nobody had heard is complained about again, if it is to be seen. */
  restore(refused: readonly Site[], unheard: readonly Site[]): void {
    for (const site of [...refused, ...unheard]) this.refused.add(site);
    for (const search of this.#searches)
      search.isOver = this.#course.world.found.has(search.fault.site) && !unheard.includes(search.fault.site);
  }

  /** Takes in the context of any machine of the run. */
  sees(context: unknown): void {
    for (const search of this.#searches) {
      if (search.seenAt !== null || search.isOver || !this.#isWrong(context, search)) continue;
      search.seenAt = this.#course.world.calls.length;
      this.#course.tell(`${search.fault.site} is seen to be wrong`);
    }
  }

  /** Looks whether it is time to complain. @param quiet for how many looks nothing has moved. */
  look(quiet: number): void {
    for (const search of this.#searches) {
      if (search.seenAt === null || search.isOver) continue;
      const isEarly = this.#course.world.calls.length < search.seenAt + search.fault.calls;
      // Where the machine goes another way than it was drawn for, its last call is the last moment.
      if (quiet < 10 && isEarly && !this.#isAtLast()) continue;
      search.isOver = true;
      void this.#complain(search);
    }
  }

  #isAtLast(): boolean {
    return this.#last !== null && this.#course.world.busy.some((site) => site.startsWith(`${this.#last} `));
  }

  /** A call begins: complaints that wait for it are made while it is in flight. */
  onCall(): void {
    queueMicrotask(() => {
      if (this.#course.isUp) this.look(0);
    });
    for (const fault of this.#faults) {
      if (
        fault.fault !== 'misspelt' ||
        this.#course.world.fired.has(fault) ||
        this.#course.world.calls.length < fault.calls
      )
        continue;
      const instance = this.#course.instances.get(fault.site);
      if (instance === undefined) continue;
      this.#course.world.fired.add(fault);
      setTimeout(() => void this.#misspell(instance, fault.what), 1);
    }
  }

  async #complain(search: Search): Promise<void> {
    const { fault, complaints } = search;
    const { site, ms, named, twice } = fault;
    await sleep(ms);
    const { sidecar, world, isUp } = this.#course;
    const instance = this.#course.instances.get(site);
    if (!isUp || sidecar === null || instance === undefined || !this.#isCertain(search)) {
      search.isOver = false;
      return;
    }
    if (sidecar.status === 'done' || sidecar.actor.getSnapshot().status !== 'active') return;
    const isVisible = this.#isVisible(search);
    world.found.add(site);
    this.unheard.add(site);
    world.moved();
    const { name, isLast } = (complaints.find(({ unit }) => unit === instance.skeleton) ?? complaints[0]) as Complaint;
    const key = name !== null && (named || !isLast) ? { key: name } : {};
    this.#course.tell(`complains about ${site}: ${JSON.stringify({ instance, ...key })}`);
    for (let i = 0; i < (twice ? 2 : 1); i++) {
      let isHeard = false;
      void sidecar.fail('CONTRACT_VIOLATION', { instance, ...key }).then(
        () => {
          isHeard = true;
          this.unheard.delete(site);
          world.moved();
          if (!isVisible) Object.assign(search, { seenAt: null, isOver: false });
        },
        (error: unknown) => {
          isHeard = true;
          this.unheard.delete(site);
          this.refused.add(site);
          world.moved();
          this.#course.tell(`the complaint about ${site} is refused: ${String(error)}`);
        },
      );
      void this.#repeat(search, sidecar, () => isHeard);
    }
  }

  /** A process that dies before it has taken a complaint was told nothing: the next one is, if the value is still to be seen. */
  async #repeat(search: Search, sidecar: Sidecar, isHeard: () => boolean): Promise<void> {
    for (let i = 0; i < 2000 && !isHeard() && this.#course.sidecar === sidecar; i++) await sleep(3);
    if (this.#course.sidecar === sidecar || isHeard()) return;
    this.refused.add(search.fault.site);
    search.seenAt = null;
    search.isOver = false;
  }

  /** True where no other wrong answer is on its way: else it would come after the complaint, and nobody would see it. */
  #isCertain(search: Search): boolean {
    const { world } = this.#course;
    const { site } = search.fault;
    const given = world.wrong.get(site);
    if (given === undefined || world.busy.includes(site)) return false;
    if (given.count === 1) return true;
    return this.#isVisible(search) && Date.now() - given.last > 10;
  }

  #isVisible(search: Search): boolean {
    return [...contexts(this.#course.sidecar?.actor.getSnapshot())].some((context) => this.#isWrong(context, search));
  }

  #isWrong(context: unknown, { complaints, fault }: Search): boolean {
    const given = this.#course.world.wrong.get(fault.site);
    return (
      given !== undefined && complaints.some(({ key }) => holds((context as Memory | undefined)?.[key], given.value))
    );
  }

  async #misspell(instance: InstanceId, what: 'skeleton' | 'entity' | 'key'): Promise<void> {
    const { sidecar, isUp } = this.#course;
    if (!isUp || sidecar === null || sidecar.status === 'done') return;
    const suspect =
      what === 'key' ? { instance, key: 'kk' } : { instance: { ...instance, [what]: `${instance[what]}x` } };
    this.#course.tell(`misspells ${JSON.stringify(suspect)}`);
    await sidecar
      .fail('CONTRACT_VIOLATION', suspect)
      .catch((error: unknown) => this.#course.tell(`refused: ${String(error)}`));
  }
}

function holds(value: unknown, wanted: number): boolean {
  if (typeof value !== 'object' || value === null) return value === wanted;
  return Object.values(value).some((each) => holds(each, wanted));
}

/** The contexts of a machine and of those that it has invoked. */
function* contexts(snapshot: unknown): Generator<unknown> {
  const { context, children } = (snapshot ?? {}) as {
    context?: unknown;
    children?: Record<string, { getSnapshot(): unknown } | undefined>;
  };
  if (context !== undefined) yield context;
  for (const child of Object.values(children ?? {})) if (child !== undefined) yield* contexts(child.getSnapshot());
}

/** What a complaint about a site can say, by the unit that asked for it; none where the site is in no unit. */
function complaintsOf(scenario: Scenario, site: Site): Complaint[] {
  const [at, entity] = site.split(' ');
  const root = found(scenario.body, { path: [], loop: null }, at as string, false);
  if (root.length > 0)
    return root.map(({ place, ...one }) => {
      const name = new Places(false, scenario.body).template(one.key, place, '{entity}');
      return { ...one, name: name.replace('{entity}', entity as string) };
    });
  return scenario.children.flatMap(({ body }) =>
    found(body, { path: [], loop: null }, at as string, true).map((one) => ({ ...one, name: null })),
  );
}

/** A state that makes a call, or asks for it once more. */
interface Found extends Omit<Complaint, 'name'> {
  readonly place: Place;
}

function found(body: readonly Block[], place: Place, at: string, isChild: boolean): Found[] {
  return body.flatMap((block) => {
    const within = block.block === 'loop' ? { ...place, loop: { at: block.at, over: block.over } } : place;
    return [...foundIn(block, place, at, isChild), ...inner(block).flatMap((part) => found(part, within, at, isChild))];
  });
}

function foundIn(block: Block, place: Place, at: string, isChild: boolean): Found[] {
  if (block.block !== 'unit') return [];
  return block.steps.flatMap((step, index) => {
    if (step.step !== 'call' || (step.at !== at && step.repeats !== at)) return [];
    // A unit of a shared skeleton may go on where the next unit is one of that skeleton.
    const isLast = index === block.steps.length - 1 && !block.outcomes && (isChild || block.skeleton === undefined);
    return [{ key: step.key, place, unit: block.skeleton ?? block.name, isLast }];
  });
}
