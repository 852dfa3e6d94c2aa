/** Independence of undos (E5), held against the graph of dependencies and the paths that graphology finds in it. */
import fc from 'fast-check';
import { bidirectional } from 'graphology-shortest-path';
import { expect, test } from 'vitest';
import { dependencyGraph } from '../../src/cli/decide/graph.ts';
import { instanceName } from '../../src/model/instance.ts';
import { areIndependent } from '../../src/recovery/dependence.ts';
import { histories, historyOf } from '../recovery/written.ts';

test('two instances are independent exactly where no path leads from either to the other', () => {
  const seen = { dependent: 0, independent: 0 };
  fc.assert(
    fc.property(histories, (events) => {
      const history = historyOf(events);
      const graph = dependencyGraph('history', history);
      const all = [...history.registry.all()].map(({ id }) => id);
      for (const one of all)
        for (const other of all) {
          const [from, to] = [instanceName(one), instanceName(other)];
          const isApart =
            from !== to && bidirectional(graph, from, to) === null && bidirectional(graph, to, from) === null;
          expect([from, to, areIndependent(history, one, other)]).toEqual([from, to, isApart]);
          if (from !== to) seen[isApart ? 'independent' : 'dependent'] += 1;
        }
    }),
    { numRuns: 300 },
  );
  expect(seen.dependent).toBeGreaterThan(100);
  expect(seen.independent).toBeGreaterThan(100);
});
