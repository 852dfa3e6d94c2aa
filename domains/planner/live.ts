/**
 * A planner that asks a language model over HTTP: any endpoint that speaks OpenAI's chat completions. The environment
 * names the endpoint. An answer is JSON, checked against the schema of the question like every planner's; a failure
 * says what it was.
 */
import OpenAI, { APIConnectionTimeoutError, APIError } from 'openai';
import { messageOf } from '../there.ts';
import { type Planner, PlannerError, type Priced, type Question } from './planner.ts';

/** The endpoint, and the time limit. */
export interface Endpoint {
  /** The address of the API, as `http://127.0.0.1:8080/v1`. */
  readonly address: string;
  readonly key: string;
  readonly model: string;
  /** The time limit of one answer, in milliseconds. */
  readonly timeout: number;
  /** The number of repeats of a question that was refused for the moment, or that did not reach the endpoint. */
  readonly retries: number;
  /** True if answers come in pieces, as they are made. */
  readonly streams: boolean;
  /** The form of an answer: text of a schema, or the arguments of a tool that the model has to call. */
  readonly as: 'schema' | 'tool';
}

/**
 * Reads an endpoint from PLANNER_ADDRESS, PLANNER_KEY, PLANNER_MODEL, PLANNER_TIMEOUT (ms), PLANNER_STREAMS (yes or no) and
 * PLANNER_AS (schema or tool). @throws PlannerError
 */
export function endpointFrom(environment: Readonly<Record<string, string | undefined>>): Endpoint {
  const { PLANNER_ADDRESS: address, PLANNER_KEY: key, PLANNER_MODEL: model, PLANNER_TIMEOUT = '30000' } = environment;
  const { PLANNER_STREAMS: streams = 'no', PLANNER_AS: as = 'schema' } = environment;
  if (!address || !key || !model)
    throw new PlannerError('not_set', 'a live planner needs PLANNER_ADDRESS, PLANNER_KEY and PLANNER_MODEL');
  if (!URL.canParse(address)) throw new PlannerError('not_set', `PLANNER_ADDRESS is no address: ${address}`);
  const timeout = Number(PLANNER_TIMEOUT);
  if (!Number.isSafeInteger(timeout) || timeout < 1)
    throw new PlannerError('not_set', `PLANNER_TIMEOUT is a number of milliseconds, and not ${PLANNER_TIMEOUT}`);
  if (streams !== 'yes' && streams !== 'no')
    throw new PlannerError('not_set', `PLANNER_STREAMS is yes or no, and not ${streams}`);
  if (as !== 'schema' && as !== 'tool')
    throw new PlannerError('not_set', `PLANNER_AS is schema or tool, and not ${as}`);
  return { address, key, model, timeout, retries: 2, streams: streams === 'yes', as };
}

/** A planner that asks an endpoint. */
export function live(endpoint: Endpoint): Planner {
  const { address, key, timeout, retries } = endpoint;
  const client = new OpenAI({ baseURL: address, apiKey: key, timeout, maxRetries: retries });
  const priced = async (question: Question<never, unknown>, shown: unknown, signal: AbortSignal): Promise<Priced> => {
    const { name } = question;
    const began = performance.now();
    const said = await completionOf(client, endpoint, question, shown, signal).catch((error: unknown) => {
      throw error instanceof PlannerError ? error : failureOf(error, name, timeout);
    });
    const milliseconds = Math.round(performance.now() - began);
    const { prompt_tokens: prompt = null, completion_tokens: completion = null } = said.usage ?? {};
    if (said.finish === 'length' || said.finish === null)
      throw new PlannerError('bad_answer', `the answer to ${name} was cut off`);
    return { answer: answerIn(said.text, name), cost: { prompt, completion, milliseconds } };
  };
  return { priced, answer: async (...asked) => (await priced(...asked)).answer };
}

/** A completion: its text, or the arguments of the tool that was to be called; null where neither came. */
interface Said {
  readonly text: string | null;
  /** The reason for its end; null where it never named one. */
  readonly finish: string | null;
  readonly usage: { readonly prompt_tokens?: number; readonly completion_tokens?: number } | null;
}

async function completionOf(
  client: OpenAI,
  { model, streams, as }: Endpoint,
  { name, asks, answer }: Question<never, unknown>,
  shown: unknown,
  signal: AbortSignal,
): Promise<Said> {
  const schema = { type: 'object', additionalProperties: false, required: ['answer'], properties: { answer } };
  const tool = { type: 'function', function: { name, parameters: { ...schema } } } as const;
  const request = {
    model,
    temperature: 0,
    messages: [
      { role: 'system' as const, content: `${asks}\nAnswer with JSON of this schema: ${JSON.stringify(schema)}` },
      { role: 'user' as const, content: JSON.stringify(shown) },
    ],
    ...(as === 'schema'
      ? { response_format: { type: 'json_schema' as const, json_schema: { name, schema: { ...schema } } } }
      : { tools: [tool], tool_choice: { type: 'function' as const, function: { name } } }),
  };
  if (!streams) {
    const { choices, usage } = await client.chat.completions.create(request, { signal });
    const [choice] = choices ?? [];
    const called = choice?.message?.tool_calls?.find((call) => call.type === 'function' && call.function.name === name);
    const text = called?.type === 'function' ? called.function.arguments : (choice?.message?.content ?? null);
    return { text, finish: choice === undefined ? 'nothing' : choice.finish_reason, usage: usage ?? null };
  }
  const pieces = await client.chat.completions.create(
    { ...request, stream: true, stream_options: { include_usage: true } },
    { signal },
  );
  let [text, finish, usage]: [string | null, string | null, Said['usage']] = [null, null, null];
  for await (const piece of pieces) {
    const [choice] = piece.choices ?? [];
    const more = choice?.delta?.tool_calls?.[0]?.function?.arguments ?? choice?.delta?.content ?? null;
    if (more !== null) text = `${text ?? ''}${more}`;
    finish = choice?.finish_reason ?? finish;
    usage = piece.usage ?? usage;
  }
  return { text, finish, usage };
}

function failureOf(cause: unknown, name: string, timeout: number): PlannerError {
  if (cause instanceof APIConnectionTimeoutError)
    return new PlannerError('late', `${name} was not answered within ${timeout} ms`, { cause });
  const status = cause instanceof APIError && cause.status !== undefined ? ` (${cause.status})` : '';
  return new PlannerError('unreachable', `${name} was not answered${status}: ${messageOf(cause)}`, { cause });
}

/** The answer in a completion: its JSON, and nothing around it. */
function answerIn(content: string | null, name: string): unknown {
  if (content === null || content === '') throw new PlannerError('bad_answer', `the answer to ${name} is empty`);
  try {
    const { answer }: { answer?: unknown } = JSON.parse(content);
    return answer;
  } catch (cause) {
    throw new PlannerError('bad_answer', `the answer to ${name} is no JSON`, { cause });
  }
}
