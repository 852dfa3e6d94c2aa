/**
 * The versions of external keys, whose values no journal has: a version is told by its write, also where a replay
 * claims it (C6).
 */
import { type Key, overlaps } from '../model/key.ts';

/** A version of an external key. */
export interface Version {
  readonly key: Key;
  readonly at: number;
  /** The name of the instance that wrote it. */
  readonly by: string;
  /** The number of the write that made it first. */
  readonly origin: number;
}

/** The versions of one run, in order. */
export class ExternalVersions {
  #versions: Version[] = [];

  /** The parts that a base holds. */
  get parts(): Version[] {
    return this.#versions;
  }

  wrote(key: Key, at: number, by: string, origin: number): void {
    this.#versions.push({ key, at, by, origin });
  }

  /** Forgets what an instance wrote after an event. */
  forget(by: string, after: number): void {
    if (this.#versions.some((version) => version.by === by && version.at > after))
      this.#versions = this.#versions.filter((version) => version.by !== by || version.at <= after);
  }

  /** The first number of the newest version that overlaps a key, before an event, by none of some instances; null for none. */
  newest(key: Key, before: number, but: ReadonlySet<string>): number | null {
    const found = this.#versions.findLast(
      (version) => version.at < before && !but.has(version.by) && overlaps(version.key, key),
    );
    return found?.origin ?? null;
  }
}
