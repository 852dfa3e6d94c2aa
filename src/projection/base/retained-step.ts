/**
 * A retained step. The facts needed for every step are in memory. The entry is in memory until a base has it, and is
 * then read from the base on demand: a run keeps the entries since its last base, not those of its whole life.
 */
import type { PlacedStep } from '../../history/step-lists.ts';
import type { Edit, HistoryValue, StateValue, StepEntry } from '../../model/step-entry.ts';
import type { RecordedStep, StepSource } from '../state-types.ts';

const NOTHING: readonly never[] = [];

/** The members of a step that its entry does not say. */
export type StepFacts = Pick<
  RecordedStep,
  | ('nth' | 'act' | 'to' | 'actor' | 'parties' | 'moves' | 'looks' | 'entered')
  | ('spawns' | 'gone' | 'owes' | 'remembered' | 'recalled' | 'certified' | 'time' | 'firstStarted')
>;

/** A retained step, or a place where a restore put control. */
export class RetainedStep implements RecordedStep {
  readonly nth: number;
  readonly act: number;
  readonly to: number;
  readonly actor: number;
  readonly parties: RecordedStep['parties'];
  readonly moves: readonly string[];
  readonly looks: readonly string[];
  readonly entered: readonly string[];
  #leads: readonly PlacedStep[] = NOTHING;
  ties: readonly PlacedStep[] = NOTHING;
  readonly spawns: boolean;
  gone: boolean;
  #owes: number;
  readonly remembered: HistoryValue;
  readonly recalled: HistoryValue;
  readonly certified: RecordedStep['certified'];
  readonly time: number;
  readonly firstStarted: number;
  #closes: readonly string[] = NOTHING;
  origins: readonly (number | undefined)[] | null = null;
  context: { readonly is: unknown } | null = null;
  readonly isOutside: boolean;
  readonly #placed: StateValue | null;
  #entry: StepEntry | null;
  /** The bases that have its entry, and its entry there; null while none has. */
  #source: StepSource | null = null;
  #stored: unknown = null;
  /** Has it be at hand, where it is paged out and comes to say more than its page. */
  #pin: ((step: RecordedStep) => void) | null = null;

  /**
   * @param of what happened: its entry where that is at hand, or the control of its actor, where a restore put that and no entry says it. Where
   * it is neither, `settle` follows.
   */
  constructor(
    facts: StepFacts,
    of: { readonly entry: StepEntry | null; readonly placed: StateValue | null; readonly isOutside: boolean },
  ) {
    this.#entry = of.entry;
    this.#placed = of.placed;
    this.isOutside = of.isOutside;
    this.nth = facts.nth;
    this.act = facts.act;
    this.to = facts.to;
    this.actor = facts.actor;
    this.parties = facts.parties;
    this.moves = facts.moves;
    this.looks = facts.looks;
    this.entered = facts.entered;
    this.spawns = facts.spawns;
    this.gone = facts.gone;
    this.#owes = facts.owes;
    this.remembered = facts.remembered;
    this.recalled = facts.recalled;
    this.certified = facts.certified;
    this.time = facts.time;
    this.firstStarted = facts.firstStarted;
  }

  paged(pin: ((step: RecordedStep) => void) | null): void {
    this.#pin = pin;
  }

  get leads(): readonly PlacedStep[] {
    return this.#leads;
  }

  set leads(leads: readonly PlacedStep[]) {
    this.#leads = leads;
    this.#pin?.(this);
  }

  get owes(): number {
    return this.#owes;
  }

  set owes(owes: number) {
    this.#owes = owes;
    this.#pin?.(this);
  }

  get closes(): readonly string[] {
    return this.#closes;
  }

  set closes(closes: readonly string[]) {
    this.#closes = closes;
    this.#pin?.(this);
  }

  settle(source: StepSource, stored: unknown): void {
    this.#source = source;
    this.#stored = stored;
    this.#entry = null;
  }

  become(entry: StepEntry): void {
    this.#entry = entry;
    this.#source = null;
    this.#stored = null;
    this.#pin?.(this);
  }

  storedIn(source: StepSource): unknown {
    return this.#source === source ? this.#stored : undefined;
  }

  get isLetGo(): boolean {
    return this.#source !== null || this.isPlaced;
  }

  get isPlaced(): boolean {
    return this.#placed !== null;
  }

  get entry(): StepEntry | null {
    if (this.#placed !== null) return null;
    this.#entry ??= (this.#source as StepSource).step(this.#stored);
    return this.#entry;
  }

  get value(): StateValue {
    return this.#placed ?? (this.entry as StepEntry).value;
  }

  get edits(): readonly Edit[] {
    return this.entry?.edits ?? NOTHING;
  }

  get outside(): unknown {
    return this.isOutside ? this.entry?.event : null;
  }
}
