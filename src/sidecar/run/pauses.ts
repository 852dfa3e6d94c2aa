/** Takes the pauses and unpauses that people leave for a run, and carries them out (semantics.md LC10). */
import type { SentPause } from '../../effects/messages/pauses.ts';
import type { PauseEntry } from '../../model/message-entries.ts';
import type { Recovering } from '../failures/recovering.ts';
import type { RunParts } from '../parts.ts';
import { SidecarError } from '../sidecar-error.ts';
import type { Writing } from '../writing.ts';
import type { Owing } from './owing.ts';

/** The surroundings of the pauses of a run. */
interface PausesPort {
  readonly parts: RunParts;
  readonly write: Writing;
  readonly recovering: Recovering;
  readonly owing: Pick<Owing, 'beside'>;
  readonly run: {
    /** Has everything go on that the pause has held back. */
    unpaused(): void;
  };
}

/** The pauses of one run. */
export class Pauses {
  readonly #port: PausesPort;

  constructor(port: PausesPort) {
    this.#port = port;
  }

  /** Takes a message in, unless it was heard before. */
  take(post: number, sent: SentPause): void {
    if (this.#port.parts.runState.asked.sent.has(post)) return;
    this.#say(sent, post);
  }

  /** Takes the word of this process's own program. @throws SidecarError `not_advised` where the run is so already; `run_finished`. */
  async say(sent: SentPause): Promise<void> {
    const refused = this.#say(sent, null);
    await this.#port.write.durable();
    if (refused === null) return;
    throw new SidecarError(this.#port.parts.runState.ended === null ? 'not_advised' : 'run_finished', refused);
  }

  /** @throws SidecarError `paused` for what has to be said once the run goes on. */
  refuseWhilePaused(): void {
    if (this.#port.parts.lifecycle.configuration.pause === 'on') throw pausedError(this.#port.parts);
  }

  #say({ pause, by, why }: SentPause, post: number | null): string | null {
    const { write, owing } = this.#port;
    const refused = this.#refusal(pause);
    const entry: PauseEntry = { do: 'pause', paused: pause, post, by, why, refused };
    if (refused === null || post !== null) owing.beside(() => write.append([entry]));
    void write.durable().catch(() => {});
    if (refused === null && pause) this.#stand(by, why);
    if (refused === null && !pause) {
      this.#port.run.unpaused();
    }
    return refused;
  }

  #stand(by: string, why: string | null): void {
    this.#port.recovering.tellPaused(by, why);
  }

  #refusal(pause: boolean): string | null {
    const { asked, ended } = this.#port.parts.runState;
    if (ended !== null) return 'the run has ended';
    if (!pause) return asked.paused === null ? 'the run is not paused' : null;
    if (asked.cancelled !== null) return `a person is ending it: ${JSON.stringify(asked.cancelled.by)}`;
    return asked.paused === null ? null : `it is paused already, by ${JSON.stringify(asked.paused.by)}`;
  }
}

/** The refusal of what is not done while a run is paused. */
export function pausedError({ run, runState }: Pick<RunParts, 'run' | 'runState'>): SidecarError {
  const { by, why } = runState.asked.paused ?? { by: '', why: null };
  const said = `${JSON.stringify(by)}${why === null ? '' : ` (${why})`}`;
  const text = `the run ${JSON.stringify(run)} is paused by ${said}: nothing of it goes on before a person says unpause`;
  return new SidecarError('paused', text);
}
