/**
 * Waits on the world's clock: for longer than a timer of the platform can (24.8 days), past a sleep of the computer, and never a moment
 * early (semantics.md, "Beyond the model": a timer that a kept step armed is due on the world's clock).
 */
import { type Alarm, PROCESS } from './clock.ts';

/** The longest wait before the clock is looked at again, in milliseconds: so late is an alarm after a sleep. */
const LOOK = 60_000;

/**
 * Calls a function once a clock has come to a time; never at once.
 * @param keepsAlive false where the process may end before.
 */
export function setAlarm(due: number, now: () => number, run: () => void, keepsAlive = true): Alarm {
  let alarm: Alarm;
  const wait = () => {
    alarm = PROCESS.after(Math.min(Math.max(0, Math.ceil(due - now())), LOOK), look, keepsAlive);
  };
  const look = () => {
    if (now() < due) wait();
    else run();
  };
  wait();
  return { cancel: () => alarm.cancel() };
}
