/** The names and keys of a config, read where they stand. */
import { type Key, KeyError } from '../model/key.ts';
import type { KeyTemplate } from './config.ts';
import { type Item, textsOf } from './document.ts';
import type { Findings, Place } from './finding.ts';
import { keyTemplate } from './key-template.ts';

/** A name of ours; says so where it cannot be one. Names are shown with `::` between them and with spaces around them (K1). */
export function nameIn(name: string, at: Place, findings: Findings): string {
  const problem = name.includes('::')
    ? 'a name has no "::"'
    : name !== name.trim()
      ? 'a name has no space at its ends'
      : null;
  if (problem !== null)
    findings.report('bad_name', 'error', at, `${problem}: "${name.slice(0, 100)}"`, 'Take another name.');
  return name;
}

/** The key templates of a list. */
export function keyTemplatesIn(list: Item | null, findings: Findings): readonly KeyTemplate[] {
  return textsOf(list).flatMap(([text, item]) => {
    if (text === '') return []; // the schema has told it
    try {
      const template = keyTemplate(text);
      if (text.split('/').some((segment) => segment.includes('*') && !/^(?:[a-z][a-z0-9+.-]*:)?\*\*?$/.test(segment))) {
        const mend = 'Write * as a whole segment, or %2A for a star.';
        findings.report('star_is_literal', 'warning', item.at, 'the * in a longer segment stands for itself', mend);
      }
      return [template];
    } catch (error) {
      if (!(error instanceof KeyError)) throw error;
      const mend = 'Write names with slashes between them: slots/{entity}/value, calendar:{args.person}/**.';
      findings.report('bad_key', 'error', item.at, error.message, mend);
      return [];
    }
  });
}

const NO_FACTS = { state: '', action: '', args: null, entity: null, memory: null, event: null };

/** The keys of a list that allows no holes. */
export function keysIn(list: Item | null, findings: Findings): readonly Key[] {
  for (const [text, item] of textsOf(list)) {
    if (!text.includes('{')) continue;
    findings.report(
      'bad_key',
      'error',
      item.at,
      'there is nothing that could fill a hole here',
      'Write * instead of the hole.',
    );
  }
  return keyTemplatesIn(list, findings).map((template) => template.fill(NO_FACTS));
}
