/** The study on LangGraph: a small sample of it, run on real graphs in real worlds. */
import { describe, expect, test } from 'vitest';
import { DECISION_POLICY } from '#seam';
import { type Case, readCases, readDomains } from '../../audit/case.ts';
import { graphOf, onGraph } from '../../audit/langgraph/graphs.ts';
import { readSets } from '../../audit/langgraph/sets.ts';
import { RUNTIMES, type Runtime, type Studied, study, witness } from '../../audit/langgraph/study.ts';
import { readPaper } from '../../audit/paper.ts';
import { inWorld, rowsOf, underSidecar } from '../../audit/run.ts';
import { langgraphTables } from '../../audit/tables/langgraph.ts';
import { studiedTable, witnessTable, wrongIn } from '../../audit/tables/langgraph-cases.ts';
import type { Cell, Table } from '../../audit/workloads/table.ts';
import { duplicatesIn } from '../../audit/worlds.ts';
import { agents } from '../../domains/agents.ts';
import { scheduleForm } from '../../domains/schedule-form/agent.ts';
import { MailServer } from '../../domains/schedule-form/mail.ts';
import { scripted } from '../../domains/schedule-form/planner.ts';

const AGENTS = { 'schedule-form': scheduleForm(scripted, MailServer.here), navigation: agents.navigation };
const paper = readPaper();

function found(domain: keyof typeof AGENTS, name: string) {
  const of = readDomains().find((each) => each.name === domain);
  const given = readCases().find((each) => each.domain === domain && each.name === name);
  if (of === undefined || given === undefined) throw new Error(`there is no ${domain}/${name}`);
  return { agent: AGENTS[domain], domain: of, given };
}

async function studied(domain: keyof typeof AGENTS, name: string): Promise<Studied> {
  const { agent, domain: of, given } = found(domain, name);
  const sets = readSets().find((member) => member.given.name === name && member.given.domain === domain)?.sets ?? [];
  return study(agent, of, given, sets, 1);
}

/** One case for each domain and regime. */
const sample = Promise.all([
  studied('navigation', 'search-timeout'),
  studied('navigation', 'log-after-publication'),
  studied('schedule-form', 'query-timeout'),
  studied('schedule-form', 'receipt-after-submit'),
]);
const proof = (() => {
  const { agent, domain, given } = found('schedule-form', 'slot-found-wrong-late');
  return witness(agent, domain, given);
})();

const rowBy = (each: Studied | undefined, runtime: Runtime) => {
  const row = each?.rows.find((other) => other.runtime === runtime);
  if (row === undefined) throw new Error(`no run under ${runtime}`);
  return row;
};

