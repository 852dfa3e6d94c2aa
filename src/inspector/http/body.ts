/** Reads the body of a request: as many bytes as it may have, a JSON object, and nothing else. */
import type { IncomingMessage } from 'node:http';
import { InspectorError } from '../inspector-error.ts';
import { LARGEST_BODY } from './admission.ts';

/**
 * The object in a body. Its size and its time are limited whatever its headers say; the server ends a connection that takes too long.
 * @throws InspectorError.
 */
export async function objectIn(request: IncomingMessage): Promise<Readonly<Record<string, unknown>>> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    size += (chunk as Buffer).byteLength;
    if (size > LARGEST_BODY) throw new InspectorError('too_large', `A body has at most ${LARGEST_BODY} bytes.`);
    chunks.push(chunk as Buffer);
  }
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks)));
  } catch {
    throw new InspectorError('bad_request', 'The body is not JSON.');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new InspectorError('bad_request', 'The body is a JSON object.');
  return value as Readonly<Record<string, unknown>>;
}

/** A text member of a body, within a length. @throws InspectorError where it is something else. */
export function textOf(body: Readonly<Record<string, unknown>>, name: string, most: number): string | null {
  const value = Object.hasOwn(body, name) ? body[name] : null;
  if (value === null || value === undefined || value === '') return null;
  if (typeof value !== 'string' || value.length > most)
    throw new InspectorError('bad_request', `"${name}" is a text of at most ${most} characters.`);
  return value;
}
