/**
 * Lists the graphs of at most four nodes, each once up to renaming: edges to any number of nodes, conditional edges, and at most one `Send` (to two
 * tasks of one node), one join (`addEdge([a, b], c)`) and one loop (two passes). Edges lead to nodes behind, but for that of the loop.
 */

/** The end of a graph, as an edge names it. */
export const END = -1;

/** The ways out of a node. */
export type Exit =
  /** Edges to nodes; none is the end. */
  | { readonly is: 'edges'; readonly to: readonly number[] }
  /** By the node's own value: one where it is right, another one where it is wrong. */
  | { readonly is: 'if'; readonly right: number; readonly wrong: number }
  /** Two tasks of one node. */
  | { readonly is: 'send'; readonly to: number }
  /** Back for a second pass, then on. */
  | { readonly is: 'loop'; readonly back: number; readonly on: number };

/** A graph: the ways out of its start and of its nodes, and two edges that wait for one another. */
export interface Shape {
  readonly start: Exit;
  readonly exits: readonly Exit[];
  readonly join: { readonly from: readonly [number, number]; readonly to: number } | null;
  readonly text: string;
}

type Drawn = Omit<Shape, 'text'>;

/** All graphs with so many nodes, each once up to renaming. @param isIn chooses among them, before those of other names are left out. */
export function* allShapes(nodes: number, isIn: (text: string) => boolean = () => true): Generator<Shape> {
  const orders = permutations(nodes);
  for (const drawn of graphs(nodes)) {
    const text = textOf(drawn);
    // Of the graphs that differ by names alone, the one whose text comes first stands for all.
    if (
      isIn(text) &&
      orders.every((order) => text <= textOf(renamed(drawn, order)) || !isForward(renamed(drawn, order)))
    )
      yield { ...drawn, text };
  }
}

function* graphs(nodes: number): Generator<Drawn> {
  for (const start of waysOut(-1, nodes)) for (const exits of allExits(0, nodes)) yield* withJoins({ start, exits });
}

function* allExits(node: number, nodes: number): Generator<readonly Exit[]> {
  if (node === nodes) {
    yield [];
    return;
  }
  for (const exit of waysOut(node, nodes)) for (const rest of allExits(node + 1, nodes)) yield [exit, ...rest];
}

function* waysOut(node: number, nodes: number): Generator<Exit> {
  const behind = Array.from({ length: nodes - node - 1 }, (_, index) => node + 1 + index);
  for (const to of subsets(behind)) if (node >= 0 || to.length > 0) yield { is: 'edges', to };
  for (const to of behind) yield { is: 'send', to };
  if (node < 0) return;
  for (const right of [...behind, END])
    for (const wrong of [...behind, END]) if (right !== wrong) yield { is: 'if', right, wrong };
  for (let back = 0; back <= node; back += 1) for (const on of [...behind, END]) yield { is: 'loop', back, on };
}

function* withJoins(drawn: Omit<Drawn, 'join'>): Generator<Drawn> {
  const plain = { ...drawn, join: null };
  if (!isSound(plain)) return;
  yield plain;
  for (let to = 0; to < drawn.exits.length; to += 1) {
    const from = drawn.exits.flatMap((exit, node) => (exit.is === 'edges' && exit.to.includes(to) ? [node] : []));
    for (const [nth, a] of from.entries())
      for (const b of from.slice(nth + 1)) yield { ...drawn, join: { from: [a, b], to } };
  }
}

/** True where edges lead to nodes behind, as those of every graph that is drawn. */
function isForward({ exits }: Drawn): boolean {
  return exits.every((exit, node) => {
    const ahead = exit.is === 'loop' ? [exit.on] : targetsOf(exit);
    return ahead.every((to) => to === END || to > node) && (exit.is !== 'loop' || exit.back <= node);
  });
}

