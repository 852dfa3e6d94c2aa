/**
 * Finds compiled graphs of LangGraph among the exports of a module. The code for graphs is loaded once an export looks
 * like one.
 */
import type { GraphFacts } from '../../langgraph/shape.ts';

/** The graphs among the exports of a module, also in lists and records of graphs, by their names. */
export async function graphsAmong(exports: Readonly<Record<string, unknown>>): Promise<Map<string, GraphFacts>> {
  const graphs = new Map<string, GraphFacts>();
  const likely = Object.values(exports).flatMap(likelyIn);
  if (likely.length === 0) return graphs;
  const { graphFacts } = await import('../../langgraph/shape.ts');
  for (const value of likely) {
    const facts = graphFacts(value);
    if (facts !== null && !graphs.has(facts.shape.id)) graphs.set(facts.shape.id, facts);
  }
  return graphs;
}

function likelyIn(value: unknown): unknown[] {
  if (isLikely(value)) return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).filter(isLikely) : [];
}

function isLikely(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'nodes' in value && 'channels' in value;
}
