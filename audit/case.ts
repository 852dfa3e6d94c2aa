/**
 * A case: one way in which one agent fails, and what has to come of it. Cases are reviewed pages; a digest of each is written
 * down when somebody vouches for it, and a case that is no longer what was vouched for is not run.
 */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { FAULT_SIGNALS, type FaultSignal, type InstanceId, type Verdict } from 'belay-sidecar';
import { parse, stringify } from 'yaml';
import { ROOT } from './root.ts';

/** A call of a tool, the nth of the run from 1. */
export interface CallSite {
  readonly tool: string;
  readonly nth: number;
}

/** How the run fails: a call, before its effect or after it with the reply lost; or somebody finds earlier work wrong meanwhile. */
export type Failing =
  | { readonly call: CallSite; readonly when: 'before' | 'after'; readonly signal: FaultSignal }
  | { readonly call: CallSite; readonly found: InstanceId; readonly key: string };

/** What has to come of it under one strategy. */
export interface Expected {
  readonly verdict: Verdict;
  /** The failed instance, as it prints; null where none can be told. */
  readonly instance: string | null;
  /** The boundary that the failed instance goes back to, `entry` for its entry, `none` for before its start; null where none. */
  readonly checkpoint: string | null;
  readonly replayed: number;
  /** Completed instances that nothing happened to. */
  readonly preserved: readonly string[];
  /** Every veto, as `CHECKPOINT CODE WITNESS`. */
  readonly vetoes: readonly string[];
  /** What would unblock it, as `ACT WHAT, ask WHOM`. */
  readonly acts: readonly string[];
}

/** The ways of recovering that a case is held against. */
export const STRATEGIES = ['belay', 'belay-alone', 'dart'] as const;

/** One of them: Belay, Belay without anybody to ask, or the rule of the DART paper (with nobody to ask either). */
export type Strategy = (typeof STRATEGIES)[number];

/** A case as it is run. */
export interface Case {
  readonly domain: string;
  readonly name: string;
  /** What it probes, in one line. */
  readonly probes: string;
  readonly input: unknown;
  readonly failing: Failing;
  readonly expect: Readonly<Partial<Record<Strategy, Expected>>>;
  readonly digest: string;
}

/** A page that is no case, or not the one that was vouched for. */
export class CaseError extends Error {
  override readonly name = 'CaseError';
}

interface Page {
  probes: string;
  input?: unknown;
  fails?: { call: string; when: 'before' | 'after'; signal: FaultSignal };
  found_wrong?: { during: string; instance: [string, string, number]; key: string };
  expect: Case['expect'];
}

const FOLDER = join(ROOT, 'audit', 'cases');
const LOCK = join(FOLDER, 'cases.lock');
const text = { type: 'string', minLength: 1 } as const;
const call = { type: 'string', pattern: '^[A-Za-z_][A-Za-z0-9_]*(#[1-9][0-9]*)?$' } as const;

const isPage = new Ajv({ allErrors: true, allowUnionTypes: true }).compile<Page>({
  type: 'object',
  additionalProperties: false,
  required: ['probes', 'expect'],
  oneOf: [{ required: ['fails'] }, { required: ['found_wrong'] }],
  properties: {
    probes: text,
    input: { type: 'object' },
    fails: {
      type: 'object',
      additionalProperties: false,
      required: ['call', 'when', 'signal'],
      properties: {
        call,
        when: { enum: ['before', 'after'] },
        signal: { enum: FAULT_SIGNALS },
      },
    },
    found_wrong: {
      type: 'object',
      additionalProperties: false,
      required: ['during', 'instance', 'key'],
      properties: {
        during: call,
        instance: { type: 'array', minItems: 3, maxItems: 3, items: [text, text, { type: 'integer', minimum: 0 }] },
        key: text,
      },
    },
    expect: {
      type: 'object',
      additionalProperties: false,
      required: STRATEGIES,
      properties: Object.fromEntries(STRATEGIES.map((strategy) => [strategy, expected()])),
    },
  },
});

function expected() {
  const names = { type: 'array', items: text, uniqueItems: true };
  const name = { type: ['string', 'null'] };
  return {
    type: 'object',
    additionalProperties: false,
    required: ['verdict', 'instance', 'checkpoint', 'replayed', 'preserved', 'vetoes', 'acts'],
    properties: {
      verdict: { enum: ['settle', 'restore', 'restore_joint', 'rerun', 'escalate'] },
      instance: name,
      checkpoint: name,
      replayed: { type: 'integer', minimum: 0 },
      preserved: names,
      vetoes: names,
      acts: names,
    },
  };
}

/** Every case, by domain and name. @throws CaseError for a page that is no case. */
export function readCases(): readonly Case[] {
  return readdirSync(FOLDER, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .flatMap(({ name: domain }) =>
      readdirSync(join(FOLDER, domain))
        .filter((file) => file.endsWith('.yaml'))
        .map((file) => readCase(domain, file)),
    )
    .sort((a, b) => (`${a.domain}/${a.name}` < `${b.domain}/${b.name}` ? -1 : 1));
}

function readCase(domain: string, file: string): Case {
  const content = readFileSync(join(FOLDER, domain, file), 'utf8');
  const page: unknown = parse(content);
  if (!isPage(page)) {
    const problems = isPage.errors?.map(({ instancePath, message }) => `${instancePath || '/'} ${message}`);
    throw new CaseError(`${domain}/${file} is no case: ${problems?.join('; ')}`);
  }
  return {
    domain,
    name: file.replace(/\.yaml$/, ''),
    probes: page.probes,
    input: page.input,
    failing: failingOf(page),
    expect: page.expect,
    digest: createHash('sha256').update(content).digest('hex'),
  };
}

function failingOf({ fails, found_wrong: found }: Page): Failing {
  if (fails !== undefined) return { call: siteOf(fails.call), when: fails.when, signal: fails.signal };
  const { during, instance, key } = found as NonNullable<Page['found_wrong']>;
  const [skeleton, entity, ordinal] = instance;
  return { call: siteOf(during), found: { skeleton, entity, ordinal }, key };
}

function siteOf(written: string): CallSite {
  const [tool, nth = '1'] = written.split('#');
  return { tool: tool as string, nth: Number(nth) };
}

interface Lock {
  readonly by: string;
  readonly cases: Readonly<Record<string, string>>;
}

/** Writes down what the cases are, for whoever vouches for them. */
export function freeze(cases: readonly Case[], by: string): void {
  const lock: Lock = {
    by,
    cases: Object.fromEntries(cases.map(({ domain, name, digest }) => [`${domain}/${name}`, digest])),
  };
  writeFileSync(LOCK, stringify(lock));
}

/** Which of the cases are not as somebody has vouched for them, and which of those are missing. */
export function thawed(cases: readonly Case[]): readonly string[] {
  const lock: Lock = existsSync(LOCK) ? parse(readFileSync(LOCK, 'utf8')) : { by: '', cases: {} };
  const names = new Map(cases.map(({ domain, name, digest }) => [`${domain}/${name}`, digest]));
  const changed = [...names].filter(([name, digest]) => lock.cases[name] !== digest).map(([name]) => name);
  return [...changed, ...Object.keys(lock.cases).filter((name) => !names.has(name))];
}
