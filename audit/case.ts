/**
 * A case: one way in which one agent fails, and the required result. Cases are reviewed pages, as are the domains' own;
 * a reviewer vouches for the digest of each, and the audit runs no page that has changed since.
 */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv, type ValidateFunction } from 'ajv';
import { type Key, parseKey, type Signal, type Suspect, type Verdict } from 'belay-sidecar';
import { parse, stringify } from 'yaml';
import { there } from '../domains/there.ts';
import { RAW, type Raw } from './raw.ts';
import { ROOT } from './root.ts';

/** A call of a tool, the nth of the run from 1. */
export interface CallSite {
  readonly tool: string;
  readonly nth: number;
}

/** A call that has timed out by then, before its effect or after it, and whose error the machine itself has handled. */
interface Handled extends CallSite {
  readonly when: 'before' | 'after';
}

/**
 * The failure of the run: a call, before its effect or after it with the reply lost; or a later complaint about earlier
 * work.
 */
export type Failing =
  | { readonly call: CallSite; readonly when: 'before' | 'after'; readonly handled?: Handled }
  | { readonly call: CallSite; readonly found: Suspect; readonly key: string; readonly signal?: Signal };

/** The required result under a strategy that decides. */
export interface Expected {
  readonly verdict: Verdict;
  /** The failed instance, as it prints; null where none can be told. */
  readonly instance: string | null;
  /** The boundary that the failed instance goes back to, `entry` for its entry, `none` for before its start; null where none. */
  readonly checkpoint: string | null;
  readonly replayed: number;
  /** Completed instances that nothing happened to. */
  readonly preserved: readonly string[];
  /** Every veto, as `CHECKPOINT CODE WITNESS`, in order. */
  readonly vetoes: readonly string[];
  /** The acts that would unblock it, as `ACT WHAT, ask WHOM`. */
  readonly acts: readonly string[];
}

/** The ways of recovering, as the paper names its four, and ours. */
export const STRATEGIES = ['retry-only', 'coarse-state-retry', 'comp-entry-only', 'comp-frozen', 'belay'] as const;

/** One of them. */
export type Strategy = (typeof STRATEGIES)[number];

/** Those of which a case says what has to come. */
export const FROZEN = ['comp-frozen', 'belay'] as const satisfies Strategy[];

/** The reference of a recovered run. */
export const CHECKS = ['semantics', 'prefix', 'effect', 'committed_prefix'] as const;

/** One of them. */
export type CheckName = (typeof CHECKS)[number];

/** The subject of a case. */
const FAMILIES = [
  'transient',
  'commit',
  'dependency',
  'readers',
  'effect',
  'floor',
  'lost_reply',
  're_entry',
  'alias',
  'unresolved_branch',
  'late_suspect',
] as const;

/** The facts that hold for all cases of a domain. */
export interface Domain {
  readonly name: string;
  /** The keys of the memory that make up what the run came to. */
  readonly semantics: readonly Key[];
  /** The reference of a recovered run of the domain, unless its case names another. */
  readonly requires: readonly CheckName[];
  /** The states at which a coarse runtime takes its snapshots. */
  readonly coarse: readonly string[];
  /** A legal edge that is no boundary, and a case that takes it; null where the domain has none to show. */
  readonly wrongEdge: { readonly skeleton: string; readonly at: string; readonly case: string } | null;
  readonly digest: string;
}

/** A case as it is run. */
export interface Case {
  readonly domain: string;
  readonly name: string;
  readonly regime: 'official' | 'commit-sensitive';
  readonly family: (typeof FAMILIES)[number];
  /** The purpose of the case, in one line. */
  readonly probes: string;
  readonly input: unknown;
  readonly failing: Failing;
  /** The raw ways in which it fails, one for each repeat in turn. Empty where something is found wrong. */
  readonly raw: readonly Raw[];
  readonly requires: readonly CheckName[];
  readonly expect: Readonly<Record<(typeof FROZEN)[number], Expected>>;
  readonly digest: string;
}

/** A page that is no case, or not the one that was vouched for. */
export class CaseError extends Error {
  override readonly name = 'CaseError';
}

