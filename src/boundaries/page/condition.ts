/** Reports the problems of a compiled text as findings at the place of the text. */
import type { Compiled } from '../../predicates/compile.ts';
import { type Item, placeWithin } from './document.ts';
import type { Findings } from './finding.ts';

/** The compiled text; null where it has problems, which `findings` receives. */
export function compiledText<T>(compiled: Compiled<T>, item: Item, findings: Findings): T | null {
  if ('ok' in compiled) return compiled.ok;
  for (const { code, offset, message, mend } of compiled.problems) {
    findings.report(code, 'error', placeWithin(item, offset), message, mend);
  }
  return null;
}
