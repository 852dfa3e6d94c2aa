/** `belay rehearse --kills process` sends SIGKILL to processes of their own, whose journals are in real files. */
import { afterAll, describe, expect, test } from 'vitest';
import { Desk } from './agents.ts';

const desk = new Desk();
afterAll(() => desk.clear());

interface Report {
  readonly cells: readonly {
    readonly id: string;
    readonly text: string;
    readonly verdict: { readonly is: string };
    readonly timeline: readonly string[];
  }[];
}

describe('an order whose books are files', () => {
  test('is killed for real, and another process takes it up to the same end', async () => {
    const args = ['--kills', 'process', '--only', 'kill/append', '--sample', '3', '--json'];
    const { out, err } = await desk.askApart('rehearse', 'order', ...args);
    expect(err).toBe('');
    const { cells } = JSON.parse(out) as Report;
    expect(cells).toHaveLength(3);
    for (const { id, text, verdict, timeline } of cells) {
      expect(id).toMatch(/^path 1\/kill\/append [1-8]\/process$/);
      expect(text).toContain('is sent SIGKILL');
      expect(['same', 'parked'], `${text}: ${timeline.join('; ')}`).toContain(verdict.is);
    }
    expect(cells.some(({ verdict }) => verdict.is === 'same')).toBe(true);
    const paid = cells.map(({ timeline }) => timeline.filter((line) => line.startsWith('pay#')).length);
    expect(Math.max(...paid)).toBeLessThanOrEqual(2);
  });

  test('is refused where the agent does not say that its world outlives the process', async () => {
    const { code, out, err } = await desk.ask('rehearse', 'trip', '--kills', 'process');
    expect([code, out]).toEqual([2, '']);
    expect(err.replace(/\s+/g, ' ')).toMatch(/^trip: world_in_process .*outlives: true/);
  });
});
