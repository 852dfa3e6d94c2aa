/** Waits between recoveries from the same failure: its cause may pass (semantics.md R6). */
import type { Clock } from '../../clock/clock.ts';
import { errorMessage } from '../../effects/signals.ts';
import { encode } from '../../journal/codec.ts';
import { instanceName } from '../../model/instance.ts';
import type { Raised } from '../parts.ts';
import { waitOf } from '../retry.ts';

/** The failures of one run that were repeated. */
export class Repeats {
  /** The last failure in each instance, and how often in a row. */
  readonly #last = new Map<string, { readonly what: string; readonly times: number }>();
  readonly #clock: Pick<Clock, 'pause'>;

  constructor(clock: Pick<Clock, 'pause'>) {
    this.#clock = clock;
  }

  /** Counts a failure, and waits where the same one came directly before it. */
  async pause(raised: Raised): Promise<void> {
    const { failure, signal, about } = raised;
    if (failure.in === null || about !== undefined) return;
    const of = `${signal} ${instanceName(failure.in)}`;
    const what = failingOf(raised);
    const before = this.#last.get(of);
    const times = before?.what === what ? before.times : 0;
    this.#last.set(of, { what, times: times + 1 });
    if (times > 0) await this.#clock.pause(waitOf('recovery', times));
  }
}

/**
 * Names the failing work, to tell if the same work fails again: a call by its key, a call without a key by its tool and
 * arguments.
 */
function failingOf({ call, error }: Raised): string {
  if (call === null) return errorMessage(error);
  if (call.key !== null) return call.key;
  const asked = encode(call.args);
  return `${call.tool} ${'text' in asked ? asked.text : ''}`;
}
