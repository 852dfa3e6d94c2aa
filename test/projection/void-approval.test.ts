/** An approval that was given for a call that turns out to repeat an act is void (ON5). */
import { expect, test } from 'vitest';
import { Places } from '../../src/history/places.ts';
import type { IntentEntry } from '../../src/model/call-entries.ts';
import { Calls } from '../../src/projection/calls.ts';
import { Events } from '../../src/projection/events.ts';
import { OpenDecisions } from '../../src/projection/open-decisions.ts';
import type { RecordedStep } from '../../src/projection/state-types.ts';

/** The intent of a payment of one invoice. */
function pays(skeleton: string, more: Partial<IntentEntry> = {}): IntentEntry {
  return {
    ...{ do: 'intent', key: skeleton, actor: 1, tool: 'pay', instance: { skeleton, entity: 'it', ordinal: 0 } },
    ...{ class: 'irreversible', undo: false, digest: 'd', args: {}, once: 'i1', ...more },
  };
}

test.each([false, true])('an approved call keeps its approval unless it repeats an act (repeats: %s)', (repeats) => {
  const events = new Events(
    () => {},
    () => {},
  );
  const calls = new Calls(events, new OpenDecisions(new Places<RecordedStep>()));
  for (const skeleton of ['first', 'second'])
    events.happen({ do: 'enter', in: { skeleton, entity: 'it', ordinal: 0 }, by: null });
  calls.intend(pays('second', { held: 'gate' }));
  const gate = calls.asked.next({ asks: 'approval', key: 'second', digest: 'd', epoch: 0, expires: null });
  calls.asked.ask(gate, 0);
  calls.asked.answer({ do: 'answer', gate: gate.gate, verdict: 'approved', by: 'Ada', why: null, post: null });
  calls.intend(pays('first'));
  calls.settle({ do: 'outcome', key: 'first', status: 'confirmed' });
  calls.intend(pays('second', repeats ? { repeats: 'first', class: 'none' } : { held: 'gate' }));
  expect(calls.asked.get(gate.gate)?.status).toBe(repeats ? 'void' : 'approved');
});
