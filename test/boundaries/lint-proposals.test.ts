/** Proposals of skeletons for the states that belong to none. */
import { describe, expect, test } from 'vitest';
import { readConfig } from '../../src/boundaries/directory.ts';
import { propose } from '../../src/boundaries/lint/propose.ts';
import { Reach } from '../../src/boundaries/lint/reach.ts';
import { machineShape } from '../../src/xstate/shape.ts';
import { scheduleForm } from './fixtures/machines.mjs';

describe('proposals', () => {
  test('group what belongs to no skeleton, with where it begins, where it ends and what would tell', () => {
    const { config } = readConfig(new URL('fixtures/schedule-form.yaml', import.meta.url).pathname);
    if (config === null) throw new Error('refused');
    const none = { ...config, skeletons: new Map() };
    const [all, ...rest] = propose(none, new Reach(machineShape(scheduleForm as never)));
    expect(rest).toEqual([]);
    expect(all).toEqual({
      states: ['SLOT_QUERYING', 'WAITING_SLOT_SELECTION', 'WAITING_SLOT_REFINEMENT', 'SLOT_READY', 'SUBMITTING'],
      entry: ['SLOT_QUERYING'],
      outputs: [
        'slots/{args.slot}/candidates',
        'slots/{args.slot}/value',
        'slots/{args.slot}/status',
        'receipt',
        'calendar:**',
      ],
      boundaries: [
        {
          kind: 'commit',
          id: 'SLOT_QUERYING-done',
          from: 'SLOT_QUERYING',
          to: 'WAITING_SLOT_SELECTION',
          when: 'memory.slots[?entity].?candidates.orValue(null) != null',
          outputs: ['slots/{args.slot}/candidates'],
        },
        expect.objectContaining({ id: 'WAITING_SLOT_SELECTION-done', to: 'WAITING_SLOT_REFINEMENT' }),
        {
          kind: 'exit',
          id: 'SUBMITTING-done',
          from: 'SUBMITTING',
          to: 'DONE',
          when: 'memory.?receipt.orValue(null) != null',
          outputs: ['receipt'],
        },
      ],
    });
    const [ready] = propose(config, new Reach(machineShape(scheduleForm as never)));
    expect(ready).toMatchObject({ states: ['SLOT_READY'], entry: ['SLOT_READY'], outputs: [] });
    expect(ready?.boundaries.map(({ to, when }) => [to, when])).toEqual([
      ['WAITING_SLOT_REFINEMENT', null],
      ['SUBMITTING', null],
    ]);
  });
});
