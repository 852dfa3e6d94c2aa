/** The little graphs that are enumerated: a shape, and for each of its nodes the class of its one tool and the keys that it reads. */
import { createHash } from 'node:crypto';
import { before, looped, type Shape } from './shapes.ts';
import { type Commits, groupings, type LittleUnit, unitOf } from './units.ts';

export type EffectClass = 'none' | 'idempotent' | 'reversible' | 'irreversible';

/** A node, and its tool of the same name. */
export interface LittleNode {
  readonly name: string;
  readonly class: EffectClass;
  /** The nodes whose keys it reads. */
  readonly reads: readonly number[];
  /** True where it is sent to. */
  readonly isSent: boolean;
  /** True where each pass of the loop is an entity of its own; else the passes are ordinals of one. */
  readonly isPerPass: boolean;
  readonly isTail: boolean;
  /** The node by whose value its conditional edge chooses: its own, or one before it. */
  readonly chooser: number;
}

export interface LittleGraph {
  readonly shape: Shape;
  readonly nodes: readonly LittleNode[];
  readonly units: readonly LittleUnit[];
  readonly text: string;
}

/** The input of a tool: what it is about, and what its node has read. */
export type Args = { readonly of: string; readonly [key: string]: unknown };

const CLASSES = ['none', 'idempotent', 'reversible', 'irreversible', 'reversible'] as const;

const COMMITS = ['no', 'on edges', 'in nodes'] as const;

/** The graphs of a shape with units over several nodes: one for each way to have them. */
export function graphsOfUnits(shape: Shape, draw: number): LittleGraph[] {
  return groupings(shape.exits.length).map((parts) => {
    const text = parts.map((nodes) => nodes.map((node) => `n${node}`).join('+')).join(' ');
    const commits = COMMITS[pick(`${shape.text} ${draw} ${text} commits`, COMMITS.length)] as Commits;
    const units = parts.map((nodes) => unitOf(shape, nodes, nodes.length > 1 ? commits : 'no'));
    return littleGraph(shape, draw, { units, text: ` | units ${text}, commits ${commits}` });
  });
}

/** A graph of a shape, whose tools are drawn by a number: the same number draws the same ones. */
export function littleGraph(
  shape: Shape,
  draw: number,
  { units, text }: Pick<LittleGraph, 'units' | 'text'> = {
    units: shape.exits.map((_, node) => unitOf(shape, [node], 'no')),
    text: '',
  },
): LittleGraph {
  const sent = [shape.start, ...shape.exits].flatMap((exit) => (exit.is === 'send' ? [exit.to] : []));
  const inLoop = looped(shape);
  const perPass = pick(`${shape.text} ${draw} passes`, 2) === 0;
  const nodes = shape.exits.map((exit, node): LittleNode => {
    const known = before(shape, node);
    // A task that is sent to knows what it was sent: the value of its sender.
    const senders = shape.exits.flatMap(({ is }, from) => (is === 'send' ? [from] : []));
    const isSent = sent.includes(node);
    const readable = isSent ? senders : known.filter((other) => other !== node);
    return {
      name: `n${node}`,
      class: CLASSES[pick(`${shape.text} ${draw} ${node} class`, CLASSES.length)] as EffectClass,
      reads: readable.filter((other) => pick(`${shape.text} ${draw} ${node} reads ${other}`, 2) === 0),
      isSent,
      // A unit is about one pass where any of its nodes comes again.
      isPerPass: perPass && units.some(({ nodes }) => nodes.includes(node) && nodes.some((other) => inLoop.has(other))),
      isTail: exit.is === 'loop',
      chooser: chooserOf(`${shape.text} ${draw} ${node} chooses`, node, text === '' || exit.is !== 'if' ? [] : known),
    };
  });
  const tools = nodes.map(({ name, class: is, reads, isPerPass, chooser }, node) => {
    const by = chooser === node ? '' : ` by k${chooser}`;
    return `${name}:${is}(${reads.map((other) => `k${other}`).join(',')})${isPerPass ? ' a pass' : ''}${by}`;
  });
  return { shape, nodes, units, text: `${shape.text} | ${tools.join(' ')}${text}` };
}

function chooserOf(text: string, node: number, before: readonly number[]): number {
  const [own, ...others] = [node, ...before.filter((other) => other !== node)];
  return [own, own, ...others][pick(text, others.length + 2)] as number;
}

/** The answer of a tool. A wrong one ends with `!`, and whatever was made from one has it within. */
export function answerOf(tool: string, { of, ...reads }: Args, isWrong: boolean): string {
  const read = Object.entries(reads).map(([key, value]) => `${key}=${shown(value)}`);
  return `${tool}/${of}(${read.join(',')})${isWrong ? '!' : ''}`;
}

function shown(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value ?? '-');
}

/** True where a value is wrong itself: such a value leads the other way. */
export function isWrong(value: unknown): boolean {
  if (typeof value === 'string') return value.endsWith('!');
  return typeof value === 'object' && value !== null && Object.values(value).some(isWrong);
}

/** A number below a limit, drawn by a text. */
export function pick(text: string, below: number): number {
  return Number.parseInt(digest(text).slice(0, 8), 16) % below;
}

/** Ten hexadecimal digits that tell texts apart. */
export function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 10);
}
