/**
 * Agents of the OpenAI Agents SDK under the sidecar (`belay-sidecar/openai-agents`): models and tools as calls of a
 * loop.
 */
import {
  type FunctionTool,
  type Model,
  type ModelProvider,
  type ModelRequest,
  tool as toolOf,
  Usage,
} from '@openai/agents';
import { type Loop, type LoopWays, loop } from '../loop/loop.ts';
import { LoopError } from '../loop/loop-error.ts';
import { OBJECT, optional, refuseOther } from '../model/argument.ts';

export { LoopError, type LoopErrorCode } from '../loop/loop-error.ts';

type Response = Awaited<ReturnType<Model['getResponse']>>;
type Chunk = ReturnType<Model['getStreamedResponse']> extends AsyncIterable<infer T> ? T : never;
/** The details of a call: the third argument of a tool's `execute`. */
export type CallDetails = Parameters<FunctionTool['invoke']>[2];

/** The argument of an agent's function. */
export interface AgentsWays extends LoopWays {
  /**
   * Guards a model. Each answer is kept, whole or as the events of its stream, and served when the agent is entered
   * again.
   */
  model(model: Model): Model;
  /**
   * Guards each model that a provider finds, for agents that name their model by a text. Give the result to the
   * `Runner`.
   */
  provider(provider: ModelProvider): ModelProvider;
  /**
   * Makes a tool like `tool` of the SDK, guarded under its name in the config and the id of the call. `execute` finds
   * the idempotency key by {@link keyOf}. A request that offers the model any other tool is refused,
   * `unsupported_tool`.
   * @throws LoopError `unsupported_tool` for `needsApproval` and `timeoutMs`: use `gate` and `timeout` in the config.
   */
  readonly tool: typeof toolOf;
}

/**
 * Makes a loop of a function that runs agents with guarded models and tools. A stream is handed on after all of it is
 * in the journal.
 * @throws ArgumentError; for `attach` and `resume` see the loop.
 * @example
 * import { Agent, type Model, Runner, Usage } from '@openai/agents';
 * import { loadConfig } from 'belay-sidecar';
 * import { openaiAgent } from 'belay-sidecar/openai-agents';
 *
 * const content = [{ type: 'output_text', text: 'hello' }];
 * const scripted = {
 *   getResponse: async () => ({ usage: new Usage(), output: [{ type: 'message', role: 'assistant', status: 'completed', content }] }),
 * } as unknown as Model;
 * const text = 'belay: 1\nagent: greeter\ntools:\n  model: { reads: [], writes: [], effect: none }\nskeletons: {}\n';
 * const { config } = loadConfig(text, { file: 'greeter.yaml' });
 * assert.ok(config);
 * const greeter = openaiAgent('greeter', async ({ model, input }) => {
 *   const agent = new Agent({ name: 'greeter', model: model(scripted) });
 *   return (await new Runner({ tracingDisabled: true }).run(agent, String(input))).finalOutput;
 * });
 * const run = await greeter.attach({ run: 'greeting-1', config, input: 'say hello' });
 * assert.equal(await run.invoke(), 'hello');
 * await run.close();
 */
export function openaiAgent(agent: string, body: (ways: AgentsWays) => Promise<unknown>): Loop {
  return loop(agent, (ways) => {
    const names = new Set<string>();
    const modelOf = (model: Model) => guardedModel(ways, model, names);
    return body({
      ...ways,
      model: modelOf,
      provider: (provider) => ({ getModel: async (name) => modelOf(await provider.getModel(name)) }),
      tool: ((options: ToolOptions) => {
        const made = guarded(ways, options);
        names.add(made.name);
        return made;
      }) as never,
    });
  });
}

