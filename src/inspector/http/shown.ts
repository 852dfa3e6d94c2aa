/**
 * Text of a run as a page may show it. Controls, formatting characters (those of writing direction among them), line separators and lone
 * surrogates are spelled out, so that no name looks like another, and every answer goes through here at one place.
 */

/** A text in which every character can be seen. */
function visible(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Co}]/gu, (character) => {
    return `⟦U+${(character.codePointAt(0) as number).toString(16).toUpperCase().padStart(4, '0')}⟧`;
  });
}

/** A value as JSON in which every text, and every name of a member, can be seen. */
export function visibleJson(value: unknown): string {
  return JSON.stringify(withTexts(value, visible)) ?? 'null';
}

/** Deeper values are cut: no view has them, and none may end the server. */
const DEEPEST = 64;

/** A copy of a value with other texts. */
export function withTexts(value: unknown, as: (text: string) => string, depth = 0): unknown {
  if (typeof value === 'string') return as(value);
  if (typeof value === 'bigint') return value.toString();
  if (typeof value !== 'object' || value === null) return value;
  if (depth > DEEPEST) return '...';
  if (Array.isArray(value)) return value.map((each) => withTexts(each, as, depth + 1));
  const members = Object.entries(value).map(([name, member]) => [as(name), withTexts(member, as, depth + 1)]);
  return Object.fromEntries(members);
}

/** The longest value that is sent, in characters. */
const LONGEST = 20_000;

/** A value of a run as lines of JSON; what JSON has no form for as its text or content. */
export function linesOf(value: unknown): string[] {
  let text: string;
  try {
    text = JSON.stringify(value, plain, 2) ?? 'nothing';
  } catch {
    text = 'a value that has no JSON form';
  }
  const cut =
    text.length <= LONGEST ? text : `${text.slice(0, LONGEST)}\n... (${text.length - LONGEST} more characters)`;
  return cut.split('\n');
}

/** A value as JSON in one line, cut where it is long. */
export function shortOf(value: unknown, most = 200): string {
  let text: string;
  try {
    text = JSON.stringify(value, plain) ?? 'nothing';
  } catch {
    text = 'a value that has no JSON form';
  }
  return text.length <= most ? text : `${text.slice(0, most - 3)}...`;
}

function plain(_name: string, value: unknown): unknown {
  if (typeof value === 'bigint') return value.toString();
  if (value instanceof Map) return [...value];
  return value instanceof Set ? [...value] : value;
}
