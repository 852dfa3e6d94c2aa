/** A config that `belay init` drafts from a graph holds for that graph: with nothing answered but the classes, its boundaries certify. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Annotation, MessagesAnnotation, StateGraph } from '@langchain/langgraph';
import { afterAll, describe, expect, test } from 'vitest';
import type { BoundaryConfig } from '../../src/boundaries/config.ts';
import { loadConfig } from '../../src/boundaries/load.ts';
import { memoryStore } from '../../src/journal/memory/store.ts';
import { attachGraph } from '../../src/langgraph/graph.ts';
import { graphFacts } from '../../src/langgraph/shape.ts';
import { entriesOf } from '../journal/entries-of.ts';
import { belay } from './belay.ts';

const root = mkdtempSync(join(tmpdir(), 'belay-graph-drafts-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const list = (reducer: (a: string[], b: string[]) => string[]) =>
  Annotation<string[]>({ reducer, default: () => [] as string[] });

describe('the channels that are only added to', () => {
  const of = (channels: Parameters<typeof Annotation.Root>[0]) => {
    const graph = new StateGraph(Annotation.Root(channels))
      .addNode('one', () => ({}))
      .addEdge('__start__', 'one')
      .compile();
    return graphFacts(graph)?.shape.appended;
  };

  test('are lists and messages whose reducer adds at the end', () => {
    expect(of({ log: list((a, b) => [...a, ...b]), ...MessagesAnnotation.spec })).toEqual(['log', 'messages']);
  });

  test.each([
    ['the last value', Annotation<string[]>()],
    ['a set', list((a, b) => [...new Set([...a, ...b])])],
    ['the newest twenty', list((a, b) => [...a, ...b].slice(-20))],
    ['added in front', list((a, b) => [...b, ...a])],
    ['a sorted list', list((a, b) => [...a, ...b].sort())],
    ['a sum', Annotation<number>({ reducer: (a, b) => a + b, default: () => 0 })],
    [
      'a reducer that throws',
      list(() => {
        throw new Error('no');
      }),
    ],
  ] as const)('are not: %s', (_, channel) => {
    expect(of({ channel: channel as never })).toEqual([]);
  });
});

const GRAPH = `import { Annotation, StateGraph } from ${JSON.stringify(import.meta.resolve('@langchain/langgraph'))};
const State = Annotation.Root({ found: Annotation, receipt: Annotation, log: Annotation({ reducer: (a, b) => [...a, ...b], default: () => [] }) });
export const graph = new StateGraph(State)
  .addNode('search', () => ({ found: 'a hotel', log: ['searched'] }))
  .addNode('book', ({ found }) => ({ receipt: 'booked ' + found, log: ['booked'] }))
  .addEdge('__start__', 'search')
  .addEdge('search', 'book')
  .addEdge('book', '__end__')
  .compile({ name: 'trip' });
`;

test('every boundary of the draft certifies as the graph runs', async () => {
  mkdirSync(join(root, 'run'));
  const module = join(root, 'run', 'graph.mjs');
  writeFileSync(module, GRAPH);
  const { code, out } = await belay(['init', '--machines', module]);
  expect([code, out.match(/^keys: .*$/m)?.[0]]).toEqual([
    0,
    'keys: { append: [ log ] } # lists that are only added to',
  ]);
  // A person has moved each boundary from pending to the anchors.
  const reviewed = out.replaceAll(/ {6}anchors: \[\].*\n {6}pending: (.*?\])/g, '      anchors: $1');
  const { config, findings } = loadConfig(reviewed, { file: 'trip.yaml' });
  expect([findings, config?.skeletons.size]).toEqual([[], 2]);
  const { graph } = (await import(module)) as { graph: object };
  const journal = memoryStore();
  const told: string[] = [];
  const run = await attachGraph(graph, {
    run: 'r',
    input: {},
    config: config as BoundaryConfig,
    journal,
    onFinding: ({ code: about }) => told.push(about),
  });
  expect(await run.invoke()).toMatchObject({ receipt: 'booked a hotel', log: ['searched', 'booked'] });
  await run.close();
  const marks = entriesOf(journal.read('r')).flatMap((entry) => (entry.do === 'step' ? entry.marks : []));
  const certified = marks.flatMap((mark) => (mark.do === 'boundary' && mark.kind === 'exit' ? mark.in.skeleton : []));
  expect([certified, told]).toEqual([['Search', 'Book'], []]);
});
