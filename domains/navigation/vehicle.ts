/**
 * The navigator of the vehicle: a mailbox of files, one for each message. A message is there whole or not at all, and at once: what
 * is not there will not come later. What the driver has been told stays told.
 */
import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A route as the vehicle drives it. */
export interface Route {
  readonly trip: string;
  readonly vehicle: string;
  readonly nodes: readonly string[];
  readonly places: readonly string[];
  readonly charger: string;
  readonly standing: string;
}

/** The mailbox of the vehicles of a world. */
export class Navigator {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
    mkdirSync(folder, { recursive: true });
  }

  /** Sends a route. Of one name there is one message. */
  send(message: string, route: Route): void {
    const part = join(this.#folder, `${message}.part`);
    writeFileSync(part, JSON.stringify(route));
    renameSync(part, this.#file(message));
  }

  /** True if a message arrived. */
  has(message: string): boolean {
    return readdirSync(this.#folder).includes(`${message}.json`);
  }

  /** Every route that arrived, by what it says. */
  all(): readonly Route[] {
    const files = readdirSync(this.#folder).filter((file) => file.endsWith('.json'));
    const texts = files.map((file) => readFileSync(join(this.#folder, file), 'utf8'));
    return texts.sort().map((text): Route => JSON.parse(text));
  }

  #file(message: string): string {
    return join(this.#folder, `${message}.json`);
  }
}
