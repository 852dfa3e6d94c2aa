/**
 * The part of the context that a predicate reads, from its syntax tree: paths as keys are written, with holes where an
 * index is the entity or a member of `args` or `event`, and `*` where it is anything. A path stands for all below it.
 */
import { escapeSegment } from '../model/key.ts';
import { type Node, parse } from './cel.ts';
import { MACROS, operands } from './lint.ts';

/**
 * The read set of a text, as key templates (`slots/{entity}/status`), each once; `**` is the whole context. Empty for a
 * text that is not CEL.
 */
export function readsOf(text: string): readonly string[] {
  const parsed = parse(text);
  if ('error' in parsed) return [];
  const found = new Set<string>();
  collect(parsed.ast, null, found);
  return [...new Set([...found].map(asTemplate))];
}

/** A key begins with a written name: where it would begin with a hole, or would look like a scheme, it is the whole context. */
function asTemplate(path: string): string {
  return /^(?:\{|\*|[a-z][a-z0-9+.-]*:)/.test(path) ? '**' : path;
}

/** A macro's item: a member of the path whose first segments these are. */
interface Item {
  readonly name: string;
  readonly path: readonly string[] | null;
}

function collect(node: Node, item: Item | null, found: Set<string>): void {
  const path = pathOf(node, item, found);
  if (path !== null) {
    found.add(path.length === 0 ? '**' : path.join('/'));
    return;
  }
  if (node.op === 'rcall' && MACROS.has(node.args[0])) {
    const [, over, [name, body]] = node.args;
    const of = pathOf(over, item, found);
    if (of === null) collect(over, item, found);
    else found.add([...of, '*'].join('/'));
    if (name?.op !== 'id' || body === undefined) return;
    collect(body, { name: name.args, path: of === null ? null : [...of, '*'] }, found);
    return;
  }
  for (const operand of operands(node)) collect(operand, item, found);
}

/** The path of the context that a node names, or null. Collects the paths that indexes on the way read themselves. */
function pathOf(node: Node, item: Item | null, found: Set<string>): readonly string[] | null {
  switch (node.op) {
    case 'id':
      if (item !== null && node.args === item.name) return item.path;
      return node.args === 'memory' ? [] : null;
    case '.':
    case '.?': {
      const of = pathOf(node.args[0], item, found);
      return of && [...of, escapeSegment(node.args[1])];
    }
    case '[]':
    case '[?]': {
      const of = pathOf(node.args[0], item, found);
      if (of === null) return null;
      collect(node.args[1], item === null ? null : { ...item, path: null }, found);
      return [...of, segmentOf(node.args[1])];
    }
    default:
      return null;
  }
}

function segmentOf(index: Node): string {
  if (index.op === 'value' && (typeof index.args === 'string' || typeof index.args === 'bigint')) {
    const text = String(index.args);
    return /[{}]/.test(text) ? '*' : escapeSegment(text); // braces are holes in a template
  }
  const hole = holeOf(index);
  return hole === null ? '*' : `{${hole}}`;
}

/** `entity`, `args.slot`, `event.slot.id`: what a key template can hold. */
function holeOf(node: Node): string | null {
  if (node.op === 'id')
    return node.args === 'entity' || node.args === 'args' || node.args === 'event' ? node.args : null;
  if (node.op === 'call' && node.args[0] === 'string' && node.args[1][0] !== undefined) return holeOf(node.args[1][0]);
  if (node.op !== '.') return null;
  const of = holeOf(node.args[0]);
  return of === null || of === 'entity' ? null : `${of}.${node.args[1]}`;
}

/** The names of the arguments that a tree reads, where they are written out. */
export function argumentsIn(node: Node, found = new Set<string>()): ReadonlySet<string> {
  const isMember = node.op === '.' || node.op === '.?' || node.op === '[]' || node.op === '[?]';
  if (isMember && node.args[0].op === 'id' && node.args[0].args === 'args') {
    const name = node.args[1];
    if (typeof name === 'string') found.add(name);
    else if (name.op === 'value' && typeof name.args === 'string') found.add(name.args);
  }
  for (const operand of operands(node)) argumentsIn(operand, found);
  return found;
}
