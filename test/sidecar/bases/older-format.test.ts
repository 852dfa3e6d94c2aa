/** A run goes on in the format that it began in, whichever process takes it up, from its rows or from a base. */
import { expect, test } from 'vitest';
import { memoryStore } from '../../../src/index.ts';
import { EntryEncoder, kindOf } from '../../../src/journal/entry-codec.ts';
import type { StoredRow } from '../../../src/journal/journal.ts';
import { machineShape } from '../../../src/xstate/shape.ts';
import { config, machine, opened, standing, steps } from './agent.ts';

/** The texts of the steps of a run. */
const stepsIn = (rows: Iterable<StoredRow>) =>
  [...rows].filter((row) => kindOf(row) === 'step').map(({ body }) => JSON.parse(body) as unknown[]);
/** True where a number stands for members of a step that say nothing. */
const hasGap = (step: readonly unknown[]) => step.slice(5).some((member) => typeof member === 'number');

test.each([
  [5, false],
  [6, true],
])('begun in format %i, its steps have gaps: %s', async (format, isWithGaps) => {
  const store = memoryStore();
  const digests = { config: config.digest, machine: machineShape(machine).digest };
  const begun = await store.open('r', 'create');
  const begin = { do: 'begin', agent: 'rows', digests, format, secret: 'ab'.repeat(32) } as const;
  begun.append(new EntryEncoder(undefined, [], undefined, format).rows(begin, () => {}));
  await begun.close();

  const first = await opened(store, 'resume', 50);
  steps(first, 0, 100);
  await first.durable();
  const stood = standing(first);
  await first.close();
  expect(await store.base('r')).not.toBeNull();

  const second = await opened(store, 'resume', 50);
  expect(standing(second)).toEqual(stood);
  steps(second, 100, 20);
  await second.close();
  const written = stepsIn(store.read('r'));
  expect(written.length).toBeGreaterThan(120);
  expect(written.filter(hasGap).length).toBe(isWithGaps ? written.length : 0);
});
