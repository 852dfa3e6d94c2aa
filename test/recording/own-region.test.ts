/** Regions that one step enters: each unit is about what the call of its own region is given, however deep the regions lie (guide.md). */
import { describe, expect, test } from 'vitest';
import { type AnyStateMachine, assign, createMachine, setup } from 'xstate';
import { loadConfig } from '../../src/boundaries/load.ts';
import { entriesOf } from '../../src/journal/entries.ts';
import { memoryStore } from '../../src/journal/memory/store.ts';
import { traceOf } from '../../src/reports/trace.ts';
import { attach } from '../../src/xstate/attach.ts';
import { tool } from '../../src/xstate/tool.ts';

/** A state that reads a file and keeps what it says under a key. */
const reading = (file: string, key: string) => ({
  invoke: {
    src: 'ocr',
    input: { file },
    onDone: { target: 'ok', actions: assign({ [key]: ({ event }: { event: { output: unknown } }) => event.output }) },
  },
});
const region = (file: string, key: string) => ({
  initial: 'run',
  states: { run: reading(file, key), ok: { type: 'final' } },
});
const unit = (name: string, at: string, key: string, entry = `${at}.run`, inputs = 'inbox:{entity}') =>
  `  ${name}: { entity: args.file, states: [${at}], entry: [${entry}], inputs: ['${inputs}'], outputs: [${key}], exit: [{ id: read, at: ${at}.run -> ${at}.ok, when: 'memory.?${key}.hasValue()' }], rollback: { anchors: [read] } }`;

/** What the units of a machine have entered and read, and the findings of its run. */
async function ran(
  scan: object,
  units: readonly string[],
  actors: Readonly<Record<string, unknown>> = {},
  ocr = `ocr: { reads: ['inbox:{args.file}'], effect: none }, `,
) {
  const machine = setup({
    actors: {
      ocr: tool<number, { file: string }>(async ({ input }) => input.file.length),
      watch: tool<string, { file: string }>(async () => 'watched'),
      ...actors,
    } as never,
  }).createMachine({
    id: 'agent',
    context: {},
    initial: 'scan',
    states: { scan: { onDone: 'end', ...scan }, end: { type: 'final' } },
  } as never) as unknown as AnyStateMachine;
  const { config, findings } = loadConfig(
    `
belay: 1
agent: agent
tools: { ${ocr}watch: { effect: none } }
skeletons:
${units.join('\n')}
`,
    { file: 'page.yaml' },
  );
  if (config === null) throw new Error(JSON.stringify(findings));
  const journal = memoryStore();
  const sidecar = await attach(machine, { run: 'r', config, journal });
  sidecar.actor.start();
  const { status } = await sidecar.finished();
  expect(status).toBe('done');
  const rows = [...journal.read('r')];
  const trace = [...traceOf('r', rows)].map(({ text }) => JSON.parse(text));
  await sidecar.close();
  const told = (act: string) => trace.filter((line) => line.do === act && line.in[0] !== '(root)');
  return {
    entered: told('enter').map(({ in: [skeleton, entity] }) => `${skeleton} ${entity}`),
    reads: [...new Set(told('read').map(({ in: [skeleton], key }) => `${skeleton} ${key}`))].sort(),
    found: [...entriesOf(rows)].flatMap(({ entry }) => (entry.do === 'finding' ? [entry.code] : [])),
    certified: told('boundary')
      .map(({ in: [skeleton] }) => skeleton)
      .sort(),
  };
}

