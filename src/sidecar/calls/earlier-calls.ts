/** Tells if an earlier call of the same tool is the same act as a new one (semantics.md E3). */
import type { GuardedCall } from '../../effects/guarded-call.ts';
import type { LedgerCall } from '../../effects/ledger-call.ts';
import { readsOf, writesOf } from '../../effects/touched.ts';
import { isExternal } from '../../model/external-keys.ts';
import { type InstanceId, instanceName } from '../../model/instance.ts';
import { type Key, overlaps } from '../../model/key.ts';
import type { Call } from '../../runtime/runtime.ts';
import type { RunParts } from '../parts.ts';
import { argsOf } from './args.ts';

/** Relates an earlier call to a call that an actor makes for the same instance. */
export function relationOf(
  earlier: LedgerCall,
  call: Call,
  number: number,
  instance: InstanceId,
  { runState, config }: RunParts,
): ReturnType<GuardedCall['relation']> {
  const [before, now] = [runState.actor(earlier.intent.actor), runState.actor(number)];
  if (before.ended === null) return 'waited for';
  if (before.started?.id !== now.started?.id) return 'unsure';
  const reads = readsOf(config, { tool: call.tool, args: call.input, entity: instance.entity });
  const isRead = (key: Key) => reads.some((read) => overlaps(read, key));
  const since = earlier.at ?? 0;
  const { registry, versions } = runState.history;
  // Steps of its own instance are credited with what the call itself may have changed outside; only other calls of it count there.
  const isRewritten = [...registry.all()].some((record) => {
    const isOwn = instanceName(record.id) === instanceName(instance);
    return versions
      .writesBetween(record, since, Number.POSITIVE_INFINITY)
      .some(({ key }) => isRead(key) && !(isOwn && isExternal(key)));
  });
  const others = runState.ledger
    .between(instanceName(instance), since, Number.POSITIVE_INFINITY)
    .filter(({ status, intent }) => status !== 'failed' && status !== 'buffered' && intent.actor !== number);
  const written = others.flatMap(({ intent }) =>
    writesOf(config, { tool: intent.tool, args: argsOf(runState, intent), entity: instance.entity }),
  );
  if (written.some(isRead)) return 'unsure';
  return isRewritten ? 'unsure' : 'same';
}
