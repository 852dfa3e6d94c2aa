/** The time of a checkpoint that is made again from the notes of a run. */
import { emptyCheckpoint } from '@langchain/langgraph';
import { expect, test } from 'vitest';
import { checkpointAt, checkpointOf } from '../../src/langgraph/checkpoint/memory.ts';

test('is the time at which LangGraph made it, as its id has it', () => {
  const before = Date.now();
  const id = emptyCheckpoint().id;
  const notes = { id, step: 1, versions: {}, seen: {}, values: {} };
  for (const { ts } of [checkpointOf(notes as never), checkpointAt({ id } as never, {}, 'branch')]) {
    expect(Date.parse(ts)).toBeGreaterThanOrEqual(before - 1);
    expect(Date.parse(ts)).toBeLessThanOrEqual(Date.now() + 1);
  }
});

test('is left out where its id has none', () => {
  expect(checkpointOf({ id: 'x', step: 1, versions: {}, seen: {}, values: {} } as never).ts).toBe('');
});
