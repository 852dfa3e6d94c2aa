/** Counts what the sequences have met, so that a campaign that meets nothing is seen to. */
import type { Driver } from './driver.ts';

/** How often commands were taken and refused, in which states of the run, and how the runs ended. */
export class Tally {
  readonly counts: Record<string, number> = {};

  taken(command: string): void {
    this.#count(`${command} taken`);
  }

  /** What a preview had said of a complaint, as it came. */
  foreseen(how: string): void {
    this.#count(`foreseen: ${how}`);
  }

  /** What it says was so already. */
  already(command: string): void {
    this.#count(`${command} already so`);
  }

  refused(command: string, why: string): void {
    this.#count(`${command} refused: ${why}`);
  }

  /** The state of the run in which a command is given. */
  state({ sidecar }: Driver): void {
    this.#count(`given while ${sidecar.status}`);
  }

  ended(how: string): void {
    this.#count(`ended ${how}`);
  }

  #count(what: string): void {
    this.counts[what] = (this.counts[what] ?? 0) + 1;
  }
}
