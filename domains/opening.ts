/**
 * The requirements for opening an agent: its reviewed config, a valid request, and tools that refuse until they have a
 * world.
 */
import { fileURLToPath } from 'node:url';
import { Ajv } from 'ajv';
import { tool } from 'belay-sidecar/xstate';

/** Where the repository begins, from here: a level deeper once compiled. */
const ROOT = import.meta.url.endsWith('.js') ? '../../' : '../';

/** The path of an agent's config. */
export function configOf(agent: string): string {
  return fileURLToPath(new URL(`${ROOT}boundaries/${agent}.yaml`, import.meta.url));
}

/** A name or a title in a request. */
export const text = { type: 'string', minLength: 1, maxLength: 200 } as const;

/**
 * Reads requests: what an input does not say is as usual, and each field has a JSON schema.
 * @returns what reads an input; it throws where that is no request, and says why.
 */
export function requests<TRequest extends object>(
  usual: TRequest,
  fields: { readonly [Field in keyof TRequest]-?: object },
): (input: unknown) => TRequest {
  const isRequest = new Ajv({ allErrors: true }).compile<TRequest>({
    type: 'object',
    additionalProperties: false,
    required: Object.keys(fields),
    properties: fields,
  });
  return (input) => {
    const request = { ...usual, ...Object(input) };
    if (isRequest(request)) return request;
    const problems = isRequest.errors?.map(({ instancePath, message }) => `${instancePath || 'it'} ${message}`);
    throw new Error(`the input is no request: ${problems?.join('; ')}`);
  };
}

/** A tool by what it is called with and what it answers. It refuses: there is no world yet. Those of a world take the key of the call. */
export function unconnected<TTypes extends { readonly input: unknown; readonly output: unknown }>() {
  return tool<TTypes['output'], TTypes['input']>((_call) =>
    Promise.reject(new Error('no world is open for this machine')),
  );
}
