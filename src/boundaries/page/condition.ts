/** What a compiler of texts has to say about one, told where the text stands. */
import type { Compiled } from '../../predicates/compile.ts';
import { type Item, placeWithin } from './document.ts';
import type { Findings } from './finding.ts';

/** What was compiled; null where it has problems, which `findings` is told. */
export function compiledText<T>(compiled: Compiled<T>, item: Item, findings: Findings): T | null {
  if ('ok' in compiled) return compiled.ok;
  for (const { code, offset, message, mend } of compiled.problems) {
    findings.report(code, 'error', placeWithin(item, offset), message, mend);
  }
  return null;
}
