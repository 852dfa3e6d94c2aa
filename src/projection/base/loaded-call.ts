/** A call that a base has laid down: what is asked of every call is at hand, and its intent and its output are read when they are first asked for. */
import type { LedgerCall } from '../../effects/ledger-call.ts';
import type { IntentEntry } from '../../model/call-entries.ts';
import type { BaseSource } from './loading.ts';

/** The members of a call that are at hand. */
type CallFacts = Omit<LedgerCall, 'intent' | 'output'>;

/** The texts of a call in its base: of its intent, and of its output, where it has one. */
export interface StoredCall {
  readonly intent: unknown;
  readonly output: readonly [unknown] | null;
}

/** A call of a base. */
export class LoadedCall implements LedgerCall {
  readonly key: string;
  readonly tool: string;
  readonly calledAt: number;
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
  voided: boolean;
  mayLeave: boolean;
  /** The base that it is of. */
  readonly source: BaseSource;
  readonly #stored: StoredCall;
  #intent: IntentEntry | null = null;
  #output: { readonly is: unknown } | null = null;
  #isIntentAnother = false;
  #isOutputAnother = false;

  constructor(source: BaseSource, facts: CallFacts, stored: StoredCall) {
    this.source = source;
    this.#stored = stored;
    this.key = facts.key;
    this.tool = facts.tool;
    this.calledAt = facts.calledAt;
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
    this.voided = facts.voided;
    this.mayLeave = facts.mayLeave;
  }

  /** The text of its intent in its base; null where that is another since. */
  get storedIntent(): { readonly is: unknown } | null {
    return this.#isIntentAnother ? null : { is: this.#stored.intent };
  }

  /** The text of its output in its base; null where that is another since. */
  get storedOutput(): { readonly is: readonly [unknown] | null } | null {
    return this.#isOutputAnother ? null : { is: this.#stored.output };
  }

  get intent(): IntentEntry {
    this.#intent ??= this.source.entry(this.#stored.intent) as IntentEntry;
    return this.#intent;
  }

  set intent(intent: IntentEntry) {
    this.#intent = intent;
    this.#isIntentAnother = true;
  }

  get output(): unknown {
    const { output } = this.#stored;
    this.#output ??= { is: output === null ? undefined : this.source.value(output[0]) };
    return this.#output.is;
  }

  set output(output: unknown) {
    this.#output = { is: output };
    this.#isOutputAnother = true;
  }
}