describe('a unit is about what its own region is given', () => {
  const parallel = (states: object) => ({ type: 'parallel', states });

  test('in three regions side by side', async () => {
    const scan = parallel({ a: region('hotel', 'a'), b: region('train', 'b'), c: region('dinner', 'c') });
    const { entered, certified } = await ran(
      scan,
      ['a', 'b', 'c'].map((key) => unit(key.toUpperCase(), `scan.${key}`, key)),
    );
    expect(entered).toEqual(['A hotel', 'B train', 'C dinner']);
    expect(certified).toEqual(['A', 'B', 'C']);
  });

  test('in regions of a region, beside a region that lies flat', async () => {
    const inner = parallel({ x: region('train', 'x'), y: region('tram', 'y') });
    const scan = parallel({
      a: { initial: 'deep', states: { deep: { ...inner, onDone: 'ok' }, ok: { type: 'final' } } },
      b: region('hotel', 'b'),
    });
    const { entered, reads } = await ran(scan, [
      unit('B', 'scan.b', 'b'),
      unit('Y', 'scan.a.deep.y', 'y'),
      unit('X', 'scan.a.deep.x', 'x'),
    ]);
    expect(entered.sort()).toEqual(['B hotel', 'X train', 'Y tram']);
    expect(reads).toEqual(['B inbox:hotel', 'X inbox:train', 'Y inbox:tram']);
  });

  test('in regions that are parallel states themselves, three deep', async () => {
    const scan = parallel({
      a: parallel({ p: parallel({ x: region('train', 'x'), y: region('tram', 'y') }), q: region('bus', 'q') }),
      b: parallel({ x: region('hotel', 'bx') }),
    });
    const { entered } = await ran(scan, [
      unit('BX', 'scan.b.x', 'bx'),
      unit('Q', 'scan.a.q', 'q'),
      unit('Y', 'scan.a.p.y', 'y'),
      unit('X', 'scan.a.p.x', 'x'),
    ]);
    expect(entered.sort()).toEqual(['BX hotel', 'Q bus', 'X train', 'Y tram']);
  });

  test('one skeleton in regions of two depths has a unit in each', async () => {
    const scan = parallel({
      a: parallel({ x: region('train', 'x'), y: region('tram', 'y') }),
      b: region('hotel', 'b'),
    });
    const at = ['scan.a.x', 'scan.a.y', 'scan.b'];
    const { entered, reads } = await ran(scan, [
      `  One: { entity: args.file, states: [${at}], entry: [${at.map((each) => `${each}.run`)}], inputs: ['inbox:{entity}'], outputs: [x, y, b], rollback: { anchors: [] } }`,
    ]);
    expect(entered.sort()).toEqual(['One hotel', 'One train', 'One tram']);
    expect(reads).toEqual(['One inbox:hotel', 'One inbox:train', 'One inbox:tram']);
  });

  test('in the regions of a machine that is invoked', async () => {
    const scan = parallel({ a: region('hotel', 'a'), b: region('train', 'b') });
    const inner = createMachine({
      id: 'inner',
      context: {},
      initial: 'scan',
      states: { scan: { ...scan, onDone: 'end' }, end: { type: 'final' } },
    } as never).provide({
      actors: { ocr: tool<number, { file: string }>(async ({ input }) => input.file.length) },
    } as never);
    const { entered, reads } = await ran(
      { invoke: { src: 'inner', onDone: 'end' } },
      [unit('B', 'inner/scan.b', 'b'), unit('A', 'inner/scan.a', 'a')],
      { inner },
    );
    expect(entered.sort()).toEqual(['A hotel', 'B train']);
    expect(reads).toEqual(['A inbox:hotel', 'B inbox:train']);
  });

  test('though the state around the regions calls as well, where the unit begins above its own call', async () => {
    const scan = {
      ...parallel({ a: region('hotel', 'a'), b: region('train', 'b') }),
      invoke: { src: 'watch', input: { file: 'all' } },
    };
    const { entered } = await ran(scan, [unit('A', 'scan.a', 'a', 'scan.a'), unit('B', 'scan.b', 'b', 'scan.b')]);
    expect(entered).toEqual(['A hotel', 'B train']);
  });

  test('where its own keys name an argument, they name that of its own call', async () => {
    const scan = parallel({ a: region('hotel', 'a'), b: region('train', 'b') });
    const { reads } = await ran(
      scan,
      [
        unit('A', 'scan.a', 'a', 'scan.a.run', 'm:{args.file}'),
        unit('B', 'scan.b', 'b', 'scan.b.run', 'm:{args.file}'),
      ],
      { ocr: tool<number, { file: string }>(async ({ input }) => input.file.length) },
      '',
    );
    expect(reads.filter((read) => !read.endsWith('**'))).toEqual(['A m:hotel', 'B m:train']);
  });

  test('where its region calls nothing, it is about nothing that a region beside it is given', async () => {
    const waiting = { initial: 'run', states: { run: { after: { 1: 'ok' } }, ok: { type: 'final' } } };
    const scan = parallel({ a: region('hotel', 'a'), b: waiting });
    const { entered, found } = await ran(scan, [unit('A', 'scan.a', 'a'), unit('B', 'scan.b', 'b')]);
    expect(entered).toEqual(['A hotel']);
    expect(found).toContain('entity_unknown');
  });
});
