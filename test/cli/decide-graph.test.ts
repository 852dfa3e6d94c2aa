/** `belay decide --graph`: who depends on whom, as dot and as JSON. */
import { instance } from '@viz-js/viz';
import { DirectedGraph } from 'graphology';
import { describe, expect, test } from 'vitest';
import { belay, trace } from './belay.ts';
import { A, answers, B, begin, path } from './story.ts';

interface Drawn {
  name: string;
  objects?: { label: string }[];
  edges?: { tail: number; head: number; label: string }[];
}

/** Lays a graph out with Graphviz itself, which refuses what is not DOT. */
async function draw(dot: string): Promise<Drawn> {
  return (await instance()).renderJSON(dot) as Drawn;
}

describe('belay decide --graph', () => {
  test('dot draws one graph a history, an edge from each instance to those that depend on it', async () => {
    const { code, out, err } = await belay(['decide', path, '--graph', 'dot']);
    expect([code, err]).toEqual([0, '']);
    const drawn = await draw(out);
    expect(drawn.name).toBe('t1');
    expect(drawn.objects?.map(({ label }) => label)).toEqual([
      'S::A::0\\ncommitted at 3',
      'S::B::0\\ncommitted at 8\\nfloor at 6',
    ]);
    expect(drawn.edges).toMatchObject([{ tail: 0, head: 1, label: 'slots/*/value' }]);
  });

  test('json is a graph that graphology reads', async () => {
    const lines = trace(
      begin,
      { do: 'enter', in: A },
      { do: 'enter', in: B, by: A },
      { do: 'write', in: A, key: 'x' },
      { do: 'read', in: B, key: 'x' },
      { do: 'read', in: B, key: 'x' },
      { do: 'read', in: B, key: 'x/y' },
      { do: 'trace', id: 't2' },
    );
    const { out } = await belay(['decide', '-', '--graph', 'json'], lines);
    const [first, second] = answers(out);
    const graph = DirectedGraph.from(first);
    expect(graph.getAttributes()).toEqual({ name: 't1' });
    expect(graph.getNodeAttributes('S::B::0')).toEqual({
      skeleton: 'S',
      entity: 'B',
      ordinal: 0,
      entered: 2,
      committed: null,
      floor: null,
    });
    expect(graph.mapEdges((_edge, fields, from, to) => [from, to, fields])).toEqual([
      ['S::A::0', 'S::B::0', { keys: ['x', 'x/y'], started: true, count: 4 }],
    ]);
    expect([DirectedGraph.from(second).order, second.attributes.name]).toEqual([0, 't2']);
  });

  test('names each of a hundred thousand shared keys once', async () => {
    const keys = Array.from({ length: 100_000 }, (_, n) => `k/${n}`);
    const entered = trace(begin, { do: 'enter', in: A }, { do: 'enter', in: B });
    const writes = keys.map((key) => trace({ do: 'write', in: A, key })).join('');
    const reads = keys.map((key) => trace({ do: 'read', in: B, key })).join('');
    const [graph] = answers((await belay(['decide', '-', '--graph', 'json'], entered + writes + reads)).out);
    expect(graph.edges).toMatchObject([{ source: 'S::A::0', target: 'S::B::0', attributes: { count: 100_000 } }]);
    expect(graph.edges[0].attributes.keys.sort()).toEqual(keys.sort());
  });

  test('stays a graph whatever a run is called', async () => {
    const hostile = 'a"]; b -> c \\" <b> \\N \n } &#66; &#8238; \\';
    const lines = trace(
      { do: 'trace', id: hostile },
      { do: 'enter', in: [hostile, '\\', 0] },
      { do: 'enter', in: B, by: [hostile, '\\', 0] },
    );
    const { out } = await belay(['decide', '-', '--graph', 'dot'], lines);
    const drawn = await draw(out);
    expect([drawn.objects?.length, drawn.edges?.length]).toEqual([2, 1]);
    const text = (await instance()).renderString(out, { format: 'svg' }).replaceAll('&#45;', '-');
    const printed = `${hostile.replace('\n', '\\u{a}')}::\\::0`;
    expect(text).toContain(
      `>${printed.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')}<`,
    );
  });
});
