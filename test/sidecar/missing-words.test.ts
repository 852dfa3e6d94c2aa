import { expect, test } from 'vitest';
import { setup } from 'xstate';
import type { BoundaryConfig } from '../../src/boundaries/config.ts';
import { loadConfig } from '../../src/boundaries/load.ts';
import { ArgumentError } from '../../src/model/argument.ts';
import { attach } from '../../src/xstate/attach.ts';
import { PLAIN } from '../boundaries/config.ts';

test.each(['retry', 'pause', 'unpause', 'cancel', 'answer', 'stand'] as const)(
  '%s without what it takes says which argument is missing, by an error with a code',
  async (command) => {
    const machine = setup({}).createMachine({
      id: 'm',
      initial: 'waiting',
      states: { waiting: { on: { GO: 'over' } }, over: { type: 'final' } },
    });
    const { config } = loadConfig(PLAIN, { file: 'm.yaml' });
    const sidecar = await attach(machine, { run: 'm-1', config: config as BoundaryConfig });
    sidecar.actor.start();
    const said: unknown = await (sidecar[command] as () => Promise<unknown>)().catch((error: unknown) => error);
    expect(said).toBeInstanceOf(ArgumentError);
    expect(said).toMatchObject({
      code: 'bad_argument',
      message: expect.stringMatching(new RegExp(`^${command}: \\w+ is missing\\. It takes `)),
    });
    await sidecar.close();
  },
);
