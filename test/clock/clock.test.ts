/** The clock of a process: waits that end, that are taken back, and that outlast the timers of the platform. */
import { describe, expect, test } from 'vitest';
import { setAlarm } from '../../src/clock/alarm.ts';
import { PROCESS, processClock, within } from '../../src/clock/clock.ts';
import { VirtualTime } from '../virtual-time.ts';

const DAY = 86_400_000;
const never = new Promise<never>(() => {});

describe('a pause', () => {
  test('lasts as long as it says', async () => {
    const time = new VirtualTime();
    const began = time.now();
    await time.during(() => PROCESS.pause(5_000));
    expect(time.now() - began).toBe(5_000);
  });

  test('ends with a signal, also with one that was given before', async () => {
    const time = new VirtualTime();
    const began = time.now();
    await time.during(async () => {
      const stop = new AbortController();
      PROCESS.after(20, () => stop.abort());
      await PROCESS.pause(5_000, stop.signal);
      await PROCESS.pause(5_000, stop.signal);
    });
    expect(time.now() - began).toBe(20);
  });
});

describe('a wait', () => {
  test('that is taken back is over, once or again and again', async () => {
    const told: string[] = [];
    PROCESS.after(1, () => told.push('never')).cancel();
    await new Promise<void>((resolve) => {
      const beat = PROCESS.every(1, () => {
        if (told.push('beat') < 3) return;
        beat.cancel();
        resolve();
      });
      beat.keepAlive(true);
    });
    await PROCESS.pause(20);
    expect(told).toEqual(['beat', 'beat', 'beat']);
  });

  test('has the wall clock that it is given', () => {
    expect(processClock(() => 7).now()).toBe(7);
  });
});

describe('work within a time', () => {
  test('is answered with its result, or null where it takes longer', async () => {
    const time = new VirtualTime();
    const late = () => PROCESS.pause(1_000).then(() => 'late');
    expect(await time.during(() => within(2_000, late()))).toEqual({ is: 'late' });
    expect(await time.during(() => within(500, late()))).toBeNull();
    expect(await time.during(() => within(500, never))).toBeNull();
  });

  test('fails as it fails', async () => {
    await expect(within(1_000, Promise.reject(new Error('no')))).rejects.toThrow('no');
  });
});

describe('an alarm', () => {
  test('waits for longer than a timer of the platform can', async () => {
    const time = new VirtualTime();
    const began = time.now();
    // Its longest is 2³¹ - 1 ms, less than 25 days.
    await time.during(() => new Promise<void>((resolve) => void setAlarm(began + 25 * DAY, time.now, resolve)));
    expect(time.now() - began).toBe(25 * DAY);
  });

  test('is not early where the clock is set back, and a look late after a sleep', async () => {
    const time = new VirtualTime();
    let off = 0;
    const clock = () => time.now() + off;
    await time.during(async () => {
      const began = clock();
      const rung = new Promise<number>((resolve) => void setAlarm(began + 1_000, clock, () => resolve(clock())));
      off = -5_000;
      expect(await rung).toBe(began + 1_000);
      const after = clock();
      const late = new Promise<number>((resolve) => void setAlarm(after + DAY, clock, () => resolve(clock())));
      off += DAY - 1;
      expect((await late) - after - DAY).toBeLessThan(60_000);
    });
  });

  test('that is taken back does not ring', async () => {
    const time = new VirtualTime();
    let rung = 0;
    await time.during(async () => {
      setAlarm(time.now() + 100_000, time.now, () => rung++).cancel();
      await PROCESS.pause(DAY);
    });
    expect(rung).toBe(0);
  });
});
