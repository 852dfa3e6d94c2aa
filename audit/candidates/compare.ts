/**
 * The drafts of `belay init` beside the reviewed configs, field by field, and what is left to a reviewer: the fields to decide, those to change, and
 * the time of a review by a script that makes each change and loads the page after it.
 */
import { loadConfig } from 'belay-sidecar';
import { parse, stringify } from 'yaml';

type Part = Readonly<Record<string, unknown>>;

/** A page of a config, as YAML reads it. */
interface Page {
  tools?: Record<string, Record<string, unknown>>;
  skeletons?: Record<string, Record<string, unknown>>;
  [field: string]: unknown;
}

/** What is counted of one agent. */
export interface Compared {
  /** Fields of the reviewed page. */
  readonly reviewed: number;
  /** Of those: in the draft with the same value, with another one, and not in the draft. */
  readonly exact: number;
  readonly differs: readonly string[];
  readonly missing: readonly string[];
  /** Fields of the draft that the reviewed page does not have. */
  readonly beyond: readonly string[];
  /** Fields of the draft, and those that a second draft has with the same value. */
  readonly drafted: number;
  readonly stable: number;
  /** The questions of the draft. */
  readonly decide: number;
}

/** Compares two drafts of one agent with its reviewed page. */
export function compared(first: string, second: string, reviewed: string): Compared {
  const page: Page = parse(first);
  const frozen: Page = parse(reviewed);
  const wanted = fieldsOf(frozen);
  const drafted = fieldsOf(page);
  const twice = fieldsOf(parse(second));
  const beside = fieldsOf(renamed(page, frozen));
  const isSame = (name: string) => beside.get(name) === wanted.get(name);
  const names = [...wanted.keys()];
  return {
    reviewed: wanted.size,
    exact: names.filter((name) => beside.has(name) && isSame(name)).length,
    differs: names.filter((name) => beside.has(name) && !isSame(name)),
    missing: names.filter((name) => !beside.has(name)),
    beyond: [...beside.keys()].filter((name) => !wanted.has(name)),
    drafted: drafted.size,
    stable: [...drafted].filter(([name, value]) => twice.get(name) === value).length,
    decide: first.match(/TODO/g)?.length ?? 0,
  };
}

/** A review by a script: it takes over each field that is another in the reviewed page, and loads the page after each. */
export function reviewedByScript(
  draft: string,
  reviewed: string,
): { readonly changes: number; readonly milliseconds: number; readonly isReviewed: boolean } {
  const page: Page = parse(draft);
  const frozen: Page = parse(reviewed);
  const began = performance.now();
  let changes = 0;
  let last = loadConfig(stringify(page), { file: 'draft.yaml' });
  const set = (part: Record<string, unknown>, field: string, value: unknown) => {
    if (JSON.stringify(part[field]) === JSON.stringify(value)) return;
    if (value === undefined) delete part[field];
    else part[field] = value;
    changes += 1;
    last = loadConfig(stringify(page), { file: 'draft.yaml' });
  };
  const { tools = {} } = page;
  const { tools: wanted = {} } = frozen;
  for (const name of unionOf(tools, wanted)) {
    const [own, of] = [tools[name], wanted[name]];
    if (own === undefined || of === undefined) set(tools, name, of);
    else for (const field of unionOf(own, of)) set(own, field, of[field]);
  }
  for (const field of unionOf(page, frozen)) if (field !== 'tools') set(page, field, frozen[field]);
  const milliseconds = performance.now() - began;
  const { config } = loadConfig(reviewed, { file: 'reviewed.yaml' });
  return { changes, milliseconds, isReviewed: config !== null && last.config?.digest === config.digest };
}

function unionOf(one: object, other: object): readonly string[] {
  return [...new Set([...Object.keys(one), ...Object.keys(other)])];
}

/** The draft with each of its skeletons under the name of each reviewed one that it shares the most states with. */
function renamed(draft: Page, frozen: Page): Page {
  const drafts = Object.entries(draft.skeletons ?? {});
  const matched = new Set<string>();
  const skeletons = Object.entries(frozen.skeletons ?? {}).flatMap(([name, wanted]) => {
    const shared = (own: Part) => textsOf(own.states).filter((state) => textsOf(wanted.states).includes(state)).length;
    const [best] = drafts.toSorted(([, a], [, b]) => shared(b) - shared(a));
    if (best === undefined || shared(best[1]) === 0) return [];
    matched.add(best[0]);
    return [[name, best[1]] as const];
  });
  const rest = drafts.filter(([name]) => !matched.has(name));
  return { ...draft, skeletons: Object.fromEntries([...rest, ...skeletons]) };
}

/** Each field by its path, with its value as text. A boundary is named by its site, and not by its id. */
function fieldsOf(page: Page): ReadonlyMap<string, string> {
  const fields = new Map<string, string>();
  const add = (path: readonly string[], value: unknown): void => {
    if (Array.isArray(value) && value.length > 0 && value.every(isBoundary))
      for (const { id: _, at, ...rest } of value) add([...path, String(at)], rest);
    else if (typeof value === 'object' && value !== null && !Array.isArray(value))
      for (const [name, inner] of Object.entries(value)) add([...path, name], inner);
    else fields.set(path.join(' '), JSON.stringify(Array.isArray(value) ? value.toSorted() : value));
  };
  add([], page);
  return fields;
}

function isBoundary(value: unknown): value is Part {
  return typeof value === 'object' && value !== null && 'at' in value;
}

function textsOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.map(String) : [];
}
