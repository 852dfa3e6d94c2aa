/**
 * A call of the ledger. The facts needed for every call are in memory. The intent is in memory until a base has it, and
 * is then read from the base on demand: a run keeps the intents since its last base, not those of its whole life. The
 * output of an earlier process is read likewise.
 */
import type { IntentEntry } from '../model/call-entries.ts';
import type { CallSource, LedgerCall } from './ledger-call.ts';

/** The members of a call that are always at hand. */
export type CallFacts = Omit<LedgerCall, 'intent' | 'output' | 'settle' | 'intentIn' | 'outputIn'>;

/** The texts of a call in a base: of its intent, and of its output, where it has one. */
export interface StoredCall {
  readonly intent: unknown;
  readonly output: readonly [unknown] | null;
}

/** A call. */
export class RetainedCall implements LedgerCall {
  readonly key: string;
  readonly tool: string;
  calledAt: number;
  keyedAt: number | null;
  status: LedgerCall['status'];
  error: string | null;
  undo: boolean;
  undoing: boolean;
  staged: boolean;
  asked: LedgerCall['asked'];
  at: number | null;
  wrong: LedgerCall['wrong'];
  promise: LedgerCall['promise'];
  isAnswered: boolean;
  isNamed: boolean;
  discarded: boolean;
  stands: boolean;
  voided: boolean;
  mayLeave: boolean;
  readonly act: string | null;
  readonly repeats: string | null;
  readonly decides: boolean;
  readonly place: string | null;
  #intent: IntentEntry | null = null;
  #output: { readonly is: unknown } | null = null;
  /**
   * The bases that have the intent and the output of the call unchanged, and the texts there; null if no base has them.
   */
  #intentSource: CallSource | null = null;
  #storedIntent: unknown = null;
  #outputSource: CallSource | null = null;
  #storedOutput: readonly [unknown] | null = null;

  /** @param of its intent and its output, or the base that has them. */
  constructor(
    facts: CallFacts,
    of:
      | { readonly intent: IntentEntry; readonly output: unknown }
      | { readonly source: CallSource; readonly stored: StoredCall },
  ) {
    this.key = facts.key;
    this.tool = facts.tool;
    this.calledAt = facts.calledAt;
    this.keyedAt = facts.keyedAt;
    this.status = facts.status;
    this.error = facts.error;
    this.undo = facts.undo;
    this.undoing = facts.undoing;
    this.staged = facts.staged;
    this.asked = facts.asked;
    this.at = facts.at;
    this.wrong = facts.wrong;
    this.promise = facts.promise;
    this.isAnswered = facts.isAnswered;
    this.isNamed = facts.isNamed;
    this.discarded = facts.discarded;
    this.stands = facts.stands;
    this.voided = facts.voided;
    this.mayLeave = facts.mayLeave;
    this.act = facts.act;
    this.repeats = facts.repeats;
    this.decides = facts.decides;
    this.place = facts.place;
    if ('intent' in of) {
      this.#intent = of.intent;
      this.#output = { is: of.output };
    } else {
      this.#intentSource = of.source;
      this.#storedIntent = of.stored.intent;
      this.#outputSource = of.source;
      this.#storedOutput = of.stored.output;
    }
  }

  settle(source: CallSource, intent: unknown): void {
    this.#intentSource = source;
    this.#storedIntent = intent;
    this.#intent = null;
  }

  intentIn(source: CallSource | null): { readonly is: unknown } | null {
    return source !== null && this.#intentSource === source ? { is: this.#storedIntent } : null;
  }

  outputIn(source: CallSource | null): { readonly is: readonly [unknown] | null } | null {
    return source !== null && this.#outputSource === source ? { is: this.#storedOutput } : null;
  }

  get intent(): IntentEntry {
    this.#intent ??= (this.#intentSource as CallSource).entry(this.#storedIntent) as IntentEntry;
    return this.#intent;
  }

  set intent(intent: IntentEntry) {
    this.#intent = intent;
    this.#intentSource = null;
  }

  get output(): unknown {
    const [stored] = this.#storedOutput ?? [];
    this.#output ??= { is: stored === undefined ? undefined : (this.#outputSource as CallSource).value(stored) };
    return this.#output.is;
  }

  set output(output: unknown) {
    this.#output = { is: output };
    this.#outputSource = null;
  }
}
