/**
 * The names that keys are made of, where a release has given names anew (semantics.md CO5): a tool or a skeleton with
 * another name has the name of then in its keys, so that the same decision has the same key. What has that name now is
 * another thing, and its keys say which map it came with: they never meet a key of before.
 */
import type { Renames } from '../model/renames.ts';
import type { KeyedCall } from './keys.ts';

/** A name in a key: the name alone, or with the number of the map that introduced it. */
type KeyName = string | readonly [name: string, map: number];

/** The names in the keys of one run. */
export class KeyNames {
  readonly #maps: Renames[] = [];

  rename(renames: Renames): void {
    this.#maps.push(renames);
  }

  /** The parts of the key of a call that say whose it is. */
  partsOf(run: string, { keyedAs: { skeleton, entity, ordinal }, tool }: Pick<KeyedCall, 'keyedAs' | 'tool'>) {
    const [skeletonThen, toolThen] = [this.#then(skeleton, 'skeletons'), this.#then(tool, 'tools')];
    return [run, skeletonThen, entity, ordinal, toolThen] as const;
  }

  #then(now: string, sort: 'skeletons' | 'tools'): KeyName {
    let name = now;
    for (let nth = this.#maps.length - 1; nth >= 0; nth -= 1) {
      const map = (this.#maps[nth] as Renames)[sort];
      const then = Object.keys(map).find((each) => map[each] === name);
      if (then === undefined && Object.hasOwn(map, name)) return [name, nth + 1];
      name = then ?? name;
    }
    return name;
  }
}
