/**
 * Compiles texts: predicates, expressions that find an entity, and guards by name. The errors of a text are a list of
 * problems; an error of the facts is an answer.
 */
import { createHash } from 'node:crypto';
import { type CelError, LONGEST_TEXT, type Node, parse, typeOf } from './cel.ts';
import { evaluator } from './evaluate.ts';
import {
  ARGUMENTS_SCOPE,
  ENTITY_SCOPE,
  JUDGED_SCOPE,
  lint,
  MESSAGE_SCOPE,
  PREDICATE_SCOPE,
  type Scope,
} from './lint.ts';
import { Failed } from './own.ts';
import type { Answer, Derivation, Expression, Facts, Predicate, Score } from './predicate.ts';
import type { Problem } from './problem.ts';
import { argumentsIn } from './reads.ts';
import { nameOf, plainOf } from './values.ts';

/** Conditions written in code, by name: the escape hatch for what CEL cannot say. Each must be a pure function of the facts. */
export type Guards = Readonly<Record<string, (facts: Facts) => boolean>>;

/** A compiled text, or its problems. */
export type Compiled<T> = { readonly ok: T } | { readonly problems: readonly Problem[] };

/** Compiles a condition. */
export function compilePredicate(text: string, scope: Scope = PREDICATE_SCOPE): Compiled<Predicate> {
  const read = readText(text, scope, ['bool', 'dyn']);
  if ('problems' in read) return read;
  const evaluate = evaluator(read.ok);
  const ask = (facts: Facts) => answer(safely(() => evaluate(facts)));
  return { ok: { text, ask } };
}

/** Compiles an expression whose value is the entity; `entity` itself is not known to it. */
export function compileEntity(text: string): Compiled<Expression> {
  return compileText(text, ENTITY_SCOPE, 'the entity');
}

/** Compiles an expression whose value is the message of a commit, from the entity and the context. */
export function compileMessage(text: string): Compiled<Expression> {
  return compileText(text, MESSAGE_SCOPE, 'the message');
}

/** Compiles an expression whose value is a text in the answer of a judge. */
export function compileJudged(text: string): Compiled<Expression> {
  return compileText(text, JUDGED_SCOPE, 'the text');
}

function compileText(text: string, scope: Scope, what: string): Compiled<Expression> {
  const read = readText(text, scope, ['string', 'dyn']);
  if ('problems' in read) return read;
  const evaluate = evaluator(read.ok);
  return {
    ok: {
      text,
      evaluate: (facts) => {
        const value = safely(() => evaluate(facts));
        if (value instanceof Failed) return { reason: value.reason };
        if (typeof value !== 'string') return { reason: `not_a_text: ${what} is ${nameOf(value)}` };
        return value.isWellFormed() ? { value } : { reason: `not_a_text: ${what} is ill-formed Unicode` };
      },
    },
  };
}

/** Compiles an expression whose value is a number. */
export function compileScore(text: string): Compiled<Score> {
  const read = readText(text, PREDICATE_SCOPE, ['int', 'double', 'dyn']);
  if ('problems' in read) return read;
  const evaluate = evaluator(read.ok);
  return {
    ok: {
      text,
      evaluate: (facts) => {
        const found = safely(() => evaluate(facts));
        if (found instanceof Failed) return { reason: found.reason };
        const value = typeof found === 'bigint' ? Number(found) : found;
        const isNumber = typeof value === 'number' && Number.isFinite(value);
        return isNumber ? { value } : { reason: `not_a_number: the score is ${nameOf(found)}` };
      },
    },
  };
}

/** Compiles an expression whose value is an argument of a call, from the other arguments. */
export function compileDerivation(text: string): Compiled<Derivation> {
  const read = readText(text, ARGUMENTS_SCOPE, null);
  if ('problems' in read) return read;
  const evaluate = evaluator(read.ok);
  const facts = { state: '', action: '', entity: null, memory: null, event: null };
  return {
    ok: {
      text,
      reads: argumentsIn(read.ok),
      evaluate: (args) => {
        const value = safely(() => plainOf(evaluate({ ...facts, args })));
        return value instanceof Failed ? { reason: value.reason } : { value };
      },
    },
  };
}

/** The answer of a predicate that reads no fact; null where it reads one. */
export function constantAnswer(text: string): Answer | null {
  const read = readText(text, { variables: new Set(), item: null }, ['bool', 'dyn']);
  if ('problems' in read) return null;
  return answer(evaluator(read.ok)({ state: '', action: '', args: null, entity: null, memory: null, event: null }));
}

