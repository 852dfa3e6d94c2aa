/** Takes the outcomes of calls that messages tell by their keys: each is taken once, or refused with the reason, and journaled (semantics.md E2). */
import type { SentOutcome } from '../../effects/messages/outcomes.ts';
import { errorMessage } from '../../effects/signals.ts';
import type { SettledEntry } from '../../model/message-entries.ts';
import type { Recovering } from '../failures/recovering.ts';
import type { RunParts } from '../parts.ts';
import type { Writing } from '../writing.ts';
import { isAnswer, type Owing } from './owing.ts';

/** The surroundings of the outcomes that come to a run. */
interface SentOutcomesPort {
  readonly parts: RunParts;
  readonly write: Writing;
  readonly recovering: Recovering;
  readonly owing: Pick<Owing, 'answer'>;
}

interface Told {
  readonly post: number;
  readonly sent: SentOutcome;
}

/** The outcomes that messages tell to one run. */
export class SentOutcomes {
  readonly #port: SentOutcomesPort;
  readonly #waiting: Told[] = [];
  #last: Promise<void> = Promise.resolve();

  constructor(port: SentOutcomesPort) {
    this.#port = port;
  }

  /** Takes a message in, unless it was heard before. */
  take(post: number, sent: SentOutcome): void {
    const { asked, ended } = this.#port.parts.runState;
    if (asked.sent.has(post)) return;
    this.#waiting.push({ post, sent });
    if (this.#port.parts.lifecycle.isAwake || ended !== null) this.#answer();
  }

  /** The machine is there: what has waited for it is answered. */
  begin(): void {
    this.#answer();
  }

  #answer(): void {
    for (const each of this.#waiting.splice(0)) {
      // One after the other: the second word about a call is held against what the first has settled.
      this.#last = this.#last.then(() => this.#settle(each)).catch(() => {});
    }
  }

  async #settle({ post, sent }: Told): Promise<void> {
    const { parts, write, recovering } = this.#port;
    if (!parts.lifecycle.may('outcome') || parts.lifecycle.leave.aborted) return;
    const { settle: key, status, output, by, why } = sent;
    const entry = (refused: string | null): SettledEntry => ({ do: 'settled', post, key, status, by, why, refused });
    const call = parts.runState.ledger.named(key);
    if (call !== undefined && call.status === status) write.append([entry(`the journal has it already: ${status}`)]);
    else {
      const taken = () => entry(null);
      const settled = isAnswer(status)
        ? this.#port.owing.answer(key, { as: status, by, why }, taken)
        : status === 'stands'
          ? recovering.standEffect(key, by, why, taken)
          : status === 'supplied'
            ? recovering.supplyEffect(key, output, taken)
            : recovering.settleEffect(key, status, output, taken);
      await settled.catch((error: unknown) => {
        if (!parts.runState.asked.sent.has(post) && write.broken === null) write.append([entry(errorMessage(error))]);
      });
    }
    await write.durable();
  }
}