interface Page extends Pick<Case, 'regime' | 'family' | 'probes' | 'expect'> {
  input?: unknown;
  fails?: { call: string; when: 'before' | 'after'; raw: Raw[]; handled?: { call: string; when: 'before' | 'after' } };
  found_wrong?: { during: string; instance: [string, string, number?]; key: string };
  safe?: CheckName[];
}

interface DomainPage {
  semantics: string[];
  requires: CheckName[];
  coarse: string[];
  wrong_edge?: { skeleton: string; at: string; case: string };
}

const FOLDER = join(ROOT, 'audit', 'cases');
const LOCK = join(FOLDER, 'cases.lock');
const text = { type: 'string', minLength: 1 } as const;
const texts = { type: 'array', items: text, uniqueItems: true } as const;
const checks = { type: 'array', items: { enum: CHECKS }, uniqueItems: true, minItems: 1 } as const;
const call = { type: 'string', pattern: '^[A-Za-z_][A-Za-z0-9_]*(#[1-9][0-9]*)?$' } as const;
const name = { type: ['string', 'null'] } as const;

const expected = {
  type: 'object',
  additionalProperties: false,
  required: ['verdict', 'instance', 'checkpoint', 'replayed', 'preserved', 'vetoes', 'acts'],
  properties: {
    verdict: { enum: ['settle', 'restore', 'restore_joint', 'rerun', 'escalate'] },
    instance: name,
    checkpoint: name,
    replayed: { type: 'integer', minimum: 0 },
    preserved: texts,
    vetoes: texts,
    acts: texts,
  },
} as const;

const ajv = new Ajv({ allErrors: true, allowUnionTypes: true, strictTuples: false, strictRequired: false });

const isPage = ajv.compile<Page>({
  type: 'object',
  additionalProperties: false,
  required: ['regime', 'family', 'probes', 'expect'],
  oneOf: [{ required: ['fails'] }, { required: ['found_wrong'] }],
  properties: {
    regime: { enum: ['official', 'commit-sensitive'] },
    family: { enum: FAMILIES },
    probes: text,
    input: { type: 'object' },
    safe: checks,
    fails: {
      type: 'object',
      additionalProperties: false,
      required: ['call', 'when', 'raw'],
      properties: {
        call,
        when: { enum: ['before', 'after'] },
        raw: { type: 'array', items: { enum: Object.keys(RAW) }, uniqueItems: true, minItems: 1 },
        handled: {
          type: 'object',
          additionalProperties: false,
          required: ['call', 'when'],
          properties: { call, when: { enum: ['before', 'after'] } },
        },
      },
    },
    found_wrong: {
      type: 'object',
      additionalProperties: false,
      required: ['during', 'instance', 'key'],
      properties: {
        during: call,
        instance: { type: 'array', minItems: 2, maxItems: 3, items: [text, text, { type: 'integer', minimum: 0 }] },
        key: text,
      },
    },
    expect: {
      type: 'object',
      additionalProperties: false,
      required: FROZEN,
      properties: Object.fromEntries(FROZEN.map((strategy) => [strategy, expected])),
    },
  },
});

const isDomain = ajv.compile<DomainPage>({
  type: 'object',
  additionalProperties: false,
  required: ['semantics', 'requires', 'coarse'],
  properties: {
    semantics: { ...texts, minItems: 1 },
    requires: checks,
    coarse: texts,
    wrong_edge: {
      type: 'object',
      additionalProperties: false,
      required: ['skeleton', 'at', 'case'],
      properties: { skeleton: text, at: text, case: text },
    },
  },
});

/** The file in a domain's folder that says what holds of all its cases. */
const DOMAIN = 'domain.yaml';

/** Every domain that has cases, by name. @throws CaseError for a page that is none. */
export function readDomains(): readonly Domain[] {
  return readdirSync(FOLDER, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }): Domain => {
      const { page, digest } = read(name, DOMAIN, isDomain);
      const { semantics, requires, coarse, wrong_edge: wrongEdge = null } = page;
      return { name, semantics: semantics.map(parseKey), requires, coarse, wrongEdge, digest };
    })
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** A site at which every raw failure has to lead to one decision: a case, by its domain and name. */
export interface SignalSite {
  readonly site: string;
  readonly domain: string;
  readonly case: string;
}

