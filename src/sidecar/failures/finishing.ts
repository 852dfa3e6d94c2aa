/** Ends a run whose machine is at its end: what was committed is made visible, and the rest goes (semantics.md E4). */
import { leftAtEnd } from '../../reports/left-at-end.ts';
import type { RecoveryParts } from './recovery-parts.ts';

type Needs = Pick<RecoveryParts, 'parts' | 'machine' | 'write' | 'calls' | 'outbox' | 'ending'>;

/** Makes a run's last commits, and tells its output. Nothing is rolled back any more: a complaint that was left before is refused, and named. */
export async function finish({ parts, machine, write, calls, outbox, ending }: Needs, output: unknown): Promise<void> {
  try {
    outbox.begin(true);
    await outbox.settled();
    await outbox.abandon();
    await write.durable();
    // Whoever complains from here on sees that the run has ended.
    await machine.refuseComplaints();
    await write.durable();
    await parts.claims?.release(parts.run);
    const dropped = calls.underWay.plain;
    ending.end({ status: 'done', output, ...leftAtEnd(parts.runState), ...(dropped.length > 0 && { dropped }) });
  } catch (error) {
    ending.fail(error);
  }
}
