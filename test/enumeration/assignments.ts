/**
 * Enumerates the machines of a shape: every effect class and every choice of reads for its tools. Two choices that no run can tell
 * apart are one machine: `compensable` stands in only where `reversible` would be the class of all tools that can be undone.
 */
import { type EffectClass, type LittleMachine, type LittleTool, type Part, pieces, toolsIn } from './little-machine.ts';
import { parseShape, SHAPES } from './shapes.ts';

const DISTINCT: readonly EffectClass[] = ['none', 'idempotent', 'reversible', 'irreversible'];

/** Every machine of every shape, shape by shape. */
export function* machines(families: Iterable<string> = Object.keys(SHAPES)): Generator<LittleMachine> {
  for (const family of families) for (const shape of SHAPES[family] ?? []) yield* machinesOf(family, shape);
}

function* machinesOf(family: string, shape: string): Generator<LittleMachine> {
  const body = parseShape(shape);
  const names = [...toolsIn(body)].sort();
  const has = (is: Part['is']): boolean => pieces(body).some((piece) => piece.is === is);
  for (const passes of has('loop') ? (['entity', 'ordinal'] as const) : (['ordinal'] as const))
    for (const pick of has('branch') ? (['right', 'wrong'] as const) : (['right'] as const))
      for (const classes of product(names.map(() => DISTINCT)).flatMap(withCompensable))
        for (const reads of product(names.map((_, index) => readsOf(index))))
          yield described({ family, shape, body, passes, pick, tools: toolsWith(names, classes, reads) });
}

function described(machine: Omit<LittleMachine, 'looped' | 'text'>): LittleMachine {
  const { shape, tools, body, passes, pick } = machine;
  const parts = pieces(body);
  const looped = new Set(parts.flatMap((part) => (part.is === 'loop' ? toolsIn(part.body) : [])));
  const text = [
    shape,
    tools.map(({ name, class: effect, reads }) => `${name}:${effect}(${reads.join(',')})`).join(' '),
    ...(looped.size > 0 ? [`passes: ${passes}`] : []),
    ...(parts.some(({ is }) => is === 'branch') ? [`then: ${pick}`] : []),
  ].join(' | ');
  return { ...machine, looped, text };
}

function toolsWith(
  names: readonly string[],
  classes: readonly EffectClass[],
  reads: readonly (readonly string[])[],
): LittleTool[] {
  return names.map((name, index) => ({
    name,
    class: classes[index] as EffectClass,
    reads: reads[index] as readonly string[],
  }));
}

/** Chooses what a tool reads: nothing, the key before it, or the first key. */
function readsOf(index: number): readonly (readonly string[])[] {
  if (index === 0) return [[]];
  return index === 1 ? [[], ['k0']] : [[], [`k${index - 1}`], ['k0']];
}

/** Adds the twin of an assignment in which compensable stands for reversible, where exactly one tool can be undone. */
function withCompensable(classes: readonly EffectClass[]): readonly (readonly EffectClass[])[] {
  const undone = classes.filter((effect) => effect === 'reversible').length;
  const isTwin = undone === 1 && classes.every((effect) => effect === 'none' || effect === 'reversible');
  return isTwin ? [classes, classes.map((effect) => (effect === 'reversible' ? 'compensable' : effect))] : [classes];
}

function product<T>(lists: readonly (readonly T[])[]): readonly (readonly T[])[] {
  return lists.reduce<readonly (readonly T[])[]>(
    (all, list) => all.flatMap((before) => list.map((one) => [...before, one])),
    [[]],
  );
}
