/**
 * Rows of a database, named by their fields: `order:customer=42,placed=2026-01-01`. Only the database knows which names
 * are one row, so rows that are named by other fields are others; values stay as they are, since `007` and `7`, or two
 * cases of an address, may be two rows. Each field is a segment: fewer fields, if they are the first by name, name all
 * rows that have them.
 */
import { escapeSegment } from '../../model/key.ts';

interface Field {
  /** The field's name; null in a text without one: `customer:42`. */
  readonly name: string | null;
  readonly text: string;
}

/** The key of a row, or of the table where no field is named; null where there is no table either. */
export function recordSegments(scheme: string, text: string): readonly string[] | null {
  const colon = text.indexOf(':');
  const entity = (colon === -1 ? text : text.slice(0, colon)).trim();
  if (entity === '') return null;
  const fields = colon === -1 || colon === text.length - 1 ? [] : fieldsIn(text.slice(colon + 1));
  return [scheme, ...[entity, ...fields.sort(byName).map((field) => field.text)].map(escapeSegment)];
}

/** A piece without a name belongs to the value before it: a value may contain a comma. */
function fieldsIn(text: string): Field[] {
  const pieces: string[] = [];
  for (const piece of text.split(',')) {
    if (piece.includes('=') || pieces.length === 0) pieces.push(piece);
    else pieces.push(`${pieces.pop()},${piece}`);
  }
  return pieces.map((piece) => {
    const equals = piece.indexOf('=');
    if (equals === -1) return { name: null, text: piece };
    const name = piece.slice(0, equals).trim();
    return { name, text: `${name}${piece.slice(equals)}` };
  });
}

function byName(a: Field, b: Field): number {
  if (a.name === null || b.name === null) return a.name === b.name ? 0 : a.name === null ? -1 : 1;
  if (a.name !== b.name) return a.name < b.name ? -1 : 1;
  return a.text < b.text ? -1 : a.text > b.text ? 1 : 0;
}
