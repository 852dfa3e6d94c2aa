/**
 * Checks a syntax tree against the supported subset: no form whose cost or meaning depends on the facts. Reports every
 * problem, not only the first.
 */
import { LOOK_VARIABLES, type Node, VARIABLES } from './cel.ts';
import type { Problem } from './problem.ts';
import { suggest } from './suggest.ts';

/** Functions by name, and how many arguments each takes. */
const FUNCTIONS: ReadonlyMap<string, number> = new Map([
  ['size', 1],
  ['has', 1],
  ['int', 1],
  ['double', 1],
  ['string', 1],
]);

/** Methods by name, and how many arguments each takes. */
const METHODS: ReadonlyMap<string, number> = new Map([
  ['size', 0],
  ['startsWith', 1],
  ['endsWith', 1],
  ['contains', 1],
  ['lowerAscii', 0],
  ['upperAscii', 0],
  ['trim', 0],
  ['sum', 0],
  ['hasValue', 0],
  ['value', 0],
  ['orValue', 1],
  ['or', 1],
]);

/** Methods that ask a question of every member. */
export const MACROS: ReadonlySet<string> = new Set(['all', 'exists', 'exists_one', 'filter', 'map']);

/** Names that are never data. */
const FORBIDDEN: ReadonlySet<string> = new Set(['__proto__', 'prototype', 'constructor']);

/** The names in scope: the variables, and within a macro its item. */
export interface Scope {
  readonly variables: ReadonlySet<string>;
  readonly item: string | null;
}

/** The scope of a predicate. */
export const PREDICATE_SCOPE: Scope = { variables: new Set(Object.keys(VARIABLES)), item: null };

/** The scope of an expression that finds the entity, which is not known yet. */
export const ENTITY_SCOPE: Scope = {
  variables: new Set(Object.keys(VARIABLES).filter((name) => name !== 'entity')),
  item: null,
};

/** The scope of an argument of a call that is computed from the other arguments. */
export const ARGUMENTS_SCOPE: Scope = { variables: new Set(['args']), item: null };

/** The scope of the message of a commit. */
export const MESSAGE_SCOPE: Scope = { variables: new Set(['entity', 'memory']), item: null };

/** The scope of what is read off the answer of a judge: the answer, and what the judge was asked. */
export const JUDGED_SCOPE: Scope = { variables: new Set(['event', 'args', 'entity']), item: null };

/** The scope of a comparison of two looks at the world: what was answered then and now, and what was asked. */
export const LOOKS_SCOPE: Scope = { variables: new Set(['now', 'then', 'args']), item: null };

/** The scope of a condition under which a call keeps an obligation. */
export const KEPT_SCOPE: Scope = { variables: new Set(['obligation', 'kept']), item: null };

/** The scope of a condition that releases an obligation. */
export const RELEASED_SCOPE: Scope = { variables: new Set(['obligation', 'memory']), item: null };

/** The scope of a condition before a call leaves, which may ask how old the answers are that the call rests on, and what the mandate of the run says. */
export const LEAVING_SCOPE: Scope = {
  variables: new Set([...Object.keys(VARIABLES), 'verified', 'mandate']),
  item: null,
};

/** Every problem of a tree, in the order of the text. */
export function lint(ast: Node, scope: Scope): Problem[] {
  const problems: Problem[] = [];
  visit(ast, scope, problems);
  return problems.sort((a, b) => a.offset - b.offset);
}

/** The kind of value that a node has for all facts; null where it depends on them. */
function staticKind(node: Node): 'int' | 'double' | 'text' | 'list' | 'map' | null {
  switch (node.op) {
    case 'value':
      if (typeof node.args === 'bigint') return 'int';
      if (typeof node.args === 'number') return 'double';
      return typeof node.args === 'string' ? 'text' : null;
    case 'id':
      return node.args === 'state' || node.args === 'action' ? 'text' : null;
    case 'list':
      return 'list';
    case 'map':
      return 'map';
    case 'call':
      if (node.args[0] === 'size' || node.args[0] === 'int') return 'int';
      if (node.args[0] === 'double') return 'double';
      return node.args[0] === 'string' ? 'text' : null;
    case 'rcall':
      return node.args[0] === 'size' ? 'int' : null;
    case '-_':
      return staticKind(node.args);
    case '+':
    case '-':
    case '*':
    case '/':
    case '%':
      return staticKind(node.args[0]) ?? staticKind(node.args[1]);
    default:
      return null;
  }
}

