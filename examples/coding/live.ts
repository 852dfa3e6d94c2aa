/**
 * A live model for the coding agent: any endpoint that speaks the chat completions of OpenAI. Without a key there is none, and the agent keeps
 * the model that follows a script.
 */
import type { Draft, Task, Workshop } from './machine.ts';

/** The parts of a workshop that a model does. */
type Model = Pick<Workshop, 'plan' | 'draft'>;

/** What the endpoint answers, as far as it is read. */
type Completion = { choices?: { message?: { content?: string | null } }[]; usage?: { total_tokens?: number } };

const PLAN =
  'You plan a change of a project. Answer with JSON alone: {"tasks":[{"path":"a path in the project","wish":"what its file is to be"}]}';
const DRAFT = 'You write one file of a project. Answer with JSON alone: {"content":"the whole file"}';

/**
 * The model that the environment names, or null: `CODING_MODEL_KEY`, `CODING_MODEL_URL` (up to `/v1`), `CODING_MODEL`, and
 * `CODING_MODEL_CENTS`, the price of 1,000 tokens.
 */
export function liveModel(env: Readonly<Record<string, string | undefined>> = process.env): Model | null {
  const { CODING_MODEL_KEY: key, CODING_MODEL_URL: url, CODING_MODEL: model, CODING_MODEL_CENTS: price = '1' } = env;
  if (key === undefined || key === '' || url === undefined || model === undefined) return null;
  const ask = async (system: string, user: unknown, signal: AbortSignal) => {
    const messages = [
      { role: 'system', content: system },
      { role: 'user', content: JSON.stringify(user) },
    ];
    const reply = await fetch(`${url.replace(/\/$/, '')}/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
      body: JSON.stringify({ model, messages, response_format: { type: 'json_object' } }),
      signal,
    });
    if (!reply.ok) throw new Error(`the model answers ${reply.status}`);
    const { choices, usage } = (await reply.json()) as Completion;
    // What the answer lacks, the output schema of the config refuses.
    const said = JSON.parse(choices?.[0]?.message?.content ?? 'null') as object;
    return { ...said, cents: Math.ceil(((usage?.total_tokens ?? 0) / 1_000) * Number(price)) };
  };
  return {
    plan: async ({ input, signal }) => (await ask(PLAN, input, signal)) as { tasks: Task[]; cents: number },
    draft: async ({ input, signal }) => (await ask(DRAFT, input, signal)) as Draft,
  };
}
