/** Ends a run whose machine is at its end: what was committed is made visible, and the rest goes (semantics.md E4). */
import type { RecoveryParts } from './recovery-parts.ts';

type Needs = Pick<RecoveryParts, 'parts' | 'write' | 'calls' | 'outbox' | 'ending'>;

/** Makes a run's last commits, and tells its output. Nothing is rolled back any more. */
export async function finish({ parts, write, calls, outbox, ending }: Needs, output: unknown): Promise<void> {
  try {
    outbox.begin(true);
    await outbox.settled();
    const abandoned = await outbox.abandon();
    const unpublished = [...new Set([...outbox.abandoned(), ...abandoned])];
    await write.durable();
    await parts.claims?.release(parts.run);
    const dropped = calls.underWay.plain;
    const left = { ...(unpublished.length > 0 && { unpublished }), ...(dropped.length > 0 && { dropped }) };
    ending.end({ status: 'done', output, ...left });
  } catch (error) {
    ending.fail(error);
  }
}
