/** Agents of the Vercel AI SDK under the sidecar (`belay-sidecar/ai`): its model and its tools, as calls of a loop. */
import { simulateReadableStream, type ToolSet, wrapLanguageModel } from 'ai';
import { type Loop, type LoopWays, loop } from '../loop/loop.ts';
import { LoopError } from '../loop/loop-error.ts';

export { LoopError, type LoopErrorCode } from '../loop/loop-error.ts';

/** A model, as `wrapLanguageModel` takes it. */
export type GuardedModel = Parameters<typeof wrapLanguageModel>[0]['model'];

/** The argument of an agent's function. */
export interface AiWays extends LoopWays {
  /**
   * Guards a model. Each answer is kept, whole or as the chunks of its stream, and served when the agent is entered
   * again.
   */
  model(model: GuardedModel): ReturnType<typeof wrapLanguageModel>;
  /**
   * Guards tools, each under its name in the config and the id of the call. `execute` finds the idempotency key in
   * `experimental_context.idempotencyKey`.
   * @throws LoopError `unsupported_tool` for a tool of the provider, and for `needsApproval`: use `gate` in the config.
   */
  tools<T extends ToolSet>(tools: T): T;
}

/**
 * Makes a loop of a function that calls `generateText`, `streamText` or an agent of the AI SDK with guarded models and
 * tools. A stream is handed on after all of it is in the journal.
 * @throws ArgumentError; for `attach` and `resume` see the loop.
 * @example
 * import { generateText } from 'ai';
 * import { MockLanguageModelV3 } from 'ai/test';
 * import { loadConfig } from 'belay-sidecar';
 * import { aiAgent } from 'belay-sidecar/ai';
 *
 * const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } };
 * const scripted = new MockLanguageModelV3({
 *   doGenerate: { content: [{ type: 'text', text: 'hello' }], finishReason: { unified: 'stop' }, usage, warnings: [] } as never,
 * });
 * const text = 'belay: 1\nagent: greeter\ntools:\n  model: { reads: [], writes: [], effect: none }\nskeletons: {}\n';
 * const { config } = loadConfig(text, { file: 'greeter.yaml' });
 * assert.ok(config);
 * const greeter = aiAgent('greeter', async ({ model, input }) => {
 *   const { text } = await generateText({ model: model(scripted), prompt: String(input) });
 *   return text;
 * });
 * const run = await greeter.attach({ run: 'greeting-1', config, input: 'say hello' });
 * assert.equal(await run.invoke(), 'hello');
 * await run.close();
 */
export function aiAgent(agent: string, body: (ways: AiWays) => Promise<unknown>): Loop {
  return loop(agent, (ways) =>
    body({ ...ways, model: (model) => guardedModel(ways, model), tools: (set) => guarded(ways, set) }),
  );
}

type Generated = Awaited<ReturnType<GuardedModel['doGenerate']>>;
type Chunk = Awaited<ReturnType<GuardedModel['doStream']>>['stream'] extends ReadableStream<infer T> ? T : never;

function guardedModel({ think }: LoopWays, model: GuardedModel): ReturnType<typeof wrapLanguageModel> {
  return wrapLanguageModel({
    model,
    middleware: {
      specificationVersion: 'v3',
      wrapGenerate: ({ doGenerate, params }) =>
        think(questionOf(params), async () => {
          const { content, finishReason, usage, warnings, providerMetadata } = await doGenerate();
          return plain({ content, finishReason, usage, warnings, providerMetadata }) as Generated;
        }),
      wrapStream: async ({ doStream, params }) => {
        const chunks = await think(questionOf(params), async () => {
          const all: Chunk[] = [];
          for await (const chunk of (await doStream()).stream) {
            // An error in a stream is no answer: the run hears of it.
            if (chunk.type === 'error') throw chunk.error;
            all.push(chunk.type === 'response-metadata' ? { type: chunk.type } : chunk);
          }
          return plain(all) as Chunk[];
        });
        return { stream: simulateReadableStream({ chunks, initialDelayInMs: null, chunkDelayInMs: null }) };
      },
    },
  });
}

/** The fields of a request by which two questions differ. */
function questionOf({ prompt, responseFormat, toolChoice }: Parameters<GuardedModel['doGenerate']>[0]): unknown {
  return plain({ prompt, responseFormat, toolChoice });
}

/** A value as the journal keeps it: bytes as text, which the AI SDK takes as well. */
function plain(value: unknown): unknown {
  const text = JSON.stringify(value, (_, member) =>
    member instanceof Uint8Array ? Buffer.from(member).toString('base64') : member,
  );
  return JSON.parse(text);
}

function guarded<T extends ToolSet>({ act }: LoopWays, set: T): T {
  const tools = Object.entries(set).map(([name, tool]) => {
    refuse(name, tool);
    const { execute } = tool;
    if (execute === undefined) return [name, tool];
    const own: typeof execute = (input, options) =>
      act(name, options.toolCallId, plain(input), async ({ input: counts, key, signal }) => {
        const context = { ...(options.experimental_context as object | undefined), idempotencyKey: key };
        return last(await execute(counts as never, { ...options, abortSignal: signal, experimental_context: context }));
      });
    return [name, { ...tool, execute: own }];
  });
  return Object.fromEntries(tools) as T;
}

/** @throws LoopError for a tool whose calls the run would not see, or whose question to a person no journal keeps. */
function refuse(name: string, tool: ToolSet[string]): void {
  if (tool.type === 'provider')
    throw new LoopError(
      'unsupported_tool',
      `The tool "${name}" is executed by the provider of the model, and no call of it is seen here.`,
    );
  if (tool.needsApproval !== undefined && tool.needsApproval !== false)
    throw new LoopError(
      'unsupported_tool',
      `The tool "${name}" has needsApproval, whose answer no journal keeps. Take it off, and say "gate" of the tool in the config.`,
    );
}

/** The answer of a tool: the last value of one that gives several. */
async function last(answer: unknown): Promise<unknown> {
  if (typeof answer !== 'object' || answer === null || !(Symbol.asyncIterator in answer)) return answer;
  let value: unknown;
  for await (value of answer as AsyncIterable<unknown>);
  return value;
}
