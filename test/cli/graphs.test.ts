/** `belay init` and `belay check` of compiled graphs of LangGraph, as a user runs them. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { belay } from './belay.ts';

const root = mkdtempSync(join(tmpdir(), 'belay-graphs-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));
let number = 0;
let folder = '';
beforeEach(() => {
  number += 1;
  folder = join(root, String(number));
  mkdirSync(folder);
});
const put = (name: string, content: string) => {
  writeFileSync(join(folder, name), content);
  return join(folder, name);
};
const at = (name: string) => JSON.stringify(import.meta.resolve(name));

/** A module with a graph: a model node, a ToolNode, and a node that sums up. */
const moduleOf = (compile = "{ name: 'shop' }", more = '') =>
  put(
    'graph.mjs',
    `import { Annotation, MemorySaver, MessagesAnnotation, StateGraph } from ${at('@langchain/langgraph')};
import { ToolNode } from ${at('@langchain/langgraph/prebuilt')};
import { tool } from ${at('@langchain/core/tools')};
import { z } from ${at('zod')};
const of = (name) => tool(async () => name, { name, description: name, schema: z.object({ of: z.string() }) });
const State = Annotation.Root({ ...MessagesAnnotation.spec, receipt: Annotation });
export const graph = new StateGraph(State)
  .addNode('agent', () => ({ messages: [] }))
  .addNode('tools', new ToolNode([of('book'), of('mail')]))
  .addNode('sum', () => ({ receipt: 'done' }))
  .addEdge('__start__', 'agent')
  .addConditionalEdges('agent', () => 'sum', ['tools', 'sum'])
  .addEdge('tools', 'agent')
  .addEdge('sum', '__end__')
  .compile(${compile});
${more}`,
  );
const CONFIG = `belay: 1
agent: shop
tools:
  book: { reads: [], writes: [], effect: idempotent }
  mail: { reads: [], writes: [], effect: idempotent }
  pay: { reads: [], writes: [], effect: idempotent }
skeletons:
  Tools:
    entity: '"it"'
    states: [tools]
    entry: [tools]
    inputs: []
    outputs: [messages]
    exit:
      - { id: called, at: tools -> end, when: 'size(memory.messages) > 0', outputs: [messages] }
    rollback: { anchors: [called], resume: tools }
`;

/** The same module, where a node leads to two others. */
function forked(module: string): string {
  const text = readFileSync(module, 'utf8');
  return put(
    'forked.mjs',
    text.replace(".addEdge('tools', 'agent')", ".addEdge('tools', 'agent').addEdge('tools', 'sum')"),
  );
}

/** The codes and messages of what \`belay check\` finds. */
async function check(config: string, machines: string) {
  const { code, out, err } = await belay(['check', put('shop.yaml', config), '--machines', machines, '--json']);
  const { files } = JSON.parse(out);
  const findings: { code: string; message: string }[] = files[0].findings;
  return { code, err, codes: findings.map((finding) => finding.code), text: JSON.stringify(findings) };
}

