/**
 * The steps of the last macrostep of each machine. A step that receives an event raised or sent there is tied to them
 * (semantics.md C1a).
 */
import type { Places } from '../history/places.ts';
import type { StepEntry } from '../model/step-entry.ts';
import type { RecordedStep } from '../projection/state-types.ts';
import type { Microstep, RuntimeEvent } from '../runtime/microstep.ts';

/** A microstep, and its recorded steps: several if it was separated. */
interface Taken extends Pick<Microstep, 'sends'> {
  readonly steps: readonly RecordedStep[];
  /** Each is told once. */
  readonly told: RuntimeEvent[];
}

const NOTHING: never[] = [];

type Ties = NonNullable<StepEntry['ties']>;

/** The last macrostep of each machine of one run. */
export class Macrosteps {
  readonly #places: Places<RecordedStep>;
  readonly #taken = new Map<number, Taken[]>();
  /** The steps of records that raised or sent events which claims deliver. */
  readonly #claimed = new WeakMap<RuntimeEvent, RecordedStep>();
  #sent: Ties = [];

  constructor(places: Places<RecordedStep>) {
    this.#places = places;
  }

  /**
   * A machine begins its next macrostep, by an event that another machine sent, or itself, or none.
   * @param armer the step that had the event sent later, where it is a delayed one.
   */
  begin(actor: number, sender: number | undefined, armer: RecordedStep | undefined): void {
    this.#sent = [];
    if (armer !== undefined) this.#sent = armer.actor === actor ? [] : this.ties([armer]);
    else if (sender !== undefined) this.#sent = this.#sentBy(sender);
    this.#taken.set(actor, []);
  }

  /** Notes the step of a record that raised or sent an event which a claim delivers. */
  claims(event: RuntimeEvent, step: RecordedStep): void {
    this.#claimed.set(event, step);
  }

  /** The ties of a microstep that a machine is about to take: to the steps that raised or sent its event. */
  tiesOf(actor: number, { event, raisedBack, sender }: Microstep): Ties {
    const taken = this.#taken.get(actor) ?? [];
    const claimed = this.#claimed.get(event);
    const raised = raisedBack.flatMap((back) => taken.at(-back)?.steps ?? []);
    const ties = this.ties(claimed === undefined ? raised : [...raised, claimed]);
    return sender === null ? ties : [...ties, ...this.#sent];
  }

  /** A machine took a microstep: it came to the steps from a number on. */
  took(actor: number, { sends, told }: Microstep, from: number): void {
    const { last } = this.#places.steps;
    // One step is what nearly all microsteps come to.
    const steps = last?.nth === from ? [last] : this.#places.between(from - 1, Number.POSITIVE_INFINITY);
    const own = steps.every((step) => step.actor === actor) ? steps : steps.filter((step) => step.actor === actor);
    this.#taken.get(actor)?.push({ steps: own, sends, told: told.length === 0 ? NOTHING : [...told] });
  }

  /** The step of the last macrostep of a machine that sent an event or scheduled it, told once of each; undefined where none is seen to. */
  tellerOf(actor: number, event: RuntimeEvent): RecordedStep | undefined {
    const taken = this.#taken.get(actor)?.find(({ told }) => told.includes(event));
    if (taken === undefined) return undefined;
    taken.told.splice(taken.told.indexOf(event), 1);
    return taken.steps.at(-1);
  }

  /** The last step of the last macrostep of a machine that may have sent an event. */
  lastSender(actor: number): RecordedStep | undefined {
    return this.#taken
      .get(actor)
      ?.findLast(({ sends }) => sends)
      ?.steps.at(-1);
  }

  /**
   * Steps as a journal names them: by their actor, and the number of its steps since. Costs the steps behind the first
   * of them.
   */
  ties(steps: readonly RecordedStep[]): Ties {
    return steps.flatMap(({ nth, actor, gone }) => {
      if (gone) return [];
      const since = this.#places.between(nth - 1, Number.POSITIVE_INFINITY);
      return [[actor, since.filter((step) => step.actor === actor).length] as const];
    });
  }

  /**
   * The steps of the last macrostep of a machine that sent; all of them if no sending was observed, as in its first.
   */
  #sentBy(actor: number): Ties {
    const taken = this.#taken.get(actor) ?? [];
    const sending = taken.filter(({ sends }) => sends);
    return this.ties((sending.length > 0 ? sending : taken).flatMap(({ steps }) => steps));
  }
}
