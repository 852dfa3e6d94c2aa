/**
 * A planner that asks a language model over HTTP: any endpoint that speaks OpenAI's chat completions. The environment
 * names the endpoint. An answer is JSON, checked against the schema of the question like every planner's; a failure
 * says what it was.
 */
import OpenAI, { APIConnectionTimeoutError, APIError } from 'openai';
import { messageOf } from '../there.ts';
import { type Planner, PlannerError } from './planner.ts';

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
}

/** Reads an endpoint from PLANNER_ADDRESS, PLANNER_KEY, PLANNER_MODEL and PLANNER_TIMEOUT (ms). @throws PlannerError */
export function endpointFrom(environment: Readonly<Record<string, string | undefined>>): Endpoint {
  const { PLANNER_ADDRESS: address, PLANNER_KEY: key, PLANNER_MODEL: model, PLANNER_TIMEOUT = '30000' } = environment;
  if (!address || !key || !model)
    throw new PlannerError('not_set', 'a live planner needs PLANNER_ADDRESS, PLANNER_KEY and PLANNER_MODEL');
  if (!URL.canParse(address)) throw new PlannerError('not_set', `PLANNER_ADDRESS is no address: ${address}`);
  const timeout = Number(PLANNER_TIMEOUT);
  if (!Number.isSafeInteger(timeout) || timeout < 1)
    throw new PlannerError('not_set', `PLANNER_TIMEOUT is a number of milliseconds, and not ${PLANNER_TIMEOUT}`);
  return { address, key, model, timeout, retries: 2 };
}

/** A planner that asks an endpoint. */
export function live({ address, key, model, timeout, retries }: Endpoint): Planner {
  const client = new OpenAI({ baseURL: address, apiKey: key, timeout, maxRetries: retries });
  return {
    async answer({ name, asks, answer }, shown, signal) {
      const schema = { type: 'object', additionalProperties: false, required: ['answer'], properties: { answer } };
      const completion = await client.chat.completions
        .create(
          {
            model,
            temperature: 0,
            messages: [
              { role: 'system', content: `${asks}\nAnswer with JSON of this schema: ${JSON.stringify(schema)}` },
              { role: 'user', content: JSON.stringify(shown) },
            ],
            response_format: { type: 'json_schema', json_schema: { name, schema: { ...schema } } },
          },
          { signal },
        )
        .catch((error: unknown) => {
          throw failureOf(error, name, timeout);
        });
      return answerIn(completion.choices?.[0]?.message?.content ?? null, name);
    },
  };
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
