/** Graphs that are refused as they run: a question of its own, which a graph that is built otherwise answers (semantics.md TH9). */
import { expect, test } from 'vitest';
import { memoryStore } from '../../src/journal/memory/store.ts';
import { attachGraph, resumeGraph } from '../../src/langgraph/graph.ts';
import { built, config, kinds, WELL } from './refused-graphs.ts';

const asked = (given: object) => ({
  status: 'parked',
  decision: {
    verdict: 'escalate',
    refusals: [{ code: 'graph_refused', ...given }],
    undo: [],
    unblock: { leadsTo: 'ask_again', acts: [{ act: 'change_graph' }] },
  },
});

test.each(kinds)('%s parks the run at once, and a graph without it goes on from there', async (_, says, wrong) => {
  const { graph, booked } = wrong();
  const options = {
    run: 'r',
    config: config as NonNullable<typeof config>,
    input: { list: [] },
    journal: memoryStore(),
  };
  const told: (readonly [string, string])[] = [];
  const first = await attachGraph(graph, {
    ...options,
    onDecision: ({ signal, error }) => void told.push([signal, error]),
  });
  await expect(first.invoke()).rejects.toMatchObject({ code: 'run_parked', message: expect.stringMatching(says) });
  expect(await first.finished()).toMatchObject(asked({ reason: expect.stringMatching(says) }));
  expect(told).toEqual([['CONTRACT_VIOLATION', expect.stringMatching(says)]]);
  await expect(first.retry({ by: 'ann' })).rejects.toMatchObject({ code: 'not_advised' });
  await first.close();

  const same = await resumeGraph(graph, options);
  await expect(same.invoke()).rejects.toMatchObject({ code: 'run_parked' });
  await same.close();

  const second = await resumeGraph(built(WELL, () => 'b', booked).graph, options);
  expect(await second.invoke()).toEqual({ list: ['a', 'b'] });
  expect([await second.finished(), booked]).toMatchObject([{ status: 'done' }, ['seat']]);
  await second.close();
});
