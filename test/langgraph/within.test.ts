/** Boundaries within a node: what the node promises once a call has answered, before it has ended. */
import { Annotation, StateGraph } from '@langchain/langgraph';
import { expect, test } from 'vitest';
import { loadConfig } from '../../src/boundaries/load.ts';
import { attachGraph } from '../../src/langgraph/graph.ts';
import { graphTool } from '../../src/langgraph/tools/tool.ts';

const CONFIG = `
belay: 1
agent: seats
tools:
  pick: { reads: [], writes: [], effect: none }
  check: { reads: [], writes: [], effect: none }
  book: { reads: [], writes: [], effect: none }
  print: { reads: [], writes: [], effect: none }
skeletons:
  Book:
    entity: '"seat"'
    states: [book]
    entry: [book]
    outputs: [seat]
    commit:
      - { id: checked, at: book, when: action == "check" && event.type != "graph.call", outputs: PROMISES }
    exit:
      - { id: booked, at: book -> end, when: memory.seat != "", outputs: [seat] }
    rollback: { anchors: [checked, booked], resume: book }
  Print:
    entity: '"ticket"'
    states: [print]
    entry: [print]
    outputs: [ticket]
    rollback: { anchors: [], resume: print }
`;

const State = Annotation.Root({ seat: Annotation<string>, ticket: Annotation<string> });

/** Runs the booking and the printing. @param promises the outputs of the boundary within the node. @param fails makes the first booking fail. @param complains finds the seat wrong before it is printed. */
async function course({ fails = false, complains = false, promises = '[]' }) {
  const made: string[] = [];
  const acting = (name: string, answer: () => string) =>
    graphTool(name, async (_: { readonly input: string }) => {
      made.push(name);
      return answer();
    });
  let picks = 0;
  const pick = acting('pick', () => {
    picks += 1;
    return complains && picks === 1 ? 'a seat that is taken' : 'window';
  });
  const check = acting('check', () => 'free');
  let isDead = fails;
  const book = graphTool('book', async ({ input }: { input: string }) => {
    made.push('book');
    if (isDead) {
      isDead = false;
      throw new Error('the line is dead');
    }
    return `booked ${input}`;
  });
  const print = acting('print', () => 'printed');
  const graph = new StateGraph(State)
    .addNode('book', async () => {
      const seat = await pick('any');
      await check(seat);
      return { seat: await book(seat) };
    })
    .addNode('print', async ({ seat }) => ({ ticket: `${await print(seat)}: ${seat}` }))
    .addEdge('__start__', 'book')
    .addEdge('book', 'print')
    .compile({ name: 'seats' });
  const { config, findings } = loadConfig(CONFIG.replace('PROMISES', promises), { file: 'seats.yaml' });
  if (config === null) throw new Error(findings.map(({ message }) => message).join('; '));
  let hasComplained = !complains;
  const run = await attachGraph(graph, {
    run: 'seats-1',
    config,
    input: { seat: '', ticket: '' },
    governor: async ({ tool }) => {
      if (tool !== 'print' || hasComplained) return null;
      hasComplained = true;
      await run.fail('CONTRACT_VIOLATION', { instance: { skeleton: 'Book', entity: 'seat' }, key: 'seat' });
      return null;
    },
  });
  const state = await run.invoke();
  await run.close();
  return { made, ticket: state.ticket };
}

test('a failure in the node goes back to the boundary, and the calls before it answer from the journal', async () => {
  expect(await course({ fails: true })).toEqual({
    made: ['pick', 'check', 'book', 'book', 'print'],
    ticket: 'printed: booked window',
  });
});

test('a key that the node wrote at its end and that is found wrong takes the answers in it back, too', async () => {
  const { made, ticket } = await course({ complains: true });
  expect(ticket).toBe('printed: booked window');
  expect(made.filter((tool) => tool === 'pick')).toHaveLength(2);
});

test('a boundary in the node promises no key that the node writes at its end', async () => {
  const { made } = await course({ fails: true, promises: '[seat]' });
  expect(made).toEqual(['pick', 'check', 'book', 'pick', 'check', 'book', 'print']);
});