describe('belay check of a graph', () => {
  test('finds nothing wrong with a config that fits, also of tools that no structure tells', async () => {
    const found = await check(CONFIG, moduleOf());
    expect(found).toMatchObject({ code: 0, codes: [], err: '' });
  });

  test('says which node the graph does not have, and that a node is left to the end', async () => {
    const strange = CONFIG.replace('states: [tools]', 'states: [tools, tool]').replace(
      'tools -> end',
      'tools -> agent',
    );
    const found = await check(strange, moduleOf());
    expect(found.code).toBe(1);
    expect(found.codes).toEqual(expect.arrayContaining(['unknown_state', 'unknown_edge']));
    expect(found.text).toContain('From \\"tools\\" the machine goes to end.');
  });

  test('names a tool of a ToolNode that is not declared', async () => {
    const found = await check(CONFIG.replace(/ {2}mail: .*\n/, ''), moduleOf());
    expect(found.codes).toEqual(expect.arrayContaining(['tool_undeclared']));
    expect(found.text).toContain('shop calls \\"mail\\"');
  });

  test('says what attachGraph would refuse', async () => {
    const found = await check(CONFIG, moduleOf("{ name: 'shop', interruptBefore: ['sum'] }"));
    expect(found).toMatchObject({ code: 1, codes: ['unsupported_graph'] });
    expect(found.text).toMatch(/interruptBefore.*Call interrupt/);
  });

  test('says nothing of a checkpointer, since a run of the graph may be a thread', async () => {
    const kept = await check(CONFIG, moduleOf("{ name: 'shop', checkpointer: new MemorySaver() }"));
    expect(kept.codes).not.toContain('unsupported_graph');
  });

  describe('with a skeleton over several nodes', () => {
    const several = (more: string) =>
      CONFIG.replace('states: [tools]', 'states: [agent, tools]')
        .replace('entry: [tools]', `entry: [agent]${more}`)
        .replace('at: tools -> end', 'at: agent -> end')
        .replace('resume: tools', 'resume: agent');

    test('knows the edges within it, and at which of its nodes it is entered and left', async () => {
      const commit = '\n    commit: [{ id: asked, at: agent -> tools, when: size(memory.messages) > 0 }]';
      const found = await check(several(commit).replace('[called]', '[asked, called]'), moduleOf());
      expect(found).toMatchObject({ code: 0, codes: [] });
    });

    test('finds an edge that the graph does not have, and one that leads out of it to a node', async () => {
      const commit = (at: string) => `\n    commit: [{ id: asked, at: ${at}, when: size(memory.messages) > 0 }]`;
      const within = await check(several(commit('tools -> end')), moduleOf());
      expect(within).toMatchObject({
        code: 1,
        text: expect.stringContaining('From \\"tools\\" the machine goes to agent.'),
      });
      const out = await check(several(commit('agent -> sum')), moduleOf());
      expect(out.text).toContain('From \\"agent\\" the machine goes to tools, end.');
    });

    test('says that attachGraph would refuse nodes beside each other', async () => {
      const found = await check(several(''), forked(moduleOf()));
      expect(found.codes).toContain('unsupported_graph');
      expect(found.text).toMatch(/2 edges lead from .*tools.*Give each node a skeleton of its own/);
    });
  });

  test('finds graphs in lists and records, and leaves what only looks like one', async () => {
    const found = await check(
      CONFIG,
      moduleOf(undefined, 'export const all = { graph, other: { nodes: 1, channels: 2 } };'),
    );
    expect(found).toMatchObject({ code: 0, codes: [] });
    const none = put('none.mjs', 'export const odd = { nodes: {}, channels: {} };\n');
    expect(await belay(['check', put('shop.yaml', CONFIG), '--machines', none])).toMatchObject({
      code: 2,
      err: `${none}: no_machine it exports no xstate machine and no compiled graph of LangGraph\n`,
    });
  });
});

describe('belay init of a graph', () => {
  test('writes a config of its nodes, tools and channels, on which belay check has no errors', async () => {
    const module = moduleOf();
    const { code, out } = await belay(['init', '--machines', module]);
    expect(code).toBe(0);
    expect(out).toContain('made by belay init from the graph shop');
    expect(out).toContain('# Its channels, which are keys: messages, receipt');
    for (const name of ['book', 'mail'])
      expect(out).toMatch(new RegExp(`^  ${name}:\\n(.*\\n)*    effect: irreversible`, 'm'));
    for (const node of ['agent', 'tools', 'sum']) expect(out).toContain(`at: ${node} -> end`);
    expect(out).not.toMatch(/begin/);
    expect(out.match(/TODO /g)).toHaveLength(4); // two of each of its two tools
    const { files, errors } = JSON.parse(
      (await belay(['check', put('draft.yaml', out), '--machines', module, '--json'])).out,
    );
    expect([errors, files[0].agent, files[0].machine]).toEqual([0, 'shop', true]);
  });
});
