/** The names of a generated machine, and the keys that are read and written at each place of it. */
import type { Chance } from './chance.ts';

/** What a place in the machine may read and write. */
export interface Scope {
  readonly machine: string;
  /** Keys that are written on every path here, and on some. */
  readonly sure: string[];
  readonly maybe: string[];
  /** Those of them that this very sequence has written, and so may write again. */
  readonly own: string[];
  readonly inLoop: boolean;
  readonly inRegion: boolean;
  readonly depth: number;
}

/** What a machine that is invoked may read and write at its beginning. */
export function scopeOf(machine: string): Scope {
  return { machine, sure: ['given'], maybe: [], own: [], inLoop: false, inRegion: false, depth: 1 };
}

/** Draws the names of one machine, and its keys. */
export class Keys {
  /** The value that is often the same where what it rests on is corrected. */
  coarse: string | null = null;
  readonly #chance: Chance;
  readonly #apart: boolean;
  #names = 0;

  constructor(chance: Chance, apart: boolean) {
    this.#chance = chance;
    this.#apart = apart;
  }

  /** Makes a name that no other has. */
  name(letter: string): string {
    this.#names += 1;
    return `${letter}${this.#names}`;
  }

  /** Draws the keys that are read at a place. */
  reads(scope: Scope): string[] {
    const all = [...new Set([...scope.sure, ...scope.maybe])];
    if (!this.#apart) return this.#chance.some(all, 3);
    if (this.coarse !== null && all.includes(this.coarse) && this.#chance.percent(70)) return [this.coarse];
    return this.#chance.percent(70) ? [] : this.#chance.some(all, 2);
  }

  /** Draws a key for an answer: mostly a new one. */
  written(scope: Scope, isSkipped: boolean): string {
    if (scope.own.length > 0 && this.#chance.percent(this.#apart ? 18 : 10)) return this.#chance.pick(scope.own);
    const key = this.name('k');
    if (isSkipped) scope.maybe.push(key);
    else {
      scope.sure.push(key);
      scope.own.push(key);
    }
    return key;
  }
}