/**
 * The idempotency key of the call that a tool executes.
 * @param details the third argument of `execute`.
 * @returns undefined for a call that changes nothing: it has no key.
 * @throws ArgumentError.
 * @example
 * import { type CallDetails, keyOf } from 'belay-sidecar/openai-agents';
 *
 * const execute = async (_args: unknown, _context: unknown, details: CallDetails) => `paid under ${keyOf(details)}`;
 * assert.equal(await execute({}, undefined, undefined), 'paid under undefined');
 */
export function keyOf(details: CallDetails): string | undefined {
  refuseOther('keyOf', { details: [details, optional(OBJECT)] });
  return (details as { readonly [KEY]?: string } | undefined)?.[KEY];
}

const KEY: unique symbol = Symbol('the idempotency key of the call');

type Execute = (input: unknown, context: unknown, details: CallDetails) => unknown;
type ToolOptions = Parameters<typeof toolOf>[0];

/** @param names the names of the guarded tools. */
function guardedModel({ think }: LoopWays, model: Model, names: ReadonlySet<string>): Model {
  const retry = model.getRetryAdvice?.bind(model);
  return {
    ...(retry !== undefined && { getRetryAdvice: retry }),
    async getResponse(request) {
      refuseOthers(request, names);
      const response = await think(questionOf(request), async ({ signal }) =>
        plain(await model.getResponse({ ...request, signal })),
      );
      return { ...response, usage: new Usage(response.usage as never) } as Response;
    },
    async *getStreamedResponse(request) {
      refuseOthers(request, names);
      const events = await think(questionOf(request), async ({ signal }) => {
        const all: Chunk[] = [];
        for await (const event of model.getStreamedResponse({ ...request, signal })) all.push(event);
        return plain(all);
      });
      yield* events;
    },
  };
}

/** The fields of a request by which two questions differ. */
function questionOf(request: ModelRequest): unknown {
  const { systemInstructions, input, outputType, modelSettings, previousResponseId, conversationId, prompt } = request;
  const asked = { systemInstructions, input, outputType, toolChoice: modelSettings.toolChoice };
  return plain({ ...asked, previousResponseId, conversationId, prompt });
}

/** A value as the journal keeps it: bytes become base64 text, which the SDK accepts too. */
function plain<T>(value: T): T {
  if (value === undefined) return value;
  const text = JSON.stringify(value, (_, member) =>
    member instanceof Uint8Array ? Buffer.from(member).toString('base64') : member,
  );
  return text === undefined ? (undefined as T) : (JSON.parse(text) as T);
}

/** @throws LoopError for a tool whose calls the run would not see. */
function refuseOthers({ tools }: ModelRequest, names: ReadonlySet<string>): void {
  for (const { type, name } of tools)
    if (type !== 'function' || !names.has(name))
      throw refused(name, 'was not made by `tool` of this function, and no call of it is seen here');
}

function guarded({ act }: LoopWays, options: ToolOptions): FunctionTool {
  const { needsApproval = false, timeoutMs } = options;
  const named = options.name ?? options.execute.name;
  if (needsApproval !== false)
    throw refused(named, 'has needsApproval, whose answer no journal keeps: say "gate" of the tool in the config');
  if (timeoutMs !== undefined)
    throw refused(
      named,
      'has timeoutMs, and a call that is given up has an unknown outcome: say "timeout" in the config',
    );
  const execute: Execute = (input, context, details) => {
    const id = details?.toolCall?.callId;
    if (id === undefined) throw refused(named, 'was called without an id of its call');
    return act(made.name, id, plain(input), async ({ input: counts, key, signal }) =>
      plain(await (options.execute as Execute)(counts, context, { ...details, signal, [KEY]: key } as CallDetails)),
    );
  };
  // An error of the tool goes to the run; only malformed arguments go back to the model, by the SDK.
  const made = toolOf({ ...options, name: named, execute } as ToolOptions) as FunctionTool;
  return made;
}

function refused(name: string, why: string): LoopError {
  return new LoopError('unsupported_tool', `The tool "${name}" ${why}.`);
}
