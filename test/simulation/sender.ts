/**
 * An honest sender of external events. It sends each event once, when the machine first waits for it; and again only where the machine
 * waits there again, or still, while the run is running and nothing has moved for a while: then a restore has taken the event back.
 */
import type { Sidecar } from 'belay-sidecar/xstate';
import type { Awaiting, Memory } from './places.ts';
import { eventFor, statesIn } from './reference.ts';

/** After so many looks at which nothing moved an event is sent again. */
const QUIET = 15;
/** How often an event is sent for one occasion. */
const MOST = 6;

export class Sender {
  readonly #awaiting: readonly Awaiting[];
  /** How often an event was sent, by occasion. */
  readonly sent = new Map<string, number>();

  constructor(awaiting: readonly Awaiting[]) {
    this.#awaiting = awaiting;
  }

  /** Looks at the machine. @param quiet for how many looks nothing has moved. */
  look(sidecar: Sidecar, quiet: number): void {
    const snapshot = sidecar.actor.getSnapshot() as { status: string; value: unknown; context: Memory };
    if (sidecar.status !== 'running' || snapshot.status !== 'active') return;
    const states = statesIn(snapshot.value);
    for (const awaiting of this.#awaiting) {
      if (!states.includes(awaiting.at)) continue;
      const occasion = awaiting.occasion(snapshot.context);
      const sent = this.sent.get(occasion) ?? 0;
      if (sent > 0 && (quiet < QUIET || quiet % QUIET !== 0 || sent >= MOST)) continue;
      this.sent.set(occasion, sent + 1);
      sidecar.actor.send(eventFor(awaiting, snapshot.context));
      return;
    }
  }
}
