/** A machine of xstate, as exported functions take it. */
import type { AnyStateMachine } from 'xstate';
import { kind } from '../model/argument.ts';

export const MACHINE = kind('a machine of xstate, as createMachine() makes it', (value) => {
  const { id, root, provide } = (value ?? {}) as Partial<AnyStateMachine>;
  return typeof id === 'string' && typeof root === 'object' && typeof provide === 'function';
});
