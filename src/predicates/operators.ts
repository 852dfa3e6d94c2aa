/** The operators between two computed values. */
import type { Node } from './cel.ts';
import { Failed, isList } from './own.ts';
import { compare, equal, type Meter, nameOf, reckon } from './values.ts';

/** The function of an operator. */
export function operator(op: Node['op']): (a: unknown, b: unknown, meter: Meter) => unknown {
  switch (op) {
    case '==':
      return equal;
    case '!=':
      return (a, b, meter) => {
        const same = equal(a, b, meter);
        return typeof same === 'boolean' ? !same : same;
      };
    case '<':
    case '<=':
    case '>':
    case '>=':
      return (a, b, meter) => compare(op, a, b, meter);
    case '+':
    case '-':
    case '*':
    case '/':
    case '%':
      return (a, b, meter) => reckon(op, a, b, meter);
    case 'in':
      return (a, b, meter) => among(a, b, meter);
    default:
      return () => new Failed(`there is no operator ${op}`);
  }
}

function among(value: unknown, list: unknown, meter: Meter): boolean | Failed {
  if (!isList(list)) return new Failed(`"in" looks into a list, not into ${nameOf(list)}`);
  for (const member of list) {
    const same = equal(value, member, meter);
    if (same !== false) return same;
  }
  return false;
}
