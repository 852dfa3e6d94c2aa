/** Reads messages of one form. They are untrusted: text of another form is no message. */
import { createRequire } from 'node:module';
import type { ValidateFunction } from 'ajv';
import { revive } from '../../journal/codec.ts';

/** The schemas of the parts that many messages have: a text of so many characters, the name of a person, and a reason. */
export const text = (most: number) => ({ type: 'string', minLength: 1, maxLength: most });
export const PERSON = { ...text(200), pattern: '\\S' };
export const REASON = { type: ['string', 'null'], maxLength: 2_000 };

/**
 * A function that reads messages; it answers null for one without the form.
 * @param schema a JSON schema, compiled when the first message comes: most processes never read one, and all of them would wait
 * for the compiler to load and for the schema to be compiled.
 */
export function readerOf<Message>(schema: object): (message: string) => Message | null {
  let compiled: ValidateFunction | null = null;
  return (message) => {
    try {
      const sent: unknown = revive(JSON.parse(message), { resolve: () => undefined });
      compiled ??= compile(schema);
      return compiled(sent) ? (sent as Message) : null;
    } catch {
      return null;
    }
  };
}

function compile(schema: object): ValidateFunction {
  const { Ajv } = createRequire(import.meta.url)('ajv') as typeof import('ajv');
  return new Ajv({ allowUnionTypes: true }).compile(schema);
}