/** The operands of a node that are nodes themselves, in the order of the text. */
export function operands(node: Node): readonly Node[] {
  switch (node.op) {
    case 'value':
    case 'id':
      return [];
    case '.':
    case '.?':
      return [node.args[0]];
    case 'call':
      return node.args[1];
    case 'rcall':
      return [node.args[1], ...node.args[2]];
    case 'list':
      return node.args;
    case 'map':
      return node.args.flat();
    case '!_':
    case '-_':
      return [node.args];
    default:
      return node.args;
  }
}

function visit(node: Node, scope: Scope, problems: Problem[]): void {
  const report = (code: Problem['code'], message: string, mend: string, at: Node = node) => {
    problems.push({ code, offset: at.range.start, message, mend });
  };
  switch (node.op) {
    case 'value':
      if (typeof node.args === 'object' && node.args !== null) {
        report(
          'banned_form',
          'bytes and unsigned numbers have no counterpart in the context',
          'Use a text or a plain number.',
        );
      }
      return;
    case 'id':
      if (scope.variables.has(node.args) || node.args === scope.item) return;
      report('unknown_variable', `"${node.args}" is not known here`, suggest(node.args, scope.variables));
      return;
    case '.':
    case '.?':
      forbidden(node.args[1], report);
      break;
    case '[]':
    case '[?]':
      if (node.args[1].op === 'value') forbidden(node.args[1].args, report);
      break;
    case 'call':
      known(FUNCTIONS, node.args[0], node.args[1].length, report);
      break;
    case 'rcall':
      if (MACROS.has(node.args[0])) {
        macro(node, scope, problems);
        return;
      }
      method(node.args[0], node.args[2].length, report);
      break;
    case 'in':
      if (node.args[1].op !== 'list') {
        const mend = 'For a map write map[?key].hasValue(), for a list list.exists(x, x == value).';
        report('banned_in', '"in" is understood before a list that is written out, and nowhere else', mend);
      }
      break;
    case '-_':
      arithmetic('-', [node.args], report);
      break;
    case '+':
    case '-':
    case '*':
    case '/':
    case '%':
      arithmetic(node.op, node.args, report);
      break;
  }
  for (const operand of operands(node)) visit(operand, scope, problems);
}

type Report = (code: Problem['code'], message: string, mend: string, at?: Node) => void;

function forbidden(name: unknown, report: Report): void {
  if (typeof name === 'string' && FORBIDDEN.has(name)) {
    report('banned_form', `"${name}" is never a name of data`, 'Name a member of the data.');
  }
}

function known(names: ReadonlyMap<string, number>, name: string, count: number, report: Report): void {
  const takes = names.get(name);
  if (takes === undefined) {
    report('unknown_function', `there is no "${name}(...)"`, suggest(name, names.keys()));
  } else if (takes !== count) {
    report('unknown_function', `"${name}" takes ${takes} arguments and was given ${count}`, `Give it ${takes}.`);
  }
}

function method(name: string, count: number, report: Report): void {
  if (name !== 'matches') {
    known(METHODS, name, count, report);
    return;
  }
  const mend = 'Use startsWith, endsWith or contains, or decide it in the machine and store the answer.';
  report('banned_matches', 'a regular expression may take for ever', mend);
}

function macro(node: Extract<Node, { op: 'rcall' }>, scope: Scope, problems: Problem[]): void {
  const [name, over, [item, body, ...more]] = node.args;
  visit(over, scope, problems);
  const report = (code: Problem['code'], message: string, mend: string, at: Node = node) => {
    problems.push({ code, offset: at.range.start, message, mend });
  };
  if (item?.op !== 'id' || body === undefined || more.length > 0) {
    report('unknown_function', `"${name}" takes a name and a condition`, `Write ${name}(x, condition on x).`);
    return;
  }
  if (scope.item !== null) {
    report('banned_nested_macro', `"${name}" stands within another macro`, 'Ask one question of one collection.');
    return;
  }
  if (Object.hasOwn(VARIABLES, item.args) || LOOK_VARIABLES.includes(item.args)) {
    report('banned_form', `"${item.args}" already means something else`, 'Call the item x.', item);
  }
  visit(body, { ...scope, item: item.args }, problems);
}

function arithmetic(op: string, args: readonly Node[], report: Report): void {
  const kinds = args.map(staticKind);
  if (op === '+' && kinds.includes('text')) return;
  if (kinds.every((kind) => kind === 'int' || kind === 'double')) return;
  const mend = 'Say which numbers they are: int(memory.n) + 1, or double(memory.n) + 1.0.';
  report('banned_arithmetic', `"${op}" needs to know whether its numbers are whole`, mend);
}
