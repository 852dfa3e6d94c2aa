/** Time that passes when nothing else is left to do. */
import { readFile, stat } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { DrivenClock, StalledError } from '../../src/testing/driven-clock.ts';

const sleep = (wait: number) => new Promise((resolve) => setTimeout(resolve, wait));
const DAY = 86_400_000;

describe('a driven clock', () => {
  test('lets two days pass at once, and Date says so', async () => {
    const clock = new DrivenClock();
    const before = clock.now();
    const after = await clock.during(async () => {
      await sleep(DAY);
      await sleep(DAY);
      return [Date.now(), new Date().toISOString(), new Date() instanceof Date];
    });
    expect(after).toEqual([before + 2 * DAY, new Date(before + 2 * DAY).toISOString(), true]);
  });

  test('fires timers in the order in which they are due, and none that was taken back', async () => {
    const fired: string[] = [];
    await new DrivenClock().during(async () => {
      setTimeout(() => fired.push('late'), 30);
      setTimeout(() => fired.push('early'), 10);
      clearTimeout(setTimeout(() => fired.push('never'), 20));
      await sleep(40);
    });
    expect(fired).toEqual(['early', 'late']);
  });

  test('lets a deadline pass only after what the process is reading has come', async () => {
    const first = await new DrivenClock().during(() =>
      Promise.race([readFile('package.json', 'utf8').then(() => 'read'), sleep(10).then(() => 'deadline')]),
    );
    expect(first).toBe('read');
  });

  test('counts what is read although a request that began before the clock has ended', async () => {
    const before = stat('package.json');
    const first = await new DrivenClock().during(() =>
      Promise.race([readFile('package.json', 'utf8').then(() => 'read'), sleep(10).then(() => 'deadline')]),
    );
    expect(first).toBe('read');
    await before;
  });

  test('says that work is stalled which waits for what no timer brings', async () => {
    const stalled = new DrivenClock().during(() => new Promise(() => {}));
    await expect(stalled).rejects.toThrow(StalledError);
  });

  test('gives the timers back, also where the work fails', async () => {
    const own = setTimeout;
    const clock = new DrivenClock();
    await expect(clock.during(() => Promise.reject(new Error('it fails')))).rejects.toThrow('it fails');
    expect(setTimeout).toBe(own);
    expect(Math.abs(Date.now() - clock.now())).toBeGreaterThan(DAY);
  });

  test('leaves to other work of the process its own timers and its own time', async () => {
    const turns: number[] = [];
    let isOver = false;
    const poll = (): void => {
      turns.push(Date.now());
      if (!isOver && turns.length < 1_000) setTimeout(poll, 1);
    };
    const clock = new DrivenClock();
    const handle = setTimeout(() => {}, DAY);
    poll();
    await clock.within(() =>
      clock.during(async () => {
        // Only the timer of the work is due, and it takes back none of its own for one of the platform.
        const waits = sleep(DAY);
        clearTimeout(handle);
        await waits;
        while (turns.length < 3) await readFile('package.json');
      }),
    );
    isOver = true;
    expect(Math.max(...turns) - Math.min(...turns)).toBeLessThan(DAY);
    expect(clock.now() - new DrivenClock().now()).toBe(DAY);
  });

  test('is refused the timers while another clock holds them', () => {
    const [one, other] = [new DrivenClock(), new DrivenClock()];
    one.hold();
    try {
      expect(() => other.hold()).toThrow('another driven clock');
    } finally {
      one.release();
    }
  });
});
