/** The plans of a run's steps, by the transitions that they take. */
import { Paths } from '../history/context.ts';
import { endedChild } from '../model/reply-event.ts';
import type { Microstep } from '../runtime/microstep.ts';
import { Plan, type WorkedOut } from './plan.ts';
import type { RecorderPort } from './planned.ts';
import type { StepView } from './step-view.ts';

/** The number of steps after which a plan is made again that could not be made. */
const PATIENCE = 16;

/** The plan of the steps that take some transitions, or the time until there is a plan. */
interface Known {
  readonly actor: number;
  readonly version: number;
  readonly plan: Plan | null;
  /** The number of steps to work out before a plan is made. */
  wait: number;
}

/** The plans of one run. */
export class Plans {
  readonly #port: RecorderPort;
  readonly #known = new WeakMap<object, Known>();
  readonly #paths = new Paths();

  constructor(port: RecorderPort) {
    this.#port = port;
  }

  /** The plan of a step; null where it has none. */
  of(actor: number, { turn }: Microstep): Plan | null {
    const known = turn === undefined ? undefined : this.#known.get(turn);
    return known !== undefined && this.#isFor(known, actor) ? known.plan : null;
  }

  /** Makes the plan of a step that was worked out, the second time that such a step is taken while the same instances live. */
  learn(view: StepView, by: WorkedOut): void {
    const { actor } = view;
    const { turn } = view.seen;
    if (turn === undefined) return;
    const known = this.#known.get(turn);
    const version = this.#port.runState.places.liveVersion;
    if (known === undefined || !this.#isFor(known, actor)) {
      this.#known.set(turn, { actor, version, plan: null, wait: 0 });
      return;
    }
    if (known.plan !== null) return;
    known.wait -= 1;
    if (known.wait >= 0) return;
    const plan = Plan.of(this.#port, this.#paths, view, by);
    this.#known.set(turn, { actor, version, plan, wait: PATIENCE });
  }

  #isFor(known: Known, actor: number): boolean {
    return known.actor === actor && known.version === this.#port.runState.places.liveVersion;
  }
}

/** True for a microstep that starts and ends nothing, has no parallel part, and is no answer: a plan may make it. */
export function isPlannable(seen: Microstep): boolean {
  return (
    seen.turn !== undefined &&
    seen.before !== null &&
    seen.started.length === 0 &&
    seen.gone.length === 0 &&
    seen.remembered === null &&
    !seen.done &&
    seen.parts.length < 2 &&
    seen.source === undefined &&
    seen.tells === undefined &&
    seen.reads === undefined &&
    seen.own === undefined &&
    endedChild(seen.event.type) === null
  );
}
