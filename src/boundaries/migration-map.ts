/**
 * A map of names: what a release calls otherwise than the release before, as a reviewed file (docs/deploying.md). It is bound to both
 * releases by their digests. The file is untrusted: every content has an answer.
 */
import { pathNow, RENAMED, type Renames } from '../model/renames.ts';
import { contentDigest } from './digest.ts';
import { type Entry, entriesOf, field, type Item, plain, textOf } from './page/document.ts';
import { type Finding, Findings } from './page/finding.ts';
import { parseDocument } from './page/parse.ts';

/** A release, by the digests of its machine and its config. */
interface MappedRelease {
  readonly machine: string;
  readonly config: string;
}

/** A map, as a reviewer vouches for it. */
export interface MigrationMap {
  readonly agent: string;
  readonly from: MappedRelease;
  readonly to: MappedRelease;
  readonly renames: Renames;
  /** That of its content: layout and comments are none of it. */
  readonly digest: string;
}

/** A map, or the reasons against it. */
export interface LoadedMap {
  /** True where the file means to be a map. */
  readonly isMap: boolean;
  readonly map: MigrationMap | null;
  readonly findings: readonly Finding[];
}

const FIELDS = ['belay', 'migrate', 'from', 'to', ...RENAMED] as const;

/** The form of a name of each sort. */
const FORMS: Readonly<Record<keyof Renames, RegExp>> = {
  states: /^[^.\s/:*]+(?:\.[^.\s/:*]+)*$/,
  keys: /^[^.\s/:*%]+$/,
  tools: /^[^\s]+$/,
  skeletons: /^[A-Za-z][\w-]*$/,
};

/** Loads a map from the content of its file. */
export function loadMap(content: string | Uint8Array, file: string): LoadedMap {
  const findings = new Findings(file);
  const { root } = parseDocument(content, file, findings);
  if (root === null) return { isMap: false, map: null, findings: findings.list() };
  const isMap = field(root, 'migrate') !== null;
  const read = new Reading(findings);
  read.only(root, FIELDS, 'a map');
  const agent = read.agent(root);
  const [from, to] = [read.release(root, 'from'), read.release(root, 'to')];
  const renames = read.renames(root);
  if (findings.refused) return { isMap, map: null, findings: findings.list() };
  return { isMap, map: { agent, from, to, renames, digest: contentDigest(plain(root)) }, findings: findings.list() };
}

class Reading {
  readonly #findings: Findings;

  constructor(findings: Findings) {
    this.#findings = findings;
  }

  /** Refuses the fields that are none of a part. */
  only(item: Item | null, fields: readonly string[], what: string): void {
    for (const [name, { at }] of entriesOf(item))
      if (!fields.includes(name))
        this.#findings.report(
          'unknown_field',
          'error',
          at,
          `there is no field ${JSON.stringify(name)} in ${what}`,
          `It has ${fields.join(', ')}.`,
        );
  }

  agent(root: Item): string {
    const belay = field(root, 'belay');
    if (belay === null || belay.kind !== 'scalar' || belay.value !== 1)
      this.#refuse('wrong_form', belay ?? root, 'the file does not say "belay: 1"', 'Begin it with belay: 1.');
    return this.#text(root, 'migrate', /^[^\s]+$/, 'the name of the agent');
  }

  release(root: Item, name: 'from' | 'to'): MappedRelease {
    const item = field(root, name);
    this.only(item, ['machine', 'config'], name);
    const digest = (of: 'machine' | 'config') =>
      this.#text(item ?? root, of, /^[0-9a-f]{64}$/, `the digest of the ${of} in ${name}: 64 hexadecimal digits`);
    return { machine: digest('machine'), config: digest('config') };
  }

  renames(root: Item): Renames {
    const of = (sort: keyof Renames) => this.#names(field(root, sort), sort);
    return { states: of('states'), keys: of('keys'), tools: of('tools'), skeletons: of('skeletons') };
  }

  #names(item: Item | null, sort: keyof Renames): Readonly<Record<string, string>> {
    if (item !== null && item.kind !== 'map')
      this.#refuse('wrong_type', item, `${sort} is no map of names`, 'Write OLD: NEW, one a line.');
    const names: [string, string][] = [];
    const taken = new Map<string, string>();
    for (const [then, entry] of entriesOf(item)) {
      const now = textOf(entry.item);
      if (now === null || !FORMS[sort].test(now) || !FORMS[sort].test(then)) this.#badName(then, entry, sort);
      else if (taken.has(now))
        this.#refuse(
          'bad_name',
          entry.item,
          `${taken.get(now)} and ${then} would both be called ${now}`,
          'Each name is that of one thing.',
        );
      else {
        taken.set(now, then);
        if (now !== then) names.push([then, now]);
      }
    }
    if (sort === 'tools') this.#noSwap(item, names);
    if (sort === 'states') this.#inPlace(item, Object.fromEntries(names));
    return Object.fromEntries(names);
  }

  /** A state stays in the state that it lies in, whatever that is called now. */
  #inPlace(item: Item | null, names: Renames['states']): void {
    for (const [then, { item: at }] of entriesOf(item)) {
      const now = names[then];
      if (now !== undefined && above(now) !== pathNow(names, above(then)))
        this.#refuse(
          'bad_name',
          at,
          `${then} and ${now} lie in two states`,
          `A state stays where it is: ${within(pathNow(names, above(then)), now)}.`,
        );
    }
  }

  /** Which of two tools a name was is nowhere to be seen: a map that has them change places cannot be told from a mistake. */
  #noSwap(item: Item | null, names: readonly (readonly [string, string])[]): void {
    const swapped = names.find(([, now]) => names.some(([then]) => then === now));
    if (swapped !== undefined && item !== null)
      this.#refuse(
        'bad_name',
        item,
        `${swapped[1]} is the name of a tool before and behind the map`,
        'Give the tool a name that none had.',
      );
  }

  #badName(then: string, { item }: Entry, sort: keyof Renames): void {
    const mend = sort === 'states' ? 'Name a state by its path: a.b.' : 'Name both by what the release calls them.';
    this.#refuse('bad_name', item, `${JSON.stringify(then)} has no name of ${sort} behind it`, mend);
  }

  #text(item: Item, name: string, form: RegExp, what: string): string {
    const found = field(item, name);
    const text = textOf(found);
    if (text !== null && form.test(text)) return text;
    if (found === null) this.#refuse('missing_field', item, `${name} is not there: ${what}`, `Write ${name}.`);
    else this.#refuse('wrong_form', found, `${name} is not ${what}`, 'Have `belay migrate init` write it.');
    return '';
  }

  #refuse(
    code: 'bad_name' | 'missing_field' | 'wrong_form' | 'wrong_type',
    { at }: Item,
    message: string,
    mend: string,
  ): void {
    this.#findings.report(code, 'error', at, message, mend);
  }
}

/** The path of a state by its last name in another state. */
function within(around: string, path: string): string {
  const name = path.slice(path.lastIndexOf('.') + 1);
  return around === '' ? name : `${around}.${name}`;
}

/** The path of the state that a state lies in. */
function above(path: string): string {
  return path.slice(0, Math.max(path.lastIndexOf('.'), 0));
}
