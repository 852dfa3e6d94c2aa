/** A person who undoes by hand what stands, though nobody has asked for it, and tells the run of it at once or late (E8). */
import { Chance } from './chance.ts';
import type { Fault } from './scenario.ts';
import type { Act, World } from './world.ts';

/** An act that is undone by hand: after so many calls, the act with that number of those that stand, told so many milliseconds later. */
export type ByHand = Extract<Fault, { fault: 'by hand' }>;

/** Draws what a person undoes by hand, from a stream of its own: the rest of the scenario is the same without it. */
export function drawByHand(seed: number, index: number, calls: number): ByHand[] {
  const chance = new Chance(seed ^ 0x5bd1e995, index);
  const count = calls === 0 ? 0 : chance.int(1, 3);
  return Array.from({ length: count }, () => ({
    fault: 'by hand' as const,
    calls: chance.int(1, calls),
    which: chance.int(0, 5),
    ms: chance.pick([0, 0, 1, 5, 20, 60]),
    after: chance.pick([0, 1, 4, 12]),
  }));
}

/** Undoes what is due. @param tell has the run told of all that was undone by hand, once some time has passed. */
export function undoByHand(
  faults: readonly Fault[],
  world: World,
  isOver: () => boolean,
  tell: (ms: number) => void,
): void {
  for (const fault of faults) {
    if (fault.fault !== 'by hand' || world.fired.has(fault) || world.calls.length < fault.calls) continue;
    world.fired.add(fault);
    setTimeout(() => {
      // Nobody is left who could be told.
      if (isOver()) return;
      const standing = world.acts.filter(({ stands }) => stands);
      const act: Act | undefined = standing[fault.which % Math.max(1, standing.length)];
      if (act === undefined) return;
      act.stands = false;
      // Who undoes an act by hand sees to it that no late copy of its call acts again: nobody who is told of the undo can.
      world.refuse(act.key);
      world.byHand.set(act.key, act);
      world.moved();
      tell(fault.ms);
    }, fault.after);
  }
}
