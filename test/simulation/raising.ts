/** A state of a generated machine that raises an event, at once or later, and receives it. */
import { raise } from 'xstate';

interface Raising {
  readonly at: string;
}

/** The delay with which a block raises its event, in milliseconds; undefined where it does so at once, as one in three. */
export function laterOf({ at }: Raising): number | undefined {
  return Number(at.replace(/\D/g, '')) % 3 || undefined;
}

/** The state of a block: the one behind it has its name with a `b`. */
export function raising(block: Raising) {
  return {
    entry: raise({ type: block.at }, { delay: laterOf(block) } as never),
    on: { [block.at]: `${block.at}b` },
  };
}
