/**
 * The logical operators, in three values: a side that settles the result settles it whatever became of the other one.
 * `false && error` is false, `error && true` is the error.
 */
import { Failed } from './own.ts';
import { nameOf, within } from './values.ts';

/** A part of a condition, ready to be evaluated for a question. */
export type Part<Q> = (question: Q) => unknown;

/** The value of one of two parts, by a condition; only that part is evaluated. */
export function choose<Q>(condition: Part<Q>, yes: Part<Q>, no: Part<Q>): Part<Q> {
  return (question) => {
    const value = condition(question);
    if (value instanceof Failed) return value;
    if (typeof value !== 'boolean') return new Failed(`a condition is ${nameOf(value)}`);
    return value ? yes(question) : no(question);
  };
}

/**
 * The value of `||` or `&&`.
 * @param decides the value of either side that settles the result alone: true for `||`, false for `&&`.
 */
export function connect<Q>(decides: boolean, left: Part<Q>, right: Part<Q>): Part<Q> {
  return (question) => {
    const first = left(question);
    if (first === decides) return decides;
    const second = right(question);
    if (second === decides) return decides;
    for (const value of [first, second]) {
      if (value instanceof Failed) return value;
      if (typeof value !== 'boolean') return new Failed(`${decides ? '||' : '&&'} was given ${nameOf(value)}`);
    }
    return !decides;
  };
}

/** The other truth value. */
export function not<Q>(of: Part<Q>): Part<Q> {
  return (question) => {
    const value = of(question);
    if (value instanceof Failed || typeof value === 'boolean') return value instanceof Failed ? value : !value;
    return new Failed(`! was given ${nameOf(value)}`);
  };
}

/** A number with the other sign. */
export function negate<Q>(of: Part<Q>): Part<Q> {
  return (question) => {
    const value = of(question);
    if (value instanceof Failed) return value;
    if (typeof value === 'number') return -value;
    return typeof value === 'bigint' ? within(-value) : new Failed(`- was given ${nameOf(value)}`);
  };
}
