/** The count of a loop of a generated machine: the key of the context that its name is. */
import { assign } from 'xstate';

interface Heard {
  readonly context: Readonly<Record<string, unknown>>;
}

/** The actions that begin and raise a count, and what it is. */
export function countOf(at: string) {
  const value = ({ context }: Heard) => Number(context[at]);
  return {
    value,
    begin: assign({ [at]: 0 } as never),
    next: assign(((heard: Heard) => ({ [at]: value(heard) + 1 })) as never),
  };
}
