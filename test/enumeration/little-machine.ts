/**
 * Defines the little machines that are enumerated: a shape written as text, and for each of its tools an effect class and the keys
 * that it reads. Tool `n1` writes key `k1`; its answer is a text made of what it read, so equal reads give equal answers.
 */
export type EffectClass = 'none' | 'idempotent' | 'reversible' | 'irreversible' | 'compensable';

/** A piece of a shape. */
export type Part =
  /** A state that calls a tool; `retry` enters it again where the call fails. */
  | { readonly is: 'call'; readonly tool: string; readonly retry: boolean }
  | { readonly is: 'sequence'; readonly parts: readonly Part[] }
  | { readonly is: 'branch'; readonly key: string; readonly yes: Part; readonly no: Part | null }
  /** Two passes over a body; the context counts them in `n`. */
  | { readonly is: 'loop'; readonly body: Part }
  | { readonly is: 'parallel'; readonly left: Part; readonly right: Part }
  /** Calls of one skeleton, with a commit after each but the last. */
  | { readonly is: 'unit'; readonly body: Part }
  /** A child machine with a context of its own, which the parent takes over at its end. */
  | { readonly is: 'child'; readonly body: Part }
  /** Waits for event X from outside. */
  | { readonly is: 'wait' };

export interface LittleTool {
  readonly name: string;
  readonly class: EffectClass;
  /** The keys that a call reads. */
  readonly reads: readonly string[];
}

/** How the passes of a loop are told apart: each is an entity of its own, or an ordinal of one entity. */
type Passes = 'entity' | 'ordinal';

export interface LittleMachine {
  /** The shape as text: `n0; if k0 {n1} else {n2}`. */
  readonly shape: string;
  readonly family: string;
  readonly body: Part;
  readonly tools: readonly LittleTool[];
  readonly passes: Passes;
  /** Which value leads into a branch: the right one or the wrong one. */
  readonly pick: 'right' | 'wrong';
  /** The tools that are called within a loop. */
  readonly looped: ReadonlySet<string>;
  /** The machine on one line: its shape, then its tools. */
  readonly text: string;
}

/** The values of a machine's keys; in a loop over entities a key holds one value for each pass. */
export type Memory = { readonly [key: string]: unknown };

/** One call: its tool and the pass of the loop that it belongs to; null outside loops. */
export interface CallName {
  readonly tool: string;
  readonly pass: number | null;
}

export function callText({ tool, pass }: CallName): string {
  return pass === null ? tool : `${tool}#${pass}`;
}

/** Computes what a tool answers to these arguments. A wrong answer ends with `!`, and so does whatever was made from one. */
export function answerOf(call: CallName, args: Memory, isWrong: boolean): string {
  const { pass: _, ...reads } = args as Memory & { readonly pass?: string };
  const read = Object.entries(reads).map(([key, value]) => `${key}=${value === null ? '-' : textOf(value)}`);
  return `${callText(call)}(${read.join(',')})${isWrong ? '!' : ''}`;
}

/** Answers a branch's question: does the value lead into it? */
export function leadsIn(value: unknown, pick: LittleMachine['pick']): boolean {
  return textOf(value).includes('!') === (pick === 'wrong');
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

export function keyOf(tool: string): string {
  return tool.replace('n', 'k');
}

/** Names the tools called within a part, in order; a tool with two places is named once. */
export function toolsIn(part: Part | null): readonly string[] {
  const named = pieces(part).flatMap((piece) => (piece.is === 'call' ? [piece.tool] : []));
  return [...new Set(named)];
}

/** Lists a part and everything within it. */
export function pieces(part: Part | null): readonly Part[] {
  if (part === null) return [];
  switch (part.is) {
    case 'call':
    case 'wait':
      return [part];
    case 'sequence':
      return [part, ...part.parts.flatMap(pieces)];
    case 'branch':
      return [part, ...pieces(part.yes), ...pieces(part.no)];
    case 'loop':
    case 'unit':
    case 'child':
      return [part, ...pieces(part.body)];
    case 'parallel':
      return [part, ...pieces(part.left), ...pieces(part.right)];
  }
}

/** Names the tools that share a skeleton with a tool, in order; itself alone where it has one of its own. */
export function unitOf({ body }: LittleMachine, tool: string): readonly string[] {
  const units = pieces(body).flatMap((piece) => (piece.is === 'unit' ? [toolsIn(piece.body)] : []));
  return units.find((unit) => unit.includes(tool)) ?? [tool];
}

/** Names the skeleton of a tool. */
export function skeletonOf(machine: LittleMachine, tool: string): string {
  return unitOf(machine, tool).join('_').toUpperCase();
}

/** Reads a key in a pass: within a loop over entities, the value of that pass. */
export function readKey(machine: LittleMachine, memory: Memory, key: string, pass: number | null): unknown {
  const value = memory[key] ?? null;
  const isPerPass = machine.passes === 'entity' && pass !== null && machine.looped.has(key.replace('k', 'n'));
  return isPerPass ? ((value as Memory | null)?.[pass] ?? null) : value;
}

/** Computes what a key holds after a call has written it. */
export function written(machine: LittleMachine, memory: Memory, { tool, pass }: CallName, answer: unknown): unknown {
  if (pass === null || machine.passes === 'ordinal') return answer;
  return { ...(memory[keyOf(tool)] as Memory | undefined), [pass]: answer };
}

/** Collects the arguments of a call; the pass is one of them. */
export function argsOf(machine: LittleMachine, memory: Memory, { tool, pass }: CallName): Memory {
  const reads = machine.tools.find(({ name }) => name === tool)?.reads ?? [];
  const read = reads.map((key) => [key, readKey(machine, memory, key, pass)] as const);
  return { ...(pass !== null && { pass: String(pass) }), ...Object.fromEntries(read) };
}
