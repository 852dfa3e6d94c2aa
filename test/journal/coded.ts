/** Values through the codec and back. */
import { type EncodeOptions, encode, revive } from '../../src/journal/codec.ts';

export function textOf(value: unknown, options?: EncodeOptions): string {
  const encoded = encode(value, options);
  if (!('text' in encoded)) throw new Error(`${encoded.reason} at ${encoded.path.join('/')}`);
  return encoded.text;
}
export const through = (value: unknown) => revive(JSON.parse(textOf(value)));
export const own = (key: string, value: unknown) =>
  Object.defineProperty({}, key, { value, enumerable: true, writable: true, configurable: true });
