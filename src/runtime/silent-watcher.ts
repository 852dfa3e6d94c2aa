/**
 * A watcher that ignores its machine: calls never answer, and no report goes on. A subclass overrides the methods it
 * needs.
 */
import type { ActorHandle, Microstep, RuntimeEvent } from './microstep.ts';
import type { Armed, Call, Crash, Origin, Watcher } from './runtime.ts';

const NEVER = new Promise<never>(() => {});

/** The watcher of a machine that is gone through, or never begun. */
export class SilentWatcher implements Watcher {
  steps(_ref: ActorHandle, _seen: readonly Microstep[]): void {}

  async crashed(_ref: ActorHandle, _crash: Crash): Promise<void> {}

  stops(_ref: ActorHandle, _event: RuntimeEvent, _from?: Origin): boolean {
    return false;
  }

  call(_call: Call): Promise<unknown> {
    return NEVER;
  }

  holdsEnd(_output: unknown): boolean {
    return true;
  }

  endsTurn(_rest: () => unknown, _then: () => void): void {}

  toComeAgain(_type: string): readonly RuntimeEvent[] {
    return [];
  }

  awaitsInput(): void {}

  turnNamed(_id: string): undefined {
    return undefined;
  }

  failedToBegin(_error: unknown): void {}

  woken(): void {}

  started(): void {}

  stopping(): void {}

  adopted(_ref: ActorHandle, _number: number): void {}

  armed(_ref: ActorHandle, _timer: Armed): void {}

  disarmed(_ref: ActorHandle, _id: string): void {}

  isUnasked(_ref: ActorHandle): boolean {
    return false;
  }

  mayStand(_ref: ActorHandle): boolean {
    return true;
  }

  epochIn(_path: string): number {
    return 0;
  }

  finds(_code: string, _text: string): void {}

  actorAt(_number: number): ActorHandle | undefined {
    return undefined;
  }
}
