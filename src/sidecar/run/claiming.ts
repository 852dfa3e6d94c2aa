/** The claims of a run: work that was set aside is taken over by its replay, or given up (semantics.md C5, C5a, C7, C9, C12). */
import type { DismissalReason, Entry } from '../../model/entry.ts';
import { type InstanceId, instanceName } from '../../model/instance.ts';
import { split } from '../../model/region.ts';
import type { Edit } from '../../model/step-entry.ts';
import type { RunState } from '../../projection/run-state.ts';
import { CLAIMED, type WorkRecord } from '../../projection/set-aside/records.ts';
import type { RecordedStep } from '../../projection/state-types.ts';
import type { Placed } from '../../recording/entry-states.ts';
import type { Macrosteps } from '../../recording/macrosteps.ts';
import type { StepRecorder } from '../../recording/record-step.ts';
import type { ActorHandle, RuntimeEvent } from '../../runtime/microstep.ts';
import { plainStep } from '../../runtime/plain-step.ts';
import type { ActorPlan } from '../../runtime/restore-plan.ts';
import type { Runtime } from '../../runtime/runtime.ts';
import type { Calls } from '../calls/calls.ts';
import { planClaim } from '../plan/resume-plan.ts';
import type { Writing } from '../writing.ts';
import type { Actors } from './actors.ts';
import type { Deliveries } from './deliveries.ts';
import type { Restoring } from './restoring.ts';
import type { Steps } from './steps.ts';

/** The surroundings of the claims of a run. */
interface ClaimingPort {
  readonly runState: RunState;
  readonly placed: readonly Placed[];
  readonly write: Writing;
  readonly runtime: Runtime;
  readonly actors: Actors;
  readonly deliveries: Deliveries;
  readonly recorder: StepRecorder;
  readonly calls: Calls;
  readonly restoring: Restoring;
  readonly steps: Steps;
  readonly macrosteps: Macrosteps;
  now(): number;
}

/** The claims of one run. */
export class Claiming {
  readonly #port: ClaimingPort;

  constructor(port: ClaimingPort) {
    this.#port = port;
  }

  /** A record is taken over: its work is journaled as done again, and control goes on behind it (C5, C5a). */
  claim(id: InstanceId, record: WorkRecord): void {
    const { runState, actors, write, restoring, deliveries } = this.#port;
    const place = runState.places.of(instanceName(id));
    const actor = place === undefined ? 0 : split(place.region)[0];
    const ref = actors.at(actor);
    if (place === undefined || ref === undefined) return;
    const { context } = runState.actor(actor);
    let plan: ActorPlan | null = null;
    let closed: RecordedStep | null = null;
    write.together(() => {
      write.append([{ do: 'claimed', instance: id }]);
      closed = (runState.places.of(instanceName(id))?.closed ?? null) as RecordedStep | null;
      restoring.verifyAgain();
      const first = runState.actors.length;
      this.#arrive(actor, ref, record, split(place.region)[1]);
      const next = record.next.started.map((_, index) => first + index);
      plan = {
        ...planClaim(runState, record, place.region, next, this.#port.now),
        since: { context, edits: editsIn(record) },
      };
    });
    if (plan !== null) restoring.rewind(actor, plan);
    deliveries.takeBack((later) => deliveries.chunks.living(later));
    deliveries.deliverOwn();
    this.#goOn(actor, ref, record, closed);
  }

  /** Delivers what the last step of a record had raised and sent, and what is complete behind it. */
  #goOn(actor: number, ref: ActorHandle, record: WorkRecord, closed: RecordedStep | null): void {
    const { runState, actors, macrosteps, deliveries, runtime, restoring } = this.#port;
    const again = (to: ActorHandle, event: RuntimeEvent) => {
      const sent = { ...event };
      if (closed !== null) macrosteps.claims(sent, closed);
      deliveries.past(() => runtime.machines?.raise(to, sent));
    };
    for (const event of record.next.raised as RuntimeEvent[]) again(ref, event);
    const parent = actors.at(runState.actor(actor).parent ?? -1);
    if (parent !== undefined) for (const event of record.next.sent as RuntimeEvent[]) again(parent, event);
    for (const event of restoring.owedTo(actor, ref)) deliveries.past(() => runtime.deliver(ref, event));
  }

  /** Journals where control comes behind a record: whom it enters there, and what it starts. */
  #arrive(actor: number, ref: ActorHandle, record: WorkRecord, region: string): void {
    const { runState, runtime, placed, recorder, write, steps } = this.#port;
    const { value, context } = runState.actor(actor);
    const event = { ...(record.next.event as RuntimeEvent), type: CLAIMED };
    const prefix = placed.find(({ skeleton }) => skeleton.name === record.id.skeleton)?.prefix ?? '';
    const started = record.next.started.map((child) => ({
      ...child,
      ref,
      place: child.at === null ? null : (runtime.placeAt(`${prefix}${child.at}`) ?? null),
      input: runtime.inputFor(ref, child, context, record.next.event as RuntimeEvent),
    }));
    const { after, entered, moves, source, done } = runtime.arrival(ref, value, context, region);
    const control = { value, before: after, after, entered, sources: [source], moves };
    const seen = plainStep(control, { event, hears: false, done, bare: true, started }, context, context);
    const { entries, fresh } = recorder.step(actor, seen, []);
    write.append(entries);
    steps.enters(entries[0] as Entry, fresh, actor);
  }

  /** A record is given up (C7, C9, C12): its work is done again, or was in vain. */
  dismiss(record: WorkRecord, why: DismissalReason, wrong: readonly string[] = []): void {
    const staged = record.items.flatMap((item) =>
      item.is === 'call' && item.call.status === 'buffered' ? [item.call] : [],
    );
    this.#port.write.append([{ do: 'dismissed', instance: record.id, why, ...(wrong.length > 0 && { wrong }) }]);
    for (const call of staged) void this.#port.calls.discard(call);
  }
}

/** The changes of a record to the context of its own actor. */
function editsIn({ actor, items }: WorkRecord): Edit[] {
  return items.flatMap((item) => (item.is === 'step' && item.step.actor === actor ? item.step.edits : []));
}
