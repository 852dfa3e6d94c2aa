/** Draws a tool: its class, who can be asked, what it waits for. */
import type { Chance } from './chance.ts';
import type { Feature } from './features.ts';
import { CLASSES, type EffectClass, type ToolSpec } from './scenario.ts';

/** The weights of the classes, in their order. */
const WEIGHTS = [38, 14, 20, 10, 18];
/** Those where much is done that can be taken back. */
const TAKEN_BACK = [30, 16, 28, 20, 6];

/** Draws a tool. @param owned true where it is called within a unit: what is outside commits nothing, and holds nothing back. */
export function drawTool(
  chance: Chance,
  name: string,
  has: (feature: Feature) => boolean,
  owned: boolean,
  taken = false,
): ToolSpec {
  const weights = taken ? TAKEN_BACK : WEIGHTS;
  const effect: EffectClass = has('effects')
    ? chance.weighed(CLASSES.map((each, index) => [each, weights[index] as number] as const))
    : chance.pick(['none', 'irreversible'] as const);
  const acts = effect !== 'none';
  const outside = has('outside') && chance.percent(20);
  const resource = `bank:${chance.pick(['a', 'b', '{args.entity}'])}`;
  const buffer = acts && owned && has('buffer') && chance.percent(4);
  return {
    name,
    effect,
    reconcile: acts && chance.percent(70),
    undo: (effect === 'reversible' || effect === 'compensable') && chance.percent(92),
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