describe('the tables of the study', () => {
  /** The paper's figure in the row of a table that begins with some labels. */
  const theirs = (tables: readonly Table[], id: string, labels: readonly string[], key: string): Cell['paper'] => {
    const table = tables.find((each) => each.id === `langgraph-${id}`);
    const row = table?.rows.find((cells) => labels.every((label, index) => cells[index]?.ours === label));
    const column = table?.columns.findIndex((each) => each.key === key) ?? -1;
    if (row === undefined || column < 0) throw new Error(`${id} has no ${labels.join(', ')} ${key}`);
    return row[column]?.paper;
  };

  const { direct, semiReal, threeWay, equivalent, transplant, runtimes } = paper.langgraph;
  const NAMES = { retry: 'Retry-Only', langgraph: 'LangGraph-SemiReal', dart: 'Belay on the graph' } as const;
  type Listed = readonly [id: string, labels: readonly string[], key: string, figure: Cell['paper']];

  /** The figures of a table that the paper has by group, domain and runtime. */
  const grouped = (id: string, rows: object): Listed[] =>
    Object.entries(rows).flatMap(([group, domains]) =>
      Object.entries(domains as object).flatMap(([domain, by]) =>
        Object.entries(by as object).flatMap(([runtime, cell]) =>
          Object.entries(cell as object).map(
            ([key, figure]): Listed => [id, [group, domain, NAMES[runtime as keyof typeof NAMES]], key, figure],
          ),
        ),
      ),
    );

  /** Every figure of the paper's, where it has to stand. */
  const LISTED: readonly Listed[] = [
    ...grouped('tracks', semiReal.rows),
    ...grouped('three-way', threeWay.rows),
    ...Object.entries(direct.rows).flatMap(([domain, [native, dart]]): Listed[] => [
      ['direct', [domain, 'LangGraph-Direct'], 'latency', native],
      ['direct', [domain, 'Belay on the graph'], 'latency', dart],
    ]),
    ...Object.entries(equivalent.rows).flatMap(([track, counts]) =>
      Object.entries(counts).map(([key, count]): Listed => ['pairs', [track], key, count]),
    ),
    ...Object.keys(threeWay.rows).flatMap((regime) =>
      Object.keys(direct.rows).flatMap((domain) =>
        ['G2', 'G3'].flatMap((group) =>
          (['success', 'upstream', 'sameReplay'] as const).map(
            (key): Listed => ['transplant', [regime, domain, group], key, transplant[key]],
          ),
        ),
      ),
    ),
    ...Object.entries(runtimes.rows).map(([family, scope]): Listed => ['families', [family], 'cases', scope]),
  ].filter(([, , , figure]) => figure !== null);

  test('have every cell of the paper’s beside ours', async () => {
    const tables = langgraphTables(await sample, paper);
    const told = LISTED.map(([id, labels, key]) => [id, labels, key, theirs(tables, id, labels, key)]);
    expect(told).toEqual(LISTED);
    // 4 cells of two runtimes and 4 of three, with three figures each but for one latency; 4 latencies, 2 tracks, 8 groups, 3 families.
    expect(LISTED).toHaveLength(4 * 2 * 3 + 4 * 3 * 3 - 1 + 4 + 2 * 4 + 8 * 3 + 3);
  });

  test('name each figure that is not the paper’s, and the cases that make it up', async () => {
    const [, , threeWay] = langgraphTables(await sample, paper).slice(1);
    const rows = threeWay?.rows.map((cells) => {
      const key = (name: string) => cells[threeWay.columns.findIndex((column) => column.key === name)]?.ours;
      return [key('regime'), key('domain'), key('runtime'), key('met'), key('by')].join(' | ');
    });
    expect(rows).toContain('commit-sensitive | schedule-form | Belay on the graph | met | receipt-after-submit 1');
    expect(rows).toContain(
      'commit-sensitive | schedule-form | LangGraph-SemiReal | different success, replay | receipt-after-submit 4',
    );
  });

  test('say of every case what each runtime went back to, and what it did again without leave', async () => {
    const [, trip, , meeting] = await sample;
    const { rows } = studiedTable(await sample);
    expect(rows).toHaveLength(4 * Object.keys(RUNTIMES).length);
    expect(rowBy(meeting, 'restore')).toMatchObject({
      backTo: 'FinalizeSchedule::final::0',
      crossed: ['FinalizeSchedule::final::0 room-found', 'FinalizeSchedule::final::0 submitted'],
      twice: { mail: 2 },
    });
    expect(rowBy(trip, 'restore').crossed).toContain('FinalizeRoute::route::0 published');
    expect(rowBy(meeting, 'gated')).toMatchObject({
      backTo: 'FinalizeSchedule::final::0 submitted',
      crossed: [],
      vetoes: expect.arrayContaining(['entry irreversible_effect_policy submit_schedule']),
      twice: {},
    });
  });
});

