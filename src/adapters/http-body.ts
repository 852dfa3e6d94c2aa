/** Reads an answer no further than a limit, so that an endless answer cannot fill the memory of the process. */

/**
 * The content of an answer: its JSON where it declares JSON, else its text; null where it is empty. @throws where it is
 * broken.
 */
export async function limitedBody(response: Response, limit: number): Promise<unknown> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of response.body ?? []) {
    size += part.byteLength;
    // Leaving the loop cancels the rest.
    if (size > limit) throw new Error(`the answer is larger than ${limit} bytes`);
    parts.push(part);
  }
  if (size === 0) return null;
  const text = new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(parts));
  const type = response.headers.get('content-type') ?? '';
  return /^application\/([\w.-]+\+)?json\b/i.test(type) ? JSON.parse(text) : text;
}
