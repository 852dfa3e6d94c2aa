/** The conditions of `--where`, which choose the things that an act on many is about: `field=pattern`, with `*` for any text. */

/** One condition. */
export interface Condition {
  readonly field: string;
  readonly pattern: string;
}

/**
 * Reads conditions.
 * @param fields those that the act knows.
 * @returns the conditions, all of which have to hold, or the problem.
 */
export function conditionsIn(
  texts: readonly string[],
  fields: readonly string[],
): readonly Condition[] | { readonly problem: string } {
  const found: Condition[] = [];
  for (const text of texts) {
    const at = text.indexOf('=');
    const [field, pattern] = at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)];
    if (!fields.includes(field)) {
      const known = fields.map((each) => `${each}=`).join(', ');
      return { problem: `--where ${JSON.stringify(text)}: it is one of ${known} with a text, where * stands for any` };
    }
    if (pattern === '') return { problem: `--where ${JSON.stringify(text)}: it names no text to compare with` };
    found.push({ field, pattern });
  }
  return found;
}

/** True where every condition holds of a thing's fields. A field that the thing does not have holds nothing. */
export function holds(conditions: readonly Condition[], of: Readonly<Record<string, string | null>>): boolean {
  return conditions.every(({ field, pattern }) => matches(of[field] ?? null, pattern));
}

/** Compares a text with a pattern, in one pass over each part: no pattern takes long. */
function matches(text: string | null, pattern: string): boolean {
  if (text === null) return false;
  const parts = pattern.split('*');
  const [first = '', ...rest] = parts;
  if (rest.length === 0) return text === first;
  const last = rest.pop() ?? '';
  if (!text.startsWith(first) || text.length < first.length + last.length || !text.endsWith(last)) return false;
  let from = first.length;
  for (const part of rest) {
    const at = text.indexOf(part, from);
    if (at < 0) return false;
    from = at + part.length;
  }
  return from <= text.length - last.length;
}
