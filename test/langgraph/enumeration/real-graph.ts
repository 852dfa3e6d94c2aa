/** Builds a little graph with LangGraph. */
import { Annotation, Send, StateGraph } from '@langchain/langgraph';
import { graphTool } from '../../../src/langgraph/tools/tool.ts';
import type { ToolCall } from '../../../src/runtime/tool-call.ts';
import { type Args, isWrong, type LittleGraph, type LittleNode } from './little-graph.ts';
import { END, type Exit } from './shapes.ts';

/** The function of a tool, in the world. */
export type Act = (tool: string, call: ToolCall<Args>) => Promise<string>;

type Values = Readonly<Record<string, unknown>>;

/** A graph as LangGraph runs it by itself. */
export interface Native {
  invoke(input: object): Promise<object>;
}

/** The input of every little graph. */
export const INPUT = { i: 0 };
const ROUNDS = 2;

const merged = (before: Values, more: Values): Values => ({ ...before, ...more });
const State = {
  i: Annotation<number>({ reducer: (a, b) => Math.max(a, b), default: () => 0 }),
  log: Annotation<string[]>({ reducer: (before, more) => [...before, ...more], default: () => [] }),
};

/** Builds the graph. */
export function realGraph({ shape, nodes }: LittleGraph, act: Act): Native {
  const keys = nodes.map(({ isSent }, node) => [
    `k${node}`,
    isSent ? Annotation<Values>({ reducer: merged, default: () => ({}) }) : Annotation<string>,
  ]);
  const builder = new StateGraph(Annotation.Root({ ...State, ...Object.fromEntries(keys) })) as unknown as Builder;
  for (const [node, little] of nodes.entries()) builder.addNode(little.name, nodeOf(little, node, act));
  const name = (node: number) => (node === END ? '__end__' : `n${node}`);
  const lead = (from: string, exit: Exit, node: number): void => {
    switch (exit.is) {
      case 'edges':
        for (const to of exit.to.length === 0 ? [END] : exit.to)
          if (!(shape.join?.to === to && shape.join.from.includes(node))) builder.addEdge(from, name(to));
        return;
      case 'if': {
        const leads = (state: Values) => name(isWrong(state[`k${nodes[node]?.chooser}`]) ? exit.wrong : exit.right);
        builder.addConditionalEdges(from, leads, [name(exit.right), name(exit.wrong)]);
        return;
      }
      case 'send': {
        const sender = nodes[node];
        const sends = (state: Values) =>
          ['x', 'y'].map((item) => {
            const about = nodes[exit.to]?.isPerPass ? `${item}${state.i}` : item;
            const carries = nodes[exit.to]?.reads.includes(node) ? { [`k${node}`]: state[`k${node}`] } : {};
            return new Send(name(exit.to), { item: about, ...(sender !== undefined && carries) });
          });
        builder.addConditionalEdges(from, sends, [name(exit.to)]);
        return;
      }
      case 'loop': {
        const again = (state: Values) => name((state.i as number) < ROUNDS ? exit.back : exit.on);
        builder.addConditionalEdges(from, again, [...new Set([name(exit.back), name(exit.on)])]);
      }
    }
  };
  lead('__start__', shape.start, END);
  for (const [node, exit] of shape.exits.entries()) lead(name(node), exit, node);
  if (shape.join !== null) builder.addEdge(shape.join.from.map(name), name(shape.join.to));
  return builder.compile({ name: 'little' });
}

interface Builder {
  addNode(name: string, node: (state: Values) => Promise<Values>): void;
  addEdge(from: string | string[], to: string): void;
  addConditionalEdges(from: string, by: (state: Values) => unknown, to: string[]): void;
  compile(options: object): Native;
}

function nodeOf({ name, reads, isSent, isPerPass, isTail }: LittleNode, node: number, act: Act) {
  const tool = graphTool(name, (call: ToolCall<Args>) => act(name, call));
  return async (state: Values): Promise<Values> => {
    const of = isSent ? (state.item as string) : isPerPass ? String(state.i) : 'it';
    const args = Object.fromEntries(reads.map((key) => [`k${key}`, state[`k${key}`] ?? null]));
    const answer = await tool({ of, ...args });
    const next = isTail ? { i: (state.i as number) + 1 } : {};
    return { [`k${node}`]: isSent ? { [of]: answer } : answer, log: [`${name}/${of}`], ...next };
  };
}
