/** Amounts as a config writes them: a whole number, or where in a call one is to be found. */
import { ownPath } from '../../predicates/own.ts';
import type { Amount } from '../config.ts';
import { type Item, numberOf, textOf } from './document.ts';
import type { Findings } from './finding.ts';

const PATH = /^(-?)(args|output)((?:\.[A-Za-z_$][\w$]{0,99}){1,16})$/;
const NONE: Amount = { text: '', of: () => null };

/** An amount. `from` says what is known when it is asked for: a call's arguments, or its output as well. */
export function amountIn(item: Item | null, from: readonly ('args' | 'output')[], findings: Findings): Amount {
  const number = numberOf(item);
  if (number !== null) return { text: String(number), of: () => number };
  const text = textOf(item) ?? '';
  const [, sign, of, path] = PATH.exec(text) ?? [];
  if (item === null || path === undefined || !from.includes(of as 'args')) {
    const mend = `Write a whole number, or where one is: ${from.map((name) => `${name}.cents`).join(', ')}.`;
    if (item !== null) findings.report('bad_amount', 'error', item.at, `"${text.slice(0, 100)}" is no amount`, mend);
    return NONE;
  }
  const names = path.slice(1).split('.');
  return {
    text,
    of: (call) => {
      const found = ownPath(call[of as 'args' | 'output'], names);
      const whole = typeof found === 'bigint' ? Number(found) : found;
      if (typeof whole !== 'number' || !Number.isSafeInteger(whole)) return null;
      return sign === '-' ? -whole : whole;
    },
  };
}
