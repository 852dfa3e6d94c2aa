/** Draws a tool: its class, who can be asked, what it waits for. */
import type { Chance } from './chance.ts';
import type { Feature } from './features.ts';
import { CLASSES, type EffectClass, type ToolSpec } from './scenario.ts';

/** The weights of the classes, in their order; `undone`: of work that is found wrong, and that nothing of its own forbids to undo. */
const WEIGHTS = { any: [38, 14, 20, 10, 18], undone: [40, 20, 25, 15, 0] } as const;

/** Draws a tool. @param owned true where it is called within a unit: what is outside commits nothing, and holds nothing back. */
export function drawTool(
  chance: Chance,
  name: string,
  has: (feature: Feature) => boolean,
  owned: boolean,
  kind: keyof typeof WEIGHTS = 'any',
): ToolSpec {
  const weights = WEIGHTS[kind];
  const isSure = kind === 'undone';
  const effect: EffectClass = has('effects')
    ? chance.weighed(CLASSES.map((each, index) => [each, weights[index] as number] as const))
    : chance.pick(['none', 'irreversible'] as const);
  const acts = effect !== 'none';
  const outside = has('outside') && chance.percent(20);
  const resource = `bank:${chance.pick(['a', 'b', '{args.entity}'])}`;
  const buffer = acts && owned && has('buffer') && chance.percent(4);
  const reconcile = acts && (chance.percent(70) || isSure);
  return {
    name,
    effect,
    reconcile,
    refusesKey: reconcile && !buffer && chance.percent(40),
    undo: (effect === 'reversible' || effect === 'compensable') && (chance.percent(92) || isSure),
    buffer,
    gate: acts && !buffer && has('gate') && chance.percent(7),
    timeout: chance.percent(30),
    reads: outside && chance.percent(60) ? [resource] : [],
    writes: outside && acts ? [resource] : [],
    schema: chance.percent(35),
    spends: chance.percent(10),
    before: chance.int(0, 2),
    after: chance.int(0, 1),
  };
}
