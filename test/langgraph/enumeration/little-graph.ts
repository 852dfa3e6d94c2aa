/** The little graphs that are enumerated: a shape, and for each of its nodes the class of its one tool and the keys that it reads. */
import { createHash } from 'node:crypto';
import { before, looped, type Shape } from './shapes.ts';

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
}

export interface LittleGraph {
  readonly shape: Shape;
  readonly nodes: readonly LittleNode[];
  readonly text: string;
}

/** The input of a tool: what it is about, and what its node has read. */
export type Args = { readonly of: string; readonly [key: string]: unknown };

const CLASSES = ['none', 'idempotent', 'reversible', 'irreversible', 'reversible'] as const;

/** A graph of a shape, whose tools are drawn by a number: the same number draws the same ones. */
export function littleGraph(shape: Shape, draw: number): LittleGraph {
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
      isPerPass: perPass && inLoop.has(node),
      isTail: exit.is === 'loop',
    };
  });
  const tools = nodes.map(({ name, class: is, reads, isPerPass }) => {
    return `${name}:${is}(${reads.map((node) => `k${node}`).join(',')})${isPerPass ? ' a pass' : ''}`;
  });
  return { shape, nodes, text: `${shape.text} | ${tools.join(' ')}` };
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
