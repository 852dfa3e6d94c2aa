/** A step that a base has laid down: what is asked of every step is at hand, and its entry is read when it is first asked for. */
import type { PlacedStep } from '../../history/places.ts';
import type { Edit, HistoryValue, StateValue, StepEntry } from '../../model/step-entry.ts';
import type { RecordedStep } from '../state-types.ts';
import type { BaseSource } from './loading.ts';

const NOTHING: readonly never[] = [];

/** The members of a step that its entry does not say. */
export type StepFacts = Pick<
  RecordedStep,
  | ('nth' | 'act' | 'to' | 'actor' | 'parties' | 'moves' | 'looks' | 'entered')
  | ('spawns' | 'gone' | 'owes' | 'remembered' | 'recalled' | 'certified' | 'time' | 'firstStarted')
>;

/** A step of a base. */
export class LoadedStep implements RecordedStep {
  readonly nth: number;
  readonly act: number;
  readonly to: number;
  readonly actor: number;
  readonly parties: RecordedStep['parties'];
  readonly moves: readonly string[];
  readonly looks: readonly string[];
  readonly entered: readonly string[];
  readonly leads: PlacedStep[] = [];
  ties: readonly PlacedStep[] = NOTHING;
  readonly spawns: boolean;
  gone: boolean;
  owes: number;
  readonly remembered: HistoryValue;
  readonly recalled: HistoryValue;
  readonly certified: RecordedStep['certified'];
  readonly time: number;
  readonly firstStarted: number;
  readonly closes: string[] = [];
  origins: readonly (number | undefined)[] | null = null;
  context: { readonly is: unknown } | null = null;
  /** The base that it is of, and its entry there. */
  readonly source: BaseSource;
  readonly stored: unknown;
  readonly #placed: StateValue | null;
  readonly #isOutside: boolean;
  #entry: StepEntry | null = null;

  /** @param placed the control of its actor, where a restore put that and no entry says it. */
  constructor(
    source: BaseSource,
    facts: StepFacts,
    of: { readonly stored: unknown; readonly placed: StateValue | null; readonly isOutside: boolean },
  ) {
    this.source = source;
    this.stored = of.stored;
    this.#placed = of.placed;
    this.#isOutside = of.isOutside;
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
    this.owes = facts.owes;
    this.remembered = facts.remembered;
    this.recalled = facts.recalled;
    this.certified = facts.certified;
    this.time = facts.time;
    this.firstStarted = facts.firstStarted;
  }

  /** True where a restore put control and no entry says it. */
  get isPlaced(): boolean {
    return this.#placed !== null;
  }

  get entry(): StepEntry | null {
    if (this.#placed !== null) return null;
    this.#entry ??= this.source.step(this.stored);
    return this.#entry;
  }

  get value(): StateValue {
    return this.#placed ?? (this.entry as StepEntry).value;
  }

  get edits(): readonly Edit[] {
    return this.entry?.edits ?? NOTHING;
  }

  get outside(): unknown {
    return this.#isOutside ? this.entry?.event : null;
  }
}
