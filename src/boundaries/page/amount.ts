/** Amounts in a config: a whole number, or the place of one in a call. */
import { ownPath } from '../../predicates/own.ts';
import type { Amount } from '../config.ts';
import { type Item, numberOf, textOf } from './document.ts';
import type { Findings } from './finding.ts';

const PATH = /^(-?)(args|output)((?:\.[A-Za-z_$][\w$]{0,99}){1,16})$/;
const NONE: Amount = { text: '', of: () => null };

/**
 * Compiles an amount. `from` names the facts that are known when it is computed: a call's arguments, or its output as
 * well.
 */
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
