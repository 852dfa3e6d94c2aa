/**
 * Names that have several spellings. A scheme may declare the kind of its names. A canonicaliser then brings each name
 * into one form before it becomes a key, so that two names of one object overlap (K4). A canonicaliser is pure and
 * reads a whole text, from the config or from a call. If it cannot tell two objects apart, it gives both one key: a
 * dependency too many costs work, a missing dependency is a wrong yes.
 */
import { escapeSegment } from '../../model/key.ts';
import { pageSegments } from './scope-page.ts';
import { pathSegments } from './scope-path.ts';
import { recordSegments } from './scope-record.ts';
import { urlSegments } from './scope-url.ts';

/** The kinds of names that have a canonicaliser. */
export const SCOPE_KINDS = ['path', 'url', 'record', 'page', 'links'] as const;

export type ScopeKind = (typeof SCOPE_KINDS)[number];

/** The kinds by scheme, without its colon. */
export type Scopes = ReadonlyMap<string, ScopeKind>;

/** Schemes that need no declaration. */
export const BUILT_IN: Scopes = new Map([
  ['file', 'path'],
  ['fs', 'path'],
  ['http', 'url'],
  ['https', 'url'],
]);

/** The longest text that is read, in UTF-16 units: the name of an object is short, and an argument may be anything. */
const LONGEST = 64 * 1024;
const MOST_LINKS = 32;

type Reader = (scheme: string, text: string) => readonly string[] | null;

const READERS: Record<Exclude<ScopeKind, 'links'>, Reader> = {
  path: pathSegments,
  url: urlSegments,
  record: recordSegments,
  page: pageSegments,
};

/** The rules for all names of a kind. */
interface Kind {
  /** Describes a valid name, for the message about an invalid one. */
  readonly is: string;
  /** The number of leading segments that stay the same when a later part of the text is replaced. */
  readonly firm: number;
  /**
   * True if two objects never have one key. If not, the last writer of a key may differ from the last writer of the
   * object.
   */
  readonly exact: boolean;
  /** The spellings of a value within a text: unchanged, and as a program would encode it. */
  readonly spellings: readonly ((value: string) => string)[];
}

const asIs = (value: string) => value;
const encoded = (value: string) => encodeURIComponent(value.toWellFormed());

const KINDS: Record<ScopeKind, Kind> = {
  // `..` leads anywhere.
  path: { is: 'a path that stays in its folder', firm: 1, exact: false, spellings: [asIs] },
  // A path leads to no other host.
  url: { is: 'a URL with a host', firm: 2, exact: false, spellings: [asIs, encoded] },
  // The fields are sorted.
  record: { is: 'entity:field=value,field=value', firm: 2, exact: true, spellings: [asIs] },
  page: { is: '//page/family=selector', firm: Number.POSITIVE_INFINITY, exact: false, spellings: [asIs] },
  // Any part may name an object of any scheme.
  links: { is: 'object(word=scheme:object) with schemes that have a kind', firm: 0, exact: true, spellings: [asIs] },
};

/** A scheme whose names have a canonical form. */
export interface Scope extends Kind {
  /** With its colon. */
  readonly scheme: string;
  /** The schemes that an unreadable name may belong to, its own first. */
  readonly schemes: readonly string[];
  /** The segments of every key that a text names, the scheme first, escaped; null where it cannot be read. */
  read(text: string): readonly (readonly string[])[] | null;
}

/** The scope of a key that a config writes; null where its scheme has no canonicaliser, or it has no scheme. */
export function scopeOf(key: string, scopes: Scopes): Scope | null {
  const name = schemeOf(key);
  const kind = scopes.get(name);
  if (kind === undefined) return null;
  const scheme = `${name}:`;
  const others = [...scopes.keys()].map((other) => `${other}:`).filter((other) => other !== scheme);
  return {
    ...KINDS[kind],
    scheme,
    schemes: kind === 'links' ? [scheme, ...others] : [scheme],
    read: (text) => (text.length > LONGEST ? null : read(scheme, kind, text, scopes)),
  };
}

/** The scheme of a key without its colon; empty for a key in the context. */
function schemeOf(key: string): string {
  return /^([a-z][a-z0-9+.-]*):/.exec(key)?.[1] ?? '';
}

/** True if a key belongs to one object, as far as its scheme's canonicaliser tells. */
export function isExact(key: string, scopes: Scopes): boolean {
  const kind = scopes.get(schemeOf(key));
  return kind === undefined || KINDS[kind].exact;
}

function read(scheme: string, kind: ScopeKind, text: string, scopes: Scopes): readonly (readonly string[])[] | null {
  if (kind === 'links') return linked(scheme, text, scopes);
  const segments = READERS[kind](scheme, text);
  return segments === null ? null : [segments];
}

/**
 * `7(consumes=inv:item:42,of=order:6)`: an object, and the further objects of an act on it. They may only be of schemes
 * that have a kind, so that the schemes of an unreadable text are known.
 */
function linked(scheme: string, text: string, scopes: Scopes): (readonly string[])[] | null {
  const open = text.indexOf('(');
  const object = objectOf(scheme, open === -1 ? text : text.slice(0, open));
  if (object === null || open === -1) return object && [object];
  if (!text.endsWith(')')) return null;
  const links = linksIn(text.slice(open + 1, -1));
  if (links === null || links.length > MOST_LINKS) return null;
  const found = [object];
  for (const [name, target] of links) {
    const kind = scopes.get(name);
    if (kind === undefined) return null;
    const key = (kind === 'links' ? objectOf : READERS[kind])(`${name}:`, target);
    if (key === null) return null;
    found.push(key);
  }
  return found;
}

function objectOf(scheme: string, text: string): readonly string[] | null {
  return text === '' || /[()]/.test(text) ? null : [scheme, ...text.split('/').map(escapeSegment)];
}

/**
 * Splits `of=order:6,at=fs:/a, b` into scheme and text of each. A piece that is no link belongs to the text before it.
 */
function linksIn(text: string): (readonly [scheme: string, text: string])[] | null {
  const links: [string, string][] = [];
  for (const piece of text.split(',')) {
    const link = /^\s*[A-Za-z][\w-]*=([a-z][a-z0-9+.-]*):(.*)$/s.exec(piece);
    const last = links.at(-1);
    if (link !== null) links.push([link[1] as string, link[2] as string]);
    else if (last === undefined) return null;
    else last[1] += `,${piece}`;
  }
  return links;
}
