/**
 * Evaluates a syntax tree. Each node becomes a closure once; a question then runs them over the facts. An error is a
 * value (`Failed`) that travels up until an operator decides without it (`logic.ts`).
 */
import { callFunction, callMethod } from './calls.ts';
import type { Node } from './cel.ts';
import { MACROS } from './lint.ts';
import { choose, connect, negate, not, type Part } from './logic.ts';
import { overMembers } from './macros.ts';
import { operator } from './operators.ts';
import { admit, Failed } from './own.ts';
import type { Facts } from './predicate.ts';
import { Meter, memberOf, NONE, nameOf, Optional } from './values.ts';

/** One question under way. */
interface Question {
  readonly facts: Facts;
  readonly meter: Meter;
  /** The present value of the macro's name. */
  item: unknown;
}

type Run = Part<Question>;

/** Compiles a tree that passed the lint. The result never throws and has a bounded cost. */
export function evaluator(ast: Node): (facts: Facts) => unknown {
  const run = compile(ast);
  return (facts) => {
    const question: Question = { facts, meter: new Meter(), item: undefined };
    const value = run(question);
    return question.meter.spent ?? value;
  };
}

function compile(node: Node): Run {
  switch (node.op) {
    case 'value': {
      const value = node.args;
      return () => value;
    }
    case 'id':
      return variable(node.args);
    case '.':
    case '.?': {
      const key = node.args[1];
      return access(compile(node.args[0]), () => key, node.op === '.?');
    }
    case '[]':
    case '[?]':
      return access(compile(node.args[0]), compile(node.args[1]), node.op === '[?]');
    case 'call':
      return node.args[0] === 'has'
        ? has(node.args[1][0] as Node)
        : call(node.args[0], compile(node.args[1][0] as Node));
    case 'rcall':
      return MACROS.has(node.args[0]) ? macro(node) : method(node);
    case 'list':
      return list(node.args.map(compile));
    case 'map':
      return map(node.args.map(([key, value]) => [compile(key), compile(value)]));
    case '?:':
      return choose(compile(node.args[0]), compile(node.args[1]), compile(node.args[2]));
    case '||':
      return connect(true, compile(node.args[0]), compile(node.args[1]));
    case '&&':
      return connect(false, compile(node.args[0]), compile(node.args[1]));
    case '!_':
      return not(compile(node.args));
    case '-_':
      return negate(compile(node.args));
    default:
      return binary(node);
  }
}

function variable(name: string): Run {
  switch (name) {
    case 'state':
      return ({ facts }) => facts.state;
    case 'action':
      return ({ facts }) => facts.action;
    case 'entity':
      return ({ facts }) => facts.entity;
    case 'args':
      return ({ facts }) => admit(facts.args) ?? null;
    case 'memory':
      return ({ facts }) => admit(facts.memory) ?? null;
    case 'event':
      return ({ facts }) => admit(facts.event) ?? null;
    case 'now':
    case 'then':
    case 'verified':
    case 'obligation':
    case 'kept':
    case 'mandate':
      return ({ facts }) => admit(facts[name]) ?? null;
    default:
      return ({ item }) => item;
  }
}

function access(of: Run, by: Run, optional: boolean): Run {
  return (question) => {
    const found = of(question);
    if (found instanceof Failed) return found;
    const key = by(question);
    if (key instanceof Failed) return key;
    if (optional || found instanceof Optional) return select(found, key, question.meter);
    const member = memberOf(found, key, question.meter);
    if (member !== undefined) return member;
    return new Failed(`there is no ${typeof key === 'string' ? `"${key.slice(0, 64)}"` : 'such member'}`);
  };
}

/** A member as an optional value. A member of an optional value is optional itself. */
function select(from: unknown, key: unknown, meter: Meter): Optional | Failed {
  if (from === NONE) return NONE;
  const member = memberOf(from instanceof Optional ? from.held : from, key, meter);
  if (member === undefined) return NONE;
  return member instanceof Failed ? member : new Optional(member);
}

function has(operand: Node): Run {
  const [of, name] = (operand as Extract<Node, { op: '.' }>).args;
  const asked = access(compile(of), () => name, true);
  return (question) => {
    const found = asked(question);
    return found instanceof Failed ? found : found !== NONE;
  };
}

function call(name: string, argument: Run): Run {
  return (question) => {
    const value = argument(question);
    return value instanceof Failed ? value : callFunction(name, value, question.meter);
  };
}

function method(node: Extract<Node, { op: 'rcall' }>): Run {
  const [name, on, args] = node.args;
  const of = compile(on);
  const argument = args[0] === undefined ? () => null : compile(args[0]);
  if (name === 'orValue' || name === 'or') return otherwise(name, of, argument);
  return (question) => {
    const receiver = of(question);
    if (receiver instanceof Failed) return receiver;
    const value = argument(question);
    return value instanceof Failed ? value : callMethod(name, receiver, value, question.meter);
  };
}

/** `orValue` and `or` evaluate their argument only when their operand is absent. */
function otherwise(name: 'orValue' | 'or', of: Run, argument: Run): Run {
  return (question) => {
    const receiver = of(question);
    if (receiver instanceof Failed) return receiver;
    if (!(receiver instanceof Optional))
      return new Failed(`${nameOf(receiver)} is not optional and has no ${name}(...)`);
    if (receiver !== NONE) return name === 'or' ? receiver : receiver.held;
    const value = argument(question);
    if (name === 'or' && !(value instanceof Optional || value instanceof Failed))
      return new Failed('or(...) takes an optional');
    return value;
  };
}

function list(members: readonly Run[]): Run {
  return (question) => {
    const values = [];
    for (const member of members) {
      const value = member(question);
      if (value instanceof Failed) return value;
      values.push(value);
    }
    return values;
  };
}

function map(entries: readonly (readonly [Run, Run])[]): Run {
  return (question) => {
    const table: Record<string, unknown> = Object.create(null);
    for (const [keyOf, give] of entries) {
      const [key, value] = [keyOf(question), give(question)];
      if (key instanceof Failed) return key;
      if (value instanceof Failed) return value;
      if (typeof key !== 'string') return new Failed('a map is keyed by text');
      table[key] = value;
    }
    return table;
  };
}

function binary(node: Node): Run {
  const [left, right] = (node.args as readonly Node[]).map(compile) as [Run, Run];
  const apply = operator(node.op);
  return (question) => {
    const a = left(question);
    if (a instanceof Failed) return a;
    const b = right(question);
    return b instanceof Failed ? b : apply(a, b, question.meter);
  };
}

function macro(node: Extract<Node, { op: 'rcall' }>): Run {
  const [name, over, [, body]] = node.args;
  const [of, ask] = [compile(over), compile(body as Node)];
  return (question) => {
    const collection = of(question);
    if (collection instanceof Failed) return collection;
    const value = overMembers(name, collection, question.meter, (item) => {
      question.item = item;
      return ask(question);
    });
    question.item = undefined;
    return value;
  };
}
