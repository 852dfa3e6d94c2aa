/**
 * The mandate of a run: takes mandates and withdrawals, notes when the mandate is over, and has calls wait for the next
 * mandate (semantics.md MD1 to MD5).
 */
import { mandateId, overAt, type SentMandate, type SentRevoke } from '../../effects/messages/mandates.ts';
import { type Decision, escalated } from '../../model/decision.ts';
import type { MandateEntry, MandateTerms } from '../../model/mandate-entries.ts';
import type { RunParts, Writer } from '../parts.ts';
import { SidecarError } from '../sidecar-error.ts';

/** The parts of a run that its mandate needs. */
interface MandatesPort {
  readonly parts: RunParts;
  readonly write: Writer;
  readonly run: {
    /** Tells those who wait for the run that a call or a commit waits for another mandate. */
    lacksMandate(decision: Decision): void;
    /** Lets the calls and commits that waited for another mandate go on. */
    mandated(): void;
    /** Appends an entry that may hold calls back; in the same commit asks a person about owed obligations (OB7). */
    besideOwed(append: () => void): void;
  };
}

/** The mandate of one run. */
export class Mandates {
  readonly #port: MandatesPort;
  /** True once this process has told that a call or a commit waits. */
  #isTold = false;

  constructor(port: MandatesPort) {
    this.#port = port;
  }

  get #journaled() {
    return this.#port.parts.runState.mandates;
  }

  /** The name of the mandate that calls leave under; null for a run without one. */
  get under(): string | null {
    return this.#journaled.valid?.id ?? null;
  }

  /** Null if a call of the tool may leave under the run's mandate; else resolves when it is worth asking again. */
  held(tool: string): Promise<void> | null {
    this.look();
    const { lifecycle, activity } = this.#port.parts;
    const waits = lifecycle.until('act');
    if (waits === null) return null;
    if (lifecycle.configuration.mandate !== 'stands') this.want(tool);
    return activity.waitFor(waits);
  }

  /** Notes the end of the mandate if its time is over (MD3). */
  look(): void {
    const { now, runState, lifecycle } = this.#port.parts;
    const { valid } = this.#journaled;
    if (valid === null || overAt(valid.terms) > now() || runState.ended !== null || lifecycle.isLeft) return;
    this.#append({ do: 'mandate', is: 'over', why: 'expired' });
  }

  /** Notes that a call or a commit waits for another mandate, and tells those who wait for the run (MD5). */
  want(tool: string): void {
    const { over, wanted, last } = this.#journaled;
    const { runState, decisionPolicy, lifecycle } = this.#port.parts;
    if (over === null || lifecycle.isLeft) return;
    if (wanted === null) this.#append({ do: 'mandate', is: 'wanted', tool });
    if (this.#isTold) return;
    this.#isTold = true;
    const refusal = { code: 'mandate_over', candidate: null, instance: null, why: over.why, tool } as const;
    const at = { failed: null, at: runState.history.head, policy: decisionPolicy.policy };
    this.#port.run.lacksMandate(
      escalated(at, [{ ...refusal, mandate: last?.id ?? null }], [{ act: 'give_mandate', tool }]),
    );
  }

  /** Begins the run under a mandate of its program, or with the note that it needs one. */
  begin(given: MandateTerms | 'required' | undefined): void {
    if (given === undefined || this.#journaled.isUsed || this.#port.parts.runState.ended !== null) return;
    if (given === 'required') this.#append({ do: 'mandate', is: 'over', why: 'missing' });
    else this.#append(givenEntry({ mandate: given, why: null }, null, null));
  }

  /** Takes a message, unless it was taken before. */
  take(post: number, sent: SentMandate | SentRevoke): void {
    if (this.#port.parts.runState.asked.sent.has(post)) return;
    this.#say(sent, post);
  }

  /** Takes a mandate or a withdrawal of the program itself. @throws SidecarError `mandate_refused`, `run_finished`. */
  async say(sent: SentMandate | SentRevoke): Promise<void> {
    const refused = this.#say(sent, null);
    await this.#port.write.durable();
    if (refused === null) return;
    throw new SidecarError(this.#port.parts.runState.ended === null ? 'mandate_refused' : 'run_finished', refused);
  }

  #say(sent: SentMandate | SentRevoke, post: number | null): string | null {
    const isGiven = 'mandate' in sent;
    const refused = this.#over() ?? (isGiven ? this.#refusesMandate(sent) : this.#refusesRevoke(sent));
    const entry = isGiven ? givenEntry(sent, post, refused) : revokedEntry(sent, post, refused);
    if (refused === null || post !== null) this.#append(entry);
    if (refused !== null) return refused;
    if (!isGiven) return null;
    this.#isTold = false;
    this.#port.run.mandated();
    return null;
  }

  /** The reason why the run takes no mandate or withdrawal any more; null if it does. */
  #over(): string | null {
    const { ended, asked } = this.#port.parts.runState;
    if (ended !== null) return 'the run has ended';
    return asked.cancelled === null ? null : `a person is ending it: ${JSON.stringify(asked.cancelled.by)}`;
  }

  #refusesMandate({ mandate, first }: SentMandate): string | null {
    const id = mandateId(mandate);
    if (this.#journaled.has(id)) return `it was given the mandate ${JSON.stringify(id)} before: name another one`;
    if (first === true && this.#journaled.last !== null) return 'it was given a mandate by now';
    return overAt(mandate) > this.#port.parts.now() ? null : `the time of the mandate is over: ${mandate.until}`;
  }

  #refusesRevoke({ revoke }: SentRevoke): string | null {
    const { last, over } = this.#journaled;
    if (last === null) return 'it was given no mandate: pause or cancel it';
    if (revoke !== null && revoke !== last.id) return `it is under the mandate ${JSON.stringify(last.id)}`;
    return over?.why === 'revoked' ? `the mandate was withdrawn by ${JSON.stringify(over.by)}` : null;
  }

  #append(entry: MandateEntry): void {
    const { write, run } = this.#port;
    run.besideOwed(() => write.append([entry]));
    void this.#port.write.durable().catch(() => {});
  }
}

function givenEntry({ mandate, why }: SentMandate, post: number | null, refused: string | null): MandateEntry {
  return { do: 'mandate', is: 'given', id: mandateId(mandate), terms: mandate, why, post, refused };
}

function revokedEntry({ revoke, by, why }: SentRevoke, post: number | null, refused: string | null): MandateEntry {
  return { do: 'mandate', is: 'revoked', id: revoke, by, why, post, refused };
}
