/** The counterparty of the aborts that are tried: it keeps what was done and undone, and by which key, and never forgets. */
import { tool } from '../../src/xstate/index.ts';
import type { CallName, Scenario, UndoWay } from './scenario.ts';

/** One act in the world. */
export interface Act {
  readonly key: string;
  readonly tool: CallName;
  /** True while it is there. */
  isThere: boolean;
  /** The number of times that it was taken away by the run. */
  undone: number;
  /** The keys of its undos. */
  readonly undoKeys: Set<string>;
  /** True where it was taken away by a hand that is none of the run's. */
  byHand: boolean;
  tries: number;
}

/** The life of a process. */
export interface Life {
  isDead: boolean;
}

const NEVER = new Promise<never>(() => {});

export class World {
  readonly acts = new Map<string, Act>();
  /** The keys of the acts that were taken away by the run or by a person, in order. */
  readonly order: string[] = [];
  /** What left after the word. */
  readonly forward: string[] = [];
  /** True once the word that the run is to end is in its journal. */
  isFenced = false;
  /** Told once a call is under way that the scenario holds. */
  onUnder: () => void = () => {};
  /** The undos that were wrong: of what was never there, or was taken away before. */
  readonly wrong: string[] = [];
  readonly #scenario: Scenario;
  readonly #isHolding: boolean;
  #under = 0;

  constructor(scenario: Scenario, isHolding: boolean) {
    this.#scenario = scenario;
    this.#isHolding = isHolding;
  }

  /** A tool of a process. */
  tool(name: CallName, life: Life) {
    const { moment } = this.#scenario;
    return tool(async ({ key, signal }: { key: string | undefined; signal: AbortSignal }) => {
      if (life.isDead) return NEVER;
      const named = key as string;
      if (this.isFenced) this.forward.push(`${name} ${named}`);
      const isHeld = this.#isHolding && 'under' in moment && moment.under.includes(name) && !this.acts.has(named);
      if (!isHeld || moment.flight !== 'unsent') this.#act(name, named);
      if (!isHeld) return `${name} of ${this.acts.size}`;
      this.#under += 1;
      if (this.#under === moment.under.length) this.onUnder();
      if (moment.flight === 'deaf') return NEVER;
      await new Promise<void>((resolve) => {
        if (signal.aborted) resolve();
        else signal.addEventListener('abort', () => resolve());
      });
      if (life.isDead) return NEVER;
      if (moment.flight === 'replies') return `${name} after all`;
      throw new Error('the reply is lost');
    });
  }

  #act(name: CallName, key: string): void {
    if (this.acts.has(key)) return;
    this.acts.set(key, { key, tool: name, isThere: true, undone: 0, undoKeys: new Set(), byHand: false, tries: 0 });
  }

  /** The counterparty that can be asked. */
  reconciler(life: Life) {
    return ({ key }: { key: string }) => {
      if (life.isDead) return NEVER;
      if (!this.#scenario.tells) throw new Error('it does not know');
      const act = this.acts.get(key);
      return act === undefined
        ? { is: 'not_applied' as const }
        : { is: 'applied' as const, output: `${act.tool} found` };
    };
  }

  wayOf(name: CallName): UndoWay {
    return name === 'a' ? this.#scenario.undoA : this.#scenario.undoB;
  }

  /** Takes away what was made before the abort by a hand that is none of the run's. */
  takeAway(): void {
    for (const act of this.acts.values())
      if (this.wayOf(act.tool) === 'gone') [act.isThere, act.byHand] = [false, true];
  }

  undo(life: Life) {
    const undo = async ({ key, undoKey }: { key: string; undoKey: string }): Promise<void> => {
      if (life.isDead) return NEVER;
      const act = this.acts.get(key);
      if (act === undefined) {
        this.wrong.push(`undone what never happened: ${key}`);
        return;
      }
      act.tries += 1;
      const way = this.wayOf(act.tool);
      if (way === 'never' || (way === 'flaky' && act.tries === 1)) throw new Error('503');
      const isNew = !act.undoKeys.has(undoKey);
      act.undoKeys.add(undoKey);
      if (isNew && !act.byHand) {
        if (act.undone > 0) this.wrong.push(`undone twice: ${key}`);
        act.isThere = false;
        act.undone += 1;
        this.order.push(key);
      }
      if (way === 'mute' || (way === 'lost' && act.tries === 1)) throw new Error('the reply is lost');
    };
    const moved = async ({ key }: { key: string }) => {
      if (life.isDead) return NEVER;
      const act = this.acts.get(key);
      return act !== undefined && this.wayOf(act.tool) === 'moved' ? 'it was checked in' : null;
    };
    return { undo, moved };
  }

  /** A person takes an act away by hand. */
  byHand(key: string): void {
    const act = this.acts.get(key);
    if (act === undefined || !act.isThere) return;
    act.isThere = false;
    act.byHand = true;
    this.order.push(key);
  }
}
