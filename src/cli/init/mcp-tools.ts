/**
 * Reads the answer of an MCP server to `tools/list`: names, schemas and annotations. A hint in it is quoted, and never
 * believed.
 */
import { readFileSync } from 'node:fs';
import { outputSchema } from '../../boundaries/sections/output-schema.ts';

/** The largest answer that is read, in UTF-16 units. */
const LARGEST = 4 * 1024 * 1024;

/** A tool as its server describes it. */
export interface McpTool {
  readonly name: string;
  /** The names of its arguments, those that may be left out with a question mark. */
  readonly args: readonly string[];
  /**
   * The JSON Schema of its structured content, without what only says where the schema comes from; null where it gives
   * none.
   */
  readonly output: unknown;
  /** The reason why a config cannot hold the schema; null for a schema that fits, and without a schema. */
  readonly refused: string | null;
  /** Its annotations in words, `readOnlyHint: true`. */
  readonly hints: readonly string[];
}

/** The tools of a file: the result of `tools/list`, the whole JSON-RPC message, or only the list. */
export function readMcpTools(file: string): ReadonlyMap<string, McpTool> | { readonly problem: string } {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    return { problem: `${file}: cannot_read ${(error as Error).message}` };
  }
  if (text.length > LARGEST) return { problem: `${file}: too_large it is larger than any list of tools` };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { problem: `${file}: bad_tools it is not JSON. Save the answer of the server to tools/list.` };
  }
  const list = [value, table(value).tools, table(table(value).result).tools].find(Array.isArray);
  if (list === undefined)
    return { problem: `${file}: bad_tools it has no "tools". Save the answer of the server to tools/list.` };
  const tools = new Map<string, McpTool>();
  for (const [index, each] of list.entries()) {
    const { name } = table(each);
    if (typeof name !== 'string' || name === '')
      return { problem: `${file}: bad_tools the tool ${index + 1} has no name` };
    if (tools.has(name)) return { problem: `${file}: bad_tools two tools are called ${JSON.stringify(name)}` };
    tools.set(name, toolOf(name, table(each)));
  }
  return tools;
}

function toolOf(name: string, { inputSchema, outputSchema: given, annotations }: Record<string, unknown>): McpTool {
  const args = argumentsOfSchema(inputSchema);
  const { $schema: _, $id: __, ...schema } = table(given);
  const output = typeof given === 'object' && given !== null ? schema : null;
  const compiled = output === null ? null : outputSchema(output);
  const hints = Object.entries(table(annotations)).flatMap(([hint, value]) =>
    typeof value === 'boolean' ? [`${hint}: ${value}`] : [],
  );
  return { name, args, output, refused: compiled !== null && 'problem' in compiled ? compiled.problem : null, hints };
}

/** The names of the arguments that a JSON Schema has, those that may be left out with a question mark. */
export function argumentsOfSchema(schema: unknown): readonly string[] {
  const { properties, required } = table(schema);
  const needed: readonly unknown[] = Array.isArray(required) ? required : [];
  return Object.keys(table(properties)).map((arg) => (needed.includes(arg) ? arg : `${arg}?`));
}

function table(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};
}
