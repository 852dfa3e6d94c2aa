/** The names, schemes and keys of a config, read at their places in the file. */
import { type Key, KeyError } from '../../model/key.ts';
import type { KeyTemplate } from '../config.ts';
import { entriesOf, type Item, textOf, textsOf } from '../page/document.ts';
import type { Findings, Place } from '../page/finding.ts';
import { NO_FACTS } from './holes.ts';
import { keyTemplate } from './key-template.ts';
import { BUILT_IN, isExact, SCOPE_KINDS, type ScopeKind, type Scopes } from './scopes.ts';

/**
 * Reads a name, and reports one that cannot be used. Names are shown with `::` between them and with spaces around them
 * (K1).
 */
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

/** The kinds of names of a config's schemes, the built-in kinds first. */
export function scopesIn(item: Item | null, findings: Findings): Scopes {
  const scopes = new Map<string, ScopeKind>(BUILT_IN);
  for (const [scheme, entry] of entriesOf(item)) {
    const problem = !/^[a-z][a-z0-9+.-]*$/.test(scheme)
      ? `"${scheme.slice(0, 100)}" is no scheme`
      : scheme === 'actor'
        ? '"actor" stands for the context of an invoked machine'
        : null;
    const mend = 'Write the part before the colon of a key: small letters, digits, +, - and dots.';
    if (problem !== null) findings.report('bad_scheme', 'error', entry.at, problem, mend);
    const kind = SCOPE_KINDS.find((known) => known === textOf(entry.item));
    if (problem === null && kind !== undefined) scopes.set(scheme, kind);
  }
  return scopes;
}

/** The key templates of a list. */
export function keyTemplatesIn(list: Item | null, scopes: Scopes, findings: Findings): readonly KeyTemplate[] {
  return textsOf(list).flatMap(([text, item]) => {
    if (text === '') return []; // the schema has told it
    try {
      const template = keyTemplate(text, scopes);
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

/** The keys of a list that allows no holes. */
export function keysIn(list: Item | null, scopes: Scopes, findings: Findings): readonly Key[] {
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
  return keyTemplatesIn(list, scopes, findings).flatMap((template) => template.fillAll(NO_FACTS));
}

/**
 * The keys of which the last writer wins. Where two objects may have one key, the last writer of the key may not be the
 * last writer of the object.
 */
export function blindIn(list: Item | null, scopes: Scopes, findings: Findings): readonly Key[] {
  for (const [text, { at }] of textsOf(list)) {
    if (isExact(text, scopes)) continue;
    const message = `"${text.slice(0, 100)}" may be the key of several objects, so a write to it is still a read of it`;
    findings.report('blind_inexact', 'warning', at, message, 'Take it out: it has no effect.');
  }
  return keysIn(list, scopes, findings);
}
