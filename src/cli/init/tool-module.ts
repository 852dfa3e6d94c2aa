/**
 * Reads the tools that a module exports: functions of a hand-written loop, tools of the AI SDK, and tools of the OpenAI
 * Agents SDK. It calls none. An SDK's hints about a tool are quoted, and never believed.
 */
import { loadModule } from '../reading/machines.ts';
import type { DraftTool } from './draft.ts';
import { argumentsOfSchema } from './mcp-tools.ts';

/**
 * The tools of a module, or a problem: its export `tools`, else its default export, else all of its exports that are
 * tools.
 */
export async function readToolModule(file: string): Promise<readonly DraftTool[] | { readonly problem: string }> {
  const loaded = await loadModule(file);
  if ('problem' in loaded) return loaded;
  const { tools, default: own } = loaded.exports;
  const found = [tools, own].map(toolsIn).find((list) => list.length > 0) ?? toolsIn(loaded.exports);
  if (found.length === 0)
    return {
      problem: `${file}: no_tools it exports no tool: functions by their names, or tools of the AI SDK or the Agents SDK, as \`tools\``,
    };
  const twice = found.find(({ name }, index) => found.findIndex((other) => other.name === name) < index);
  if (twice !== undefined) return { problem: `${file}: bad_tools two tools are called ${JSON.stringify(twice.name)}` };
  const model = found.find(({ name }) => name === 'model');
  return model === undefined ? found : { problem: `${file}: bad_tools "model" is the name of the model's own calls` };
}

/** The tools in a record, by their names, or in a list. */
function toolsIn(value: unknown): DraftTool[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, tool]) => toolIn(Array.isArray(value) ? null : key, tool) ?? []);
}

/** @param key the name under which it was found; null in a list. */
function toolIn(key: string | null, value: unknown): DraftTool | null {
  if (typeof value === 'function') return key === null ? null : { name: key, writes: [], mcp: null };
  if (typeof value !== 'object' || value === null) return null;
  const { type, name, parameters, invoke, inputSchema, execute, needsApproval } = value as Record<string, unknown>;
  if (type === 'function' && typeof name === 'string' && typeof invoke === 'function')
    return described(name, 'the Agents SDK', parameters);
  const isTool = inputSchema !== undefined || typeof execute === 'function';
  if (!isTool || key === null) return null;
  const made = described(key, 'the AI SDK', inputSchema);
  return needsApproval === undefined ? made : { ...made, note: 'its needsApproval is refused: say gate here' };
}

function described(name: string, from: string, schema: unknown): DraftTool {
  return { name, writes: [], from, mcp: { name, args: argumentsIn(schema), output: null, refused: null, hints: [] } };
}

/**
 * The names of the arguments in a JSON Schema, in the AI SDK's wrapper of one, or in an object of zod; those that may
 * be left out with a question mark.
 */
function argumentsIn(schema: unknown): readonly string[] {
  const { jsonSchema, shape } = (schema ?? {}) as { readonly jsonSchema?: unknown; readonly shape?: unknown };
  if (typeof shape === 'object' && shape !== null)
    return Object.entries(shape).map(([arg, type]) => (isOptional(type) ? `${arg}?` : arg));
  return argumentsOfSchema(jsonSchema ?? schema);
}

function isOptional(type: unknown): boolean {
  const { isOptional: asked } = (type ?? {}) as { readonly isOptional?: unknown };
  return typeof asked === 'function' && asked.call(type) === true;
}