/** True where each node is reached, and neither `Send` nor loop comes twice or on top of the other. */
function isSound({ start, exits }: Drawn): boolean {
  const all = [start, ...exits];
  const sends = all.flatMap((exit) => (exit.is === 'send' ? [exit.to] : []));
  const loops = all.filter(({ is }) => is === 'loop');
  if (sends.length > 1 || loops.length > 1) return false;
  const reached = new Set<number>();
  const open = targetsOf(start);
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (node === END || reached.has(node)) continue;
    reached.add(node);
    open.push(...targetsOf(exits[node] as Exit));
  }
  if (reached.size < exits.length) return false;
  const [sent] = sends;
  if (sent === undefined) return true;
  // A node that is sent to takes its input from there alone, and knows no pass by itself.
  const others = all.filter((exit) => exit.is !== 'send' && targetsOf(exit).includes(sent));
  return others.length === 0 && exits[sent]?.is !== 'loop';
}

/** The nodes that a way out leads to. */
export function targetsOf(exit: Exit): number[] {
  switch (exit.is) {
    case 'edges':
      return [...exit.to];
    case 'if':
      return [exit.right, exit.wrong];
    case 'send':
      return [exit.to];
    case 'loop':
      return [exit.back, exit.on];
  }
}

/** Lists the nodes from which a node may be reached. */
export function before({ exits }: Pick<Shape, 'exits'>, node: number): number[] {
  const found = new Set<number>();
  const open = [node];
  for (let at = open.pop(); at !== undefined; at = open.pop())
    for (const [from, exit] of exits.entries())
      if (targetsOf(exit).includes(at) && !found.has(from)) {
        found.add(from);
        open.push(from);
      }
  return [...found].sort();
}

/** Lists the nodes within the loop: those between its head and the edge back. */
export function looped(shape: Pick<Shape, 'exits'>): ReadonlySet<number> {
  const tail = shape.exits.findIndex(({ is }) => is === 'loop');
  const exit = shape.exits[tail];
  if (exit?.is !== 'loop') return new Set();
  const ahead = new Set([tail, ...before(shape, tail)]);
  return new Set([...ahead].filter((node) => node === exit.back || before(shape, node).includes(exit.back)));
}

function textOf({ start, exits, join }: Drawn): string {
  const name = (node: number) => (node === END ? 'end' : `n${node}`);
  const wait = (node: number, to: number) => (join?.to === to && join.from.includes(node) ? '&' : '');
  const out = (exit: Exit, node: number): string => {
    switch (exit.is) {
      case 'edges':
        return exit.to.length === 0
          ? 'end'
          : [...exit.to]
              .sort()
              .map((to) => wait(node, to) + name(to))
              .join('+');
      case 'if':
        return `(${name(exit.right)}|${name(exit.wrong)})`;
      case 'send':
        return `2x${name(exit.to)}`;
      case 'loop':
        return `(${name(exit.back)} again|${name(exit.on)})`;
    }
  };
  return [`>${out(start, END)}`, ...exits.map((exit, node) => `${name(node)}>${out(exit, node)}`)].join(' ');
}

function renamed({ start, exits, join }: Drawn, order: readonly number[]): Drawn {
  const to = (node: number) => (node === END ? END : (order[node] as number));
  const out = (exit: Exit): Exit => {
    switch (exit.is) {
      case 'edges':
        return { is: 'edges', to: exit.to.map(to) };
      case 'if':
        return { is: 'if', right: to(exit.right), wrong: to(exit.wrong) };
      case 'send':
        return { is: 'send', to: to(exit.to) };
      case 'loop':
        return { is: 'loop', back: to(exit.back), on: to(exit.on) };
    }
  };
  const moved: Exit[] = [];
  for (const [node, exit] of exits.entries()) moved[to(node)] = out(exit);
  const joined = join && ({ from: [to(join.from[0]), to(join.from[1])], to: to(join.to) } as const);
  return { start: out(start), exits: moved, join: joined };
}

function subsets(of: readonly number[]): number[][] {
  return Array.from({ length: 2 ** of.length }, (_, bits) => of.filter((_, at) => (bits >> at) % 2 === 1));
}

function permutations(of: number): number[][] {
  if (of === 0) return [[]];
  return permutations(of - 1).flatMap((each) =>
    Array.from({ length: of }, (_, at) => [...each.slice(0, at), of - 1, ...each.slice(at)]),
  );
}
