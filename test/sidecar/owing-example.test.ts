/** The example of docs/obligations.md is run. */
import { expect, test } from 'vitest';
import { assign } from 'xstate';
import { DrivenClock } from '../../src/testing/driven-clock.ts';
import { attach, type Sidecar, tool } from '../../src/xstate/index.ts';
import { blocks, read } from '../pages.ts';
import { machineOf } from '../semantics/little.ts';
import { loaded } from './loaded.ts';

const PROMISES = [{ cents: 5_000, due: '2030-03-05' }];

/** Says what the page's mail says, and refunds something. */
function machine(cents: number) {
  const done = () => Promise.resolve('done');
  return machineOf(
    { reply: tool(done), refund: tool(done) },
    {
      initial: 'reply',
      states: {
        reply: {
          invoke: { src: 'reply', input: () => ({ promises: PROMISES }), onDone: 'refund' },
        },
        refund: {
          invoke: {
            src: 'refund',
            input: () => ({ cents }),
            onDone: { target: 'end', actions: assign({ paid: cents }) },
          },
        },
        end: { type: 'final' },
      },
    },
  );
}

test.each([
  [4_000, 'parked'],
  [5_000, 'done'],
])('OB4: after a refund of %i the run of the example is %s', (cents, status) =>
  new DrivenClock().during(async () => {
    const [example] = blocks(read('docs/obligations.md'), 'yaml');
    const config = loaded(`belay: 1\nagent: m\n${example}skeletons: {}\n`);
    const undo = { charge_again: () => {} };
    const options = { run: 'r', config, undo, now: () => Date.now() };
    const run = (await attach(machine(cents), options as never)) as unknown as Sidecar;
    run.actor.start();
    const ending = await run.finished();
    expect(ending.status).toBe(status);
    const due = Date.parse('2030-03-06T00:00:00Z');
    const owed = { decision: { refusals: [{ code: 'obligation_owed', tool: 'refund', due }] } };
    if (status === 'parked') expect(ending).toMatchObject(owed);
    await run.close();
  }),
);
