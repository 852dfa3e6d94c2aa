/** ST8, PA10: units that receive an event inside, are finished, and are set aside; a fixed share of the family `records`. */
import { expect, test } from 'vitest';
import { call, GO } from './nodes.ts';
import { recordScenarios } from './records-family.ts';
import { play } from './scenario.ts';

test('PA10: one is taken over only where the sender of the event inside had seen what is there', async () => {
  const unit = { handler: false, joined: true, from: 1, upTo: 4 } as const;
  for (const first of ['none', 'deciding'] as const) {
    const regions = [[call([], first), call([]), GO, call([], 'irreversible'), call([]), call([])]];
    const said = { order: [], sendAt: 0, act: 'revise', to: 2, actAt: 9, actsAtOnce: false } as const;
    const fates = new Set<string>();
    const { verdict, why } = await play(
      { ...said, program: { ...unit, regions }, wrong: { call: 'a0', at: 3 } },
      async ({ events }) => void fates.add(events().find(({ name }) => name === 'GO')?.is ?? 'not said'),
    );
    // Asked again, a tool that decides answers something else: then the event waits for its sender, and no payment is made again.
    expect([first, verdict, fates.has('taken_back')], why).toEqual([first, 'ok', first === 'deciding']);
  }
});

test('ST8, PA10: whatever is found wrong or said otherwise around them, a run ends as plain xstate may', async () => {
  let ok = 0;
  for (const [nth, scenario] of [...recordScenarios()].entries()) {
    if (nth % 211 !== 0) continue;
    const { verdict, why } = await play(scenario);
    expect(verdict.startsWith('unsafe'), `${verdict}: ${why} in ${JSON.stringify(scenario)}`).toBe(false);
    if (verdict === 'ok') ok += 1;
  }
  expect(ok).toBeGreaterThan(8);
});