describe('the runtimes of the study', () => {
  test('G2 and G3 replay what Belay replays on the machine, and leave the world as if nothing had failed', async () => {
    for (const each of await sample) {
      const machine = rowBy(each, 'machine');
      for (const runtime of ['ungated', 'gated'] as const)
        expect(rowBy(each, runtime)).toMatchObject({ safe: true, upstream: 0, replay: machine.replay, blocked: false });
    }
  });

  test('LangGraph comes to the same result by itself, and its world has rows twice where something was promised', async () => {
    const told = (await sample).map((each) => {
      const { success, safe, difference } = rowBy(each, 'resume');
      return [each.regime, success, safe, difference.duplicates > 0];
    });
    expect(told).toEqual([
      ['official', true, true, false],
      ['commit-sensitive', true, false, true],
      ['official', true, true, false],
      ['commit-sensitive', true, false, true],
    ]);
  });

  test('a graph makes the calls of its machine, and leaves the same world', async () => {
    for (const domain of ['schedule-form', 'navigation'] as const) {
      const { agent, given } = found(domain, domain === 'navigation' ? 'search-timeout' : 'query-timeout');
      const how = { policy: 'line', judges: DECISION_POLICY, asks: true } as const;
      const machine = await underSidecar(agent, given, 0, null, how);
      const graph = await underSidecar(agent, given, 0, null, { ...how, attach: onGraph(graphOf(domain)) });
      expect(graph.calls.map(({ tool }) => tool)).toEqual(machine.calls.map(({ tool }) => tool));
      expect(graph.world).toEqual(machine.world);
      expect(graph.status).toBe('done');
    }
  });
});

describe('duplicates', () => {
  test('are counted in the world alone: two mails to one person are one too many, without a word about the calls', async () => {
    const { agent } = found('schedule-form', 'query-timeout');
    const there = await inWorld(agent, undefined, async (opened) => {
      const calls = opened.machine.implementations.actors as unknown as Record<
        string,
        { config: (call: object) => Promise<unknown> }
      >;
      const input = { meeting: 'offsite', title: 'Offsite', to: ['ada@people.invalid'], room: 'online', values: {} };
      const { signal } = new AbortController();
      await calls.submit_schedule?.config({ input, key: undefined, signal });
      const once = await rowsOf(opened);
      await calls.submit_schedule?.config({ input, key: undefined, signal });
      return { once, twice: await rowsOf(opened) };
    });
    expect(duplicatesIn(there.twice, there.once)).toEqual({ mail: 1 });
    expect(duplicatesIn(there.once, there.once)).toEqual({});
  });
});

describe('the blocking witness', () => {
  test('names the consumers from the journal, and each way past the gate drops exactly those', async () => {
    const { witness: figures } = paper.langgraph;
    const consumers = [...figures.consumers].sort();
    expect(await proof).toMatchObject({
      producer: figures.producer,
      consumers,
      on: { admitted: false, veto: 'committed_consumers_present', dropped: [] },
      off: { admitted: true, veto: null, dropped: consumers },
      langgraph: { admitted: true, veto: null, dropped: consumers, twice: { mail: 2 } },
    });
    const marks = witnessTable([await proof], paper).rows.flatMap((cells) => cells.flatMap(({ mark }) => mark ?? []));
    expect(new Set(marks)).toEqual(new Set(['same']));
  });

  test('is refused as a witness where no committed consumer is in the way', async () => {
    const { agent, domain, given } = found('schedule-form', 'query-timeout');
    await expect(witness(agent, domain, given as Case)).rejects.toThrow('no committed consumer');
  });
});

describe('the study goes red', () => {
  test('where a gated restore leaves another world, or replays other calls than the machine', async () => {
    const [, , , meeting] = await sample;
    const { rows, ...given } = meeting as Studied;
    const swapped = rows.map((row) =>
      row.runtime === 'gated' ? { ...rowBy(meeting, 'restore'), runtime: row.runtime } : row,
    );
    expect(wrongIn(await sample, [await proof])).toEqual([]);
    expect(wrongIn([{ ...given, rows: swapped }], [])).toEqual([
      'langgraph, schedule-form/receipt-after-submit, seed 0: an UNSAFE admission on the graph (mail 2)',
      'langgraph, schedule-form/receipt-after-submit: the graph replays other calls than the machine',
    ]);
  });

  test('where forcing the block drops others than the gate names, or no one', async () => {
    const held = await proof;
    const harmless = { ...held, off: { ...held.off, dropped: [] } };
    expect(wrongIn([], [harmless]).join()).toContain('with the gate off it drops no one, and the gate names');
    const open = { ...held, on: { ...held.on, admitted: true } };
    expect(wrongIn([], [open])).toEqual(['langgraph, the witness slot-found-wrong-late: the gate admits it']);
  });
});