/** The first 16 hex digits of the SHA-256 of a guard's source text: what a config names it by. */
export function guardDigest(guard: (facts: Facts) => boolean): string {
  return createHash('sha256').update(Function.prototype.toString.call(guard)).digest('hex').slice(0, 16);
}

/**
 * A condition in code by `name@digest`. A missing or changed one still compiles: it answers unknown, and the problem
 * says so.
 */
export function guardPredicate(
  reference: string,
  guards: Guards,
): { readonly predicate: Predicate; readonly problems: readonly Problem[] } {
  const [name = '', digest = ''] = reference.split('@');
  const text = `guard: ${reference}`;
  const refuse = (code: 'guard_missing' | 'guard_changed', message: string, mend: string) => ({
    predicate: { text, ask: () => ({ is: 'unknown', reason: `${code}: ${message}` }) as const },
    problems: [{ code, offset: 0, message, mend }],
  });
  const guard = Object.hasOwn(guards, name) ? guards[name] : undefined;
  if (typeof guard !== 'function') {
    return refuse(
      'guard_missing',
      `no guard "${name}" was given`,
      'Pass it where the config is loaded: { guards: { name: function } }.',
    );
  }
  if (Function.prototype.toString.call(guard).includes('[native code]')) {
    const message = `the source of the guard "${name}" cannot be seen: it is bound, or no function of yours`;
    return refuse('guard_changed', message, 'Pass the function itself.');
  }
  const found = guardDigest(guard);
  if (found !== digest) {
    const mend = `Review the guard and write guard: ${name}@${found}.`;
    return refuse(
      'guard_changed',
      `the guard "${name}" is not the one that was reviewed: its digest is ${found}`,
      mend,
    );
  }
  return { predicate: { text, ask: (facts) => answer(safely(() => guard(facts))) }, problems: [] };
}

function answer(value: unknown): Answer {
  if (value === true) return { is: 'yes' };
  if (value === false) return { is: 'no' };
  if (value instanceof Failed) return { is: 'unknown', reason: value.reason };
  return { is: 'unknown', reason: `not_a_condition: the answer is ${nameOf(value)}` };
}

/**
 * Guards may throw anything; the evaluator throws nothing that is known, and a predicate promises that it never throws.
 */
function safely(run: () => unknown): unknown {
  try {
    return run();
  } catch (error) {
    return new Failed(`error: ${error instanceof Error ? String(error.message) : 'something was thrown'}`);
  }
}

/** @param types the types that the value may have; null for any. */
function readText(text: string, scope: Scope, types: readonly string[] | null): Compiled<Node> {
  if (text.length > LONGEST_TEXT) {
    const message = `the text has ${text.length} characters, and the most are ${LONGEST_TEXT}`;
    return {
      problems: [
        { code: 'predicate_too_long', offset: 0, message, mend: 'Decide it in the machine and store the answer.' },
      ],
    };
  }
  if (!text.isWellFormed()) {
    const message = 'the text has a lone surrogate';
    return { problems: [{ code: 'predicate_syntax', offset: 0, message, mend: 'Take it out.' }] };
  }
  const parsed = parse(text);
  if ('error' in parsed) return { problems: [problemOf(parsed.error)] };
  const problems = lint(parsed.ast, scope);
  if (problems.length > 0) return { problems };
  const typed = typeOf(text);
  if ('error' in typed) return { problems: [problemOf(typed.error)] };
  if (types === null || types.includes(typed.type)) return { ok: parsed.ast };
  const message = `the value is of type ${typed.type}`;
  return { problems: [{ code: 'predicate_type', offset: 0, message, mend: `Write something of type ${types[0]}.` }] };
}

function problemOf({ kind, offset, message }: CelError): Problem {
  switch (kind) {
    case 'syntax':
      return { code: 'predicate_syntax', offset, message, mend: 'Write a CEL expression.' };
    case 'limit':
      return { code: 'predicate_too_complex', offset, message, mend: 'Decide it in the machine and store the answer.' };
    case 'type':
      return {
        code: 'predicate_type',
        offset,
        message,
        mend: 'Compare values of one type; size(...), int(...) and string(...) convert.',
      };
    case 'unknown_variable':
      return { code: 'unknown_variable', offset, message, mend: 'Name state, action, args, entity, memory or event.' };
    case 'unknown_function':
      return {
        code: 'unknown_function',
        offset,
        message,
        mend: 'Use the functions that docs/boundary-format.md lists.',
      };
  }
}
