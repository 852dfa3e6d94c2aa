/**
 * The part of a condition that a step alone answers: its event, the state it leads to, the tool it starts or receives
 * from.
 */
import { type Node, parse } from './cel.ts';
import { evaluator } from './evaluate.ts';
import { MACROS, operands } from './lint.ts';

/** The steps that are meant, as far as they are known beforehand. */
export interface KnownSteps {
  /** The types of their events; null where it may be any. */
  readonly events: readonly string[] | null;
  readonly states: readonly string[];
  /** The tools that they may start or hear from. */
  readonly tools: readonly string[];
}

/** The names that a step answers. */
type Asked = 'event.type' | 'state' | 'action';

/**
 * The first part of a condition that no step can meet, by the names that the part reads; null if some step may meet all
 * parts.
 */
export function neverMet(text: string, steps: KnownSteps): Asked | null {
  const parsed = parse(text);
  if ('error' in parsed) return null;
  for (const part of conjuncts(parsed.ast)) {
    const asked = askedBy(part);
    if (asked === null || (steps.events === null && asked.has('event.type'))) continue;
    const ask = evaluator(part);
    const known = { args: null, entity: null, memory: null };
    const isNever = factsOf(steps).every((facts) => ask({ ...known, ...facts }) === false);
    if (isNever) return [...asked][0] ?? null;
  }
  return null;
}

function factsOf({ events, states, tools }: KnownSteps) {
  const types = events ?? [''];
  return types.flatMap((type) =>
    states.flatMap((state) => [type, ...tools].map((action) => ({ state, action, event: { type } }))),
  );
}

function conjuncts(node: Node): readonly Node[] {
  return node.op === '&&' ? node.args.flatMap(conjuncts) : [node];
}

/** The names that a part of a condition reads, if it reads only facts of a step; null otherwise. */
function askedBy(part: Node): ReadonlySet<Asked> | null {
  const found = new Set<Asked>();
  const isOfStep = (node: Node): boolean => {
    if (node.op === 'id') {
      if (node.args !== 'state' && node.args !== 'action') return false;
      found.add(node.args);
      return true;
    }
    if (node.op === '.' && node.args[0].op === 'id' && node.args[0].args === 'event' && node.args[1] === 'type') {
      found.add('event.type');
      return true;
    }
    if (node.op === 'rcall' && MACROS.has(node.args[0])) return false;
    return operands(node).every(isOfStep);
  };
  return isOfStep(part) && found.size > 0 ? found : null;
}