const isSites = ajv.compile<{ sites: SignalSite[] }>({
  type: 'object',
  additionalProperties: false,
  required: ['sites'],
  properties: {
    sites: {
      type: 'array',
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['site', 'domain', 'case'],
        properties: { site: text, domain: text, case: text },
      },
    },
  },
});

/** The sites of the normalisation of signals. @throws CaseError for a page that is none. */
export function readSites(): readonly SignalSite[] {
  return read('.', 'sites.yaml', isSites).page.sites;
}

/** Every case, by domain and name. @throws CaseError for a page that is no case. */
export function readCases(): readonly Case[] {
  return readDomains().flatMap((domain) =>
    readdirSync(join(FOLDER, domain.name))
      .filter((file) => file.endsWith('.yaml') && file !== DOMAIN)
      .sort()
      .map((file) => readCase(domain, file)),
  );
}

function readCase(domain: Domain, file: string): Case {
  const { page, digest } = read(domain.name, file, isPage);
  const { regime, family, probes, input, expect, fails, safe } = page;
  if (fails?.raw.includes('denied') === true && fails.when === 'after')
    throw new CaseError(`${domain.name}/${file}: a call that was denied has not acted`);
  return {
    domain: domain.name,
    name: file.replace(/\.yaml$/, ''),
    regime,
    family,
    probes,
    input,
    failing: failingOf(page),
    raw: fails?.raw ?? [],
    requires: safe ?? domain.requires,
    expect,
    digest,
  };
}

function read<T>(folder: string, file: string, isOne: ValidateFunction<T>): { page: T; digest: string } {
  const path = join(FOLDER, folder, file);
  if (!existsSync(path)) throw new CaseError(`there is no ${folder}/${file}`);
  const content = readFileSync(path, 'utf8');
  const page: unknown = parse(content);
  if (isOne(page)) return { page, digest: createHash('sha256').update(content).digest('hex') };
  const problems = isOne.errors?.map(({ instancePath, message }) => `${instancePath || '/'} ${message}`);
  throw new CaseError(`${folder}/${file} is none: ${problems?.join('; ')}`);
}

function failingOf({ fails, found_wrong: found }: Page): Failing {
  if (fails !== undefined) {
    const { handled } = fails;
    const by = handled === undefined ? {} : { handled: { ...siteOf(handled.call), when: handled.when } };
    return { call: siteOf(fails.call), when: fails.when, ...by };
  }
  const { during, instance, key } = there(found, 'failure in the case');
  const [skeleton, entity, ordinal] = instance;
  return {
    call: siteOf(during),
    found: { skeleton, entity, ...(ordinal !== undefined && { ordinal }) },
    key,
  };
}

function siteOf(written: string): CallSite {
  const [tool = '', nth = '1'] = written.split('#');
  return { tool, nth: Number(nth) };
}

interface Lock {
  readonly by: string;
  readonly cases: Readonly<Record<string, string>>;
}

/** Every page that is vouched for, with its digest. */
function pages(): Map<string, string> {
  const domains = readDomains().map(({ name, digest }): [string, string] => [`${name}/domain`, digest]);
  return new Map([
    ['sites', read('.', 'sites.yaml', isSites).digest],
    ...domains,
    ...readCases().map(({ domain, name, digest }): [string, string] => [`${domain}/${name}`, digest]),
  ]);
}

/** Writes down the digests of the pages, for the reviewer. @returns the number of pages. */
export function freeze(by: string): number {
  const all = pages();
  writeFileSync(LOCK, stringify({ by, cases: Object.fromEntries(all) } satisfies Lock));
  return all.size;
}

/** The pages that have changed since their review, and the reviewed pages that are missing. */
export function thawed(): readonly string[] {
  const lock: Lock = existsSync(LOCK) ? parse(readFileSync(LOCK, 'utf8')) : { by: '', cases: {} };
  const all = pages();
  const changed = [...all].filter(([page, digest]) => lock.cases[page] !== digest).map(([page]) => page);
  return [...changed, ...Object.keys(lock.cases).filter((page) => !all.has(page))];
}
