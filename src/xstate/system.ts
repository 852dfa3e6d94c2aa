/** The actor system as §11 uses it: the scheduler is no public API, and a test pins it. */
import type { AnyActorRef, AnyEventObject } from 'xstate';

interface System {
  readonly scheduler: {
    schedule(source: unknown, target: unknown, event: AnyEventObject, delay: number, id?: string): void;
    cancel(source: unknown, id: string): void;
  };
  _unregister(ref: AnyActorRef): void;
  _relay(source: AnyActorRef, target: AnyActorRef, event: AnyEventObject): void;
}

/** The system that an actor, or its logic, is part of. */
export function systemOf(scope: { system: unknown }): System {
  return scope.system as System;
}
