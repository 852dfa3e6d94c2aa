/** AL4–AL7: the travel agent of the examples buys one itinerary, and leaves no hold of another one, wherever a process of it dies. */
import { expect, test } from 'vitest';
import { machine } from '../../examples/itineraries/machine.ts';
import { rehearsals } from '../../examples/rehearsals.ts';
import { rehearse } from '../../src/testing/index.ts';

test('a death behind every append, and every restart, end as the run without one', async () => {
  const options = rehearsals.itineraries?.();
  if (options === undefined) throw new Error('there is no such example');
  const report = await rehearse({ ...options, kills: 'all', only: 'path 1/kill' });
  const deaths = report.cells.filter(({ fault }) => fault.kind === 'kill');
  expect(machine.id).toBe('itineraries');
  expect(deaths.filter(({ verdict }) => verdict.is !== 'same').map(({ id, verdict }) => `${id} ${verdict.is}`)).toEqual(
    [],
  );
  expect(deaths.length).toBeGreaterThan(25);
});
