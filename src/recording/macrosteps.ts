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
  /** Each event is told once. */
  readonly told: RuntimeEvent[];
}

const NOTHING: never[] = [];

type Ties = NonNullable<StepEntry['ties']>;

/** The last macrostep of each machine of one run. */
export class Macrosteps {
  readonly #places: Places<RecordedStep>;
  readonly #taken = new Map<number, Taken[]>();
  /** The steps of set-aside work that raised or sent an event which a claim delivers. */
  readonly #claimed = new WeakMap<RuntimeEvent, RecordedStep>();
  #sent: Ties = [];

  constructor(places: Places<RecordedStep>) {
    this.#places = places;
  }

  /**
   * A machine begins its next macrostep.
   * @param sender the machine that sent the event; undefined if no machine did.
   * @param armer the step that scheduled the event, if it is a delayed event.
   */
  begin(actor: number, sender: number | undefined, armer: RecordedStep | undefined): void {
    this.#sent = [];
    if (armer !== undefined) this.#sent = armer.actor === actor ? [] : this.ties([armer]);
    else if (sender !== undefined) this.#sent = this.#sentBy(sender);
    this.#taken.set(actor, []);
  }

  /** Notes the step of set-aside work that raised or sent an event which a claim delivers. */
  claims(event: RuntimeEvent, step: RecordedStep): void {
    this.#claimed.set(event, step);
  }

  /** Ties a microstep that a machine is about to take to the steps that raised or sent its event. */
  tiesOf(actor: number, { event, raisedBack, sender }: Microstep): Ties {
    const taken = this.#taken.get(actor) ?? [];
    const claimed = this.#claimed.get(event);
    const raised = raisedBack.flatMap((back) => taken.at(-back)?.steps ?? []);
    const ties = this.ties(claimed === undefined ? raised : [...raised, claimed]);
    return sender === null ? ties : [...ties, ...this.#sent];
  }

  /** Notes the steps, from a number on, that a machine's microstep was recorded as. */
  took(actor: number, { sends, told }: Microstep, from: number): void {
    const { last } = this.#places.steps;
    // Nearly every microstep is recorded as one step.
    const steps = last?.nth === from ? [last] : this.#places.between(from - 1, Number.POSITIVE_INFINITY);
    const own = steps.every((step) => step.actor === actor) ? steps : steps.filter((step) => step.actor === actor);
    this.#taken.get(actor)?.push({ steps: own, sends, told: told.length === 0 ? NOTHING : [...told] });
  }

  /** The step of a machine's last macrostep that sent or scheduled an event; undefined if no step is known to. */
  tellerOf(actor: number, event: RuntimeEvent): RecordedStep | undefined {
    const taken = this.#taken.get(actor)?.find(({ told }) => told.includes(event));
    if (taken === undefined) return undefined;
    taken.told.splice(taken.told.indexOf(event), 1);
    return taken.steps.at(-1);
  }

  /** The last step of a machine's last macrostep that may have sent an event. */
  lastSender(actor: number): RecordedStep | undefined {
    return this.#taken
      .get(actor)
      ?.findLast(({ sends }) => sends)
      ?.steps.at(-1);
  }

  /**
   * Steps as a journal names them: the actor, and how many steps it has taken since. Costs the steps behind the first
   * named step.
   */
  ties(steps: readonly RecordedStep[]): Ties {
    return steps.flatMap(({ nth, actor, gone }) => {
      if (gone) return [];
      const since = this.#places.between(nth - 1, Number.POSITIVE_INFINITY);
      return [[actor, since.filter((step) => step.actor === actor).length] as const];
    });
  }

  /**
   * The steps of a machine's last macrostep that sent an event; all its steps if no sending was observed, as in the
   * first macrostep.
   */
  #sentBy(actor: number): Ties {
    const taken = this.#taken.get(actor) ?? [];
    const sending = taken.filter(({ sends }) => sends);
    return this.ties((sending.length > 0 ? sending : taken).flatMap(({ steps }) => steps));
  }
}
