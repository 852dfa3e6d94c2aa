/** The counterparty of the alternatives that are tried: it keeps every act, by key, and what stood in it when something final left. */
import { NotApplied } from '../../src/index.ts';
import type { Kind, Scenario } from './scenario.ts';

/** One act in the world. */
export interface Act {
  readonly key: string;
  readonly tool: string;
  /** The branch that asked for it; null for an act of the machine itself. */
  readonly branch: string | null;
  /** Its number in the branch. */
  readonly nth: number;
  isThere: boolean;
  undone: number;
  byHand: boolean;
  tries: number;
}

export interface Life {
  isDead: boolean;
}

/** The arguments of every tool. */
export interface Asked {
  readonly branch: string | null;
  readonly nth: number;
  readonly x?: unknown;
}

const NEVER = new Promise<never>(() => {});

export class World {
  readonly acts = new Map<string, Act>();
  readonly wrong: string[] = [];
  /** The acts of branches that were in the world as something final left: by the final act. */
  readonly finals: { readonly tool: string; readonly branch: string | null; readonly there: readonly Act[] }[] = [];
  /** The number of times that each question without an effect was asked. */
  looks = 0;
  readonly #scenario: Scenario;
  #isFaulted = false;
  /** The time from which on the counterparty knows the act that it learns of late. */
  #learns = Number.POSITIVE_INFINITY;
  readonly #now: () => number;

  constructor(scenario: Scenario, now: () => number) {
    this.#scenario = scenario;
    this.#now = now;
  }

  #isFaulty({ branch, nth }: Asked): boolean {
    return this.#scenario.fault !== null && branch === `b${this.#scenario.fault.branch}` && nth === 0;
  }

  act(tool: Kind | 'pre' | 'post', life: Life) {
    return async ({ input, key }: { input: Asked; key?: string | undefined }): Promise<string> => {
      if (life.isDead) return NEVER;
      const fault = this.#isFaulty(input) ? this.#scenario.fault?.is : undefined;
      const answer = `${tool}:${input.branch}:${input.nth}`;
      if (fault === 'fails') throw new NotApplied('no seat');
      if (key === undefined) {
        this.looks += 1;
        return answer;
      }
      if (!this.acts.has(key)) {
        this.acts.set(key, {
          key,
          tool,
          branch: input.branch,
          nth: input.nth,
          isThere: true,
          undone: 0,
          byHand: false,
          tries: 0,
        });
        if (tool === 'post' || tool === 'idempotent' || tool === 'irreversible' || tool === 'bare' || tool === 'staged')
          this.finals.push({
            tool,
            branch: input.branch,
            there: [...this.acts.values()].filter(({ isThere, branch }) => isThere && branch !== null),
          });
      }
      if (!this.#isFaulted && (fault === 'lost' || fault === 'mute' || fault === 'settles')) {
        this.#isFaulted = true;
        this.#learns = this.#now() + 50_000;
        throw new Error('the reply is lost');
      }
      return answer;
    };
  }

  reconciler(life: Life) {
    return ({ key }: { key: string }) => {
      if (life.isDead) return NEVER;
      const act = this.acts.get(key);
      if (act !== undefined && this.#scenario.fault?.is === 'mute' && this.#isFaulty(act))
        throw new Error('it does not know');
      const isLate = act !== undefined && this.#isFaulty(act) && this.#scenario.fault?.is === 'settles';
      if (act === undefined || (isLate && this.#now() < this.#learns)) return { is: 'not_applied' as const };
      return { is: 'applied' as const, output: `${act.tool}:${act.branch}:${act.nth}` };
    };
  }

  undo(life: Life) {
    const undo = async ({ key }: { key: string }): Promise<void> => {
      if (life.isDead) return NEVER;
      const act = this.acts.get(key);
      if (act === undefined) {
        this.wrong.push(`undone what never happened: ${key}`);
        return;
      }
      act.tries += 1;
      const fault = this.#isFaulty(act) ? this.#scenario.fault?.is : undefined;
      if (fault === 'never' || (fault === 'flaky' && act.tries === 1)) throw new Error('503');
      if (act.isThere) {
        act.isThere = false;
        act.undone += 1;
      }
      if (fault === 'blind' && act.tries === 1) throw new Error('the reply is lost');
    };
    const moved = async ({ key }: { key: string }) => {
      if (life.isDead) return NEVER;
      const act = this.acts.get(key);
      return act !== undefined && this.#isFaulty(act) && this.#scenario.fault?.is === 'moved'
        ? 'it was checked in'
        : null;
    };
    return { undo, moved };
  }

  /** A person takes an act away by hand. */
  byHand(key: string): void {
    const act = this.acts.get(key);
    if (act?.isThere !== true) return;
    act.isThere = false;
    act.byHand = true;
  }
}
