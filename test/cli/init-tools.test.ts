/** `belay init NAME --tools MODULE`: the config of a loop from the tools that a module exports. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { loadConfig } from '../../src/boundaries/load.ts';
import { memoryStore } from '../../src/index.ts';
import { loop } from '../../src/loop/loop.ts';
import { scratchFolder } from '../scratch.ts';
import { belay } from './belay.ts';

const root = scratchFolder('init-tools');
const of = (name: string) => JSON.stringify(import.meta.resolve(name));

let number = 0;
let folder = '';
beforeEach(() => {
  number += 1;
  folder = join(root, String(number));
  mkdirSync(folder);
});

const put = (name: string, text: string) => {
  writeFileSync(join(folder, name), text);
  return name;
};
const init = (...args: string[]) => belay(['init', ...args], '', {}, folder);

const HAND_WRITTEN =
  'export const tools = { quote: async () => 4900, pay: async () => { throw new Error("called"); } };';
const AI_SDK = `import { jsonSchema, tool } from ${of('ai')};
const schema = (properties, required) => jsonSchema({ type: 'object', properties, required });
export const tools = {
  quote: tool({ inputSchema: schema({ sku: { type: 'string' }, note: { type: 'string' } }, ['sku']), execute: async () => 4900 }),
  pay: tool({ inputSchema: schema({ cents: { type: 'number' } }, ['cents']), needsApproval: true, execute: async () => 'paid' }),
};`;
const AGENTS_SDK = `import { tool } from ${of('@openai/agents')};
const parameters = { type: 'object', properties: { sku: { type: 'string' } }, required: ['sku'], additionalProperties: false };
export default [tool({ name: 'quote', description: 'quotes', strict: true, parameters, execute: async () => 'x' })];`;

describe('belay init --tools', () => {
  test('writes a config that a loop of these tools runs under', async () => {
    const { code, out } = await init('shop', '--tools', put('tools.mjs', HAND_WRITTEN), '--out', 'shop.yaml');
    expect([code, out]).toEqual([0, 'shop.yaml: shop, 2 tools, 3 skeletons, 4 TODOs\n']);
    const { config, findings } = loadConfig(readFileSync(join(folder, 'shop.yaml'), 'utf8'), { file: 'shop.yaml' });
    expect([config?.agent, findings.filter(({ severity }) => severity === 'error')]).toEqual(['shop', []]);
    const shop = loop('shop', async ({ think, act, receive }) => {
      for (let said: unknown; ; ) {
        const words = await receive<string>(said);
        const id = await think(words, async () => `call-${words}`);
        said = await act('pay', id, {}, async () => `paid for ${words}`);
      }
    });
    if (config === null) throw new Error('it does not load');
    const run = await shop.attach({ run: 'r', config, journal: memoryStore() });
    expect(await run.invoke('a lamp')).toBe('paid for a lamp');
    await run.close();
  });

  test('asks two questions a tool at most, and quotes the arguments and hints of the AI SDK', async () => {
    const { code, out } = await init('shop', '--tools', put('tools.mjs', AI_SDK), '--json');
    const { config, todos, tools } = JSON.parse(out) as { config: string; todos: { text: string }[]; tools: number };
    expect([code, tools, todos.length]).toEqual([0, 2, 4]);
    expect(config).toMatch(/ {2}quote: # args in the AI SDK: sku, note\?\n/);
    expect(config).toMatch(/its needsApproval is refused: say gate here/);
    expect(config).not.toMatch(/effect: (?!irreversible|none)/);
  });

  test('reads the tools of the Agents SDK, from a list', async () => {
    const { code, out } = await init('shop', '--tools', put('tools.mjs', AGENTS_SDK));
    expect(code).toBe(0);
    expect(out).toMatch(/ {2}quote: # args in the Agents SDK: sku\n/);
  });

  test('takes nothing else: no tools, a tool called model, a file that is there, a machine beside', async () => {
    const file = put('tools.mjs', HAND_WRITTEN);
    put('shop.yaml', '');
    const none = put('none.mjs', 'export const tools = {};');
    const model = put('model.mjs', 'export const tools = { model: async () => 1 };');
    const refused = [
      [['shop', '--tools', none], /no_tools/],
      [['shop', '--tools', model], /bad_tools "model"/],
      [['shop', '--tools', 'nowhere.mjs'], /cannot_read/],
      [['--tools', file], /no_agent/],
      [['shop', '--tools', file, '--out', 'shop.yaml'], /exists/],
      [['shop', '--tools', file, '--mcp', 'tools.json'], /--mcp go with a machine/],
    ] as const;
    for (const [args, text] of refused) {
      const { code, err } = await init(...args);
      expect([args.join(' '), code, err]).toEqual([args.join(' '), 2, expect.stringMatching(text)]);
    }
  });
});
