/**
 * The texts that bytes come up as: what an encoding makes of them, and the lists that programs print, `<Buffer 63 6f>`, `[99, 111]` or
 * `{"0":99,"1":111}`. A printer that breaks lines or leaves out the end of a list hides nothing, so lists are found as lists.
 */

/** The fewest bytes whose encodings are taken out wherever they stand. */
const ANYWHERE = 4;
/** The fewest members of a list that tell something of a longer one. */
const PART = 8;

/** A number, as it stands in a list, perhaps with its index. */
const MEMBER = String.raw`(?:"?\d{1,10}"?\s{0,20}:\s{0,20})?-?\d{1,25}(?:\.\d{1,25})?n?`;
const NUMBERS = new RegExp(String.raw`(?<![\w.])${MEMBER}(?:[\s,]{1,40}${MEMBER})+`, 'g');
const INDEX = /"?\d+"?\s*:\s*/g;
const PAIRS = /(?<![0-9a-f])(?:0x)?[0-9a-f]{2}(?:[\s:,-]{0,3}(?:0x)?[0-9a-f]{2})+/gi;

/** The bytes of a buffer or of a view of one; null for anything else. */
export function bytesOf(value: unknown): Buffer | null {
  try {
    if (ArrayBuffer.isView(value)) return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
    if (value instanceof ArrayBuffer || value instanceof SharedArrayBuffer) return Buffer.from(value);
  } catch {
    // A proxy that is revoked has none.
  }
  return null;
}

/** The texts of bytes. A list of numbers and the hex digits stand for every way to print them. */
export function textsOfBytes(value: unknown, bytes: Buffer): string[] {
  if (bytes.length < 2) return [];
  const texts = [bytes.toString('utf8'), bytes.toString('latin1'), bytes.join(',')];
  if (bytes.length % 2 === 0) texts.push(bytes.toString('utf16le'));
  // A member of a wider type is a number of its own.
  if (ArrayBuffer.isView(value) && !(value instanceof DataView)) texts.push((value as Uint8Array).join(','));
  if (bytes.length < ANYWHERE) return texts;
  const [hex, base64, url] = (['hex', 'base64', 'base64url'] as const).map((name) => bytes.toString(name));
  return [...texts, hex, hex?.toUpperCase(), base64, base64?.replace(/=+$/, ''), url].filter(
    (text) => text !== undefined,
  );
}

/** Lists that are not to be shown. */
export class SecretLists {
  readonly #numbers: readonly string[];
  readonly #pairs: readonly string[];

  /** @param texts the texts that are not to be shown, lists among them. */
  constructor(texts: Iterable<string>) {
    const all = [...texts];
    this.#numbers = all.filter((text) => /^-?[\d.]+(,-?[\d.]+)+$/.test(text)).map((text) => `,${text},`);
    this.#pairs = all.filter((text) => /^([0-9a-f]{2}){4,}$/.test(text));
  }

  /** A text without them. */
  hidden(text: string, instead: string): string {
    let hidden = text;
    if (this.#numbers.length > 0) hidden = hidden.replace(NUMBERS, (run) => (this.#hasNumbers(run) ? instead : run));
    if (this.#pairs.length > 0) hidden = hidden.replace(PAIRS, (run) => (this.#hasPairs(run) ? instead : run));
    return hidden;
  }

  #hasNumbers(run: string): boolean {
    const members = run
      .replace(INDEX, '')
      .replaceAll('n', '')
      .split(/[\s,]+/);
    const list = `,${members.join(',')},`;
    return this.#numbers.some((secret) => {
      const isShort = secret.split(',', ANYWHERE + 2).length < ANYWHERE + 2;
      if (isShort) return list === secret;
      return list.includes(secret) || (members.length >= PART && secret.includes(list));
    });
  }

  #hasPairs(run: string): boolean {
    const digits = run.replace(/0x|[\s:,-]/gi, '').toLowerCase();
    return this.#pairs.some(
      (secret) => digits.includes(secret) || (digits.length >= 2 * PART && secret.includes(digits)),
    );
  }
}
