/** Bad input, over all exported names: an exported function that cannot take what it is given says so by an error with a code. */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Annotation, StateGraph } from '@langchain/langgraph';
import { metrics, trace } from '@opentelemetry/api';
import Database from 'better-sqlite3';
import ts from 'typescript';
import { describe, expect, test } from 'vitest';
import { setup } from 'xstate';
import * as adapters from '../src/adapters/index.ts';
import * as ai from '../src/ai/index.ts';
import * as openaiAgents from '../src/openai/index.ts';
import * as flows from '../src/flow/flow.ts';
import * as root from '../src/index.ts';
import * as postgres from '../src/journal/postgres/store.ts';
import * as sqlite from '../src/journal/sqlite/store.ts';
import * as graphs from '../src/langgraph/index.ts';
import * as loops from '../src/loop/loop.ts';
import { CodedError } from '../src/model/coded-error.ts';
import * as otel from '../src/otel/otel.ts';
import * as decision from '../src/recovery/index.ts';
import * as reports from '../src/reports/index.ts';
import * as testing from '../src/testing/index.ts';
import * as workers from '../src/workers/index.ts';
import * as xstate from '../src/xstate/index.ts';

/** The entries of the package, each with the file of its list. */
const ENTRIES: Readonly<Record<string, readonly [file: string, names: object]>> = {
  'belay-sidecar': ['../src/index.ts', root],
  'belay-sidecar/adapters': ['../src/adapters/index.ts', adapters],
  'belay-sidecar/ai': ['../src/ai/index.ts', ai],
  'belay-sidecar/openai-agents': ['../src/openai/index.ts', openaiAgents],
  'belay-sidecar/decision': ['../src/recovery/index.ts', decision],
  'belay-sidecar/flow': ['../src/flow/flow.ts', flows],
  'belay-sidecar/langgraph': ['../src/langgraph/index.ts', graphs],
  'belay-sidecar/loop': ['../src/loop/loop.ts', loops],
  'belay-sidecar/otel': ['../src/otel/otel.ts', otel],
  'belay-sidecar/postgres': ['../src/journal/postgres/store.ts', postgres],
  'belay-sidecar/reports': ['../src/reports/index.ts', reports],
  'belay-sidecar/sqlite': ['../src/journal/sqlite/store.ts', sqlite],
  'belay-sidecar/testing': ['../src/testing/index.ts', testing],
  'belay-sidecar/workers': ['../src/workers/index.ts', workers],
  'belay-sidecar/xstate': ['../src/xstate/index.ts', xstate],
};

type Made = (...given: readonly unknown[]) => unknown;

/** The exported functions and classes of an entry, each as a function; errors take any text. */
function exportedBy(names: object): [name: string, made: Made][] {
  return Object.entries(names).flatMap(([name, value]): [string, Made][] => {
    if (typeof value !== 'function' || value.prototype instanceof Error) return [];
    const isClass = /^class\b/.test(Function.prototype.toString.call(value));
    return [[name, isClass ? (...given) => Reflect.construct(value, given) : (value as Made)]];
  });
}

/** What comes of a call: the error that it threw, or null. What it answers is waited for, gone through and closed. */
async function errorOf(made: () => unknown): Promise<unknown> {
  try {
    const answer = (await made()) as { [Symbol.asyncIterator]?: unknown; next?: unknown; close?: () => unknown } | null;
    if (typeof answer?.next === 'function') for await (const _ of answer as AsyncIterable<unknown>);
    if (typeof answer?.close === 'function') await answer.close();
    return null;
  } catch (error) {
    return error;
  }
}

const codeOf = (error: unknown) => (error instanceof CodedError ? error.code : `not ours: ${error}`);

const HOSTILE: readonly unknown[] = [undefined, null, {}, 42, '', Symbol('none')];

/** Those that take nothing at all. */
const TAKE_NOTHING = new Set(['History', 'traceReader']);

const all = Object.entries(ENTRIES).flatMap(([entry, [, names]]) =>
  exportedBy(names).map(([name, made]) => [entry, name, made] as const),
);

test('all entries of the package are looked at', async () => {
  const { default: own } = await import('../package.json', { with: { type: 'json' } });
  const code = Object.entries(own.exports).flatMap(([entry, is]) => (typeof is === 'string' ? [] : [entry]));
  expect(code.map((entry) => entry.replace('.', 'belay-sidecar')).sort()).toEqual(Object.keys(ENTRIES).sort());
  expect(all.length).toBeGreaterThan(45);
});

test.each(all)('%s %s answers what it cannot take by an error with a code', async (_, name, made) => {
  const found: string[] = [];
  for (const given of HOSTILE)
    for (const args of [[given], [given, given], [given, given, given]]) {
      const error = await errorOf(() => made(...(given === undefined ? [] : args)));
      if (error !== null && !(error instanceof CodedError)) found.push(`${String(given)}: ${codeOf(error)}`);
      if (error === null && given === null && !TAKE_NOTHING.has(name)) found.push('null is taken');
    }
  expect(found).toEqual([]);
});

const { config } = root.loadConfig('belay: 1\nagent: order\ntools: {}\nskeletons: {}\n', { file: 'order.yaml' });
const machine = setup({}).createMachine({ id: 'order', initial: 'idle', states: { idle: {} } });
const graph = new StateGraph(Annotation.Root({ n: Annotation<number> }))
  .addNode('a', () => ({ n: 1 }))
  .addEdge('__start__', 'a')
  .compile({ name: 'order' });
const folder = mkdtempSync(join(tmpdir(), 'belay-arguments-'));
const run = () => ({ run: 'r', config, input: undefined });
const order = flows.flow('order', async () => 1);
const rows = () => {
  const db = new Database(':memory:');
  db.exec('CREATE TABLE stock (item TEXT PRIMARY KEY, n INTEGER) STRICT');
  return db;
};
const agent = {
  machine,
  config: 'order.yaml',
  about: 'orders',
  open: async () => ({ machine, close: async () => {} }),
};
const working = (options: object) => {
  const worker = workers.startWorker(options as never);
  return { close: () => worker.stop() };
};

/** The fields that a table of rules cannot refuse, as they take anything, or have an error of their own. */
const TAKES_ANY = new Set(['input', 'world', 'key']);

interface Case {
  readonly entry: string;
  /** The exported name whose type is looked at, and which of its parameters has the options. */
  readonly of: string;
  readonly at: number;
  readonly right: () => object;
  readonly call: (options: never) => unknown;
}

const CASES: readonly Case[] = [
  { entry: 'belay-sidecar/xstate', of: 'attach', at: 1, right: run, call: (given) => xstate.attach(machine, given) },
  { entry: 'belay-sidecar/xstate', of: 'resume', at: 1, right: run, call: (given) => xstate.resume(machine, given) },
  {
    entry: 'belay-sidecar/langgraph',
    of: 'attachGraph',
    at: 1,
    right: run,
    call: (given) => graphs.attachGraph(graph, given),
  },
  {
    entry: 'belay-sidecar/langgraph',
    of: 'resumeGraph',
    at: 1,
    right: run,
    call: (given) => graphs.resumeGraph(graph, given),
  },
  { entry: 'belay-sidecar/flow', of: 'FlowOptions', at: 0, right: run, call: (given) => order.attach(given) },
  { entry: 'belay-sidecar/flow', of: 'FlowOptions', at: 0, right: run, call: (given) => order.resume(given) },
  {
    entry: 'belay-sidecar/workers',
    of: 'startWorker',
    at: 0,
    right: () => ({ store: root.memoryStore(), agents: [], folderOf: () => folder }),
    call: working,
  },
  {
    entry: 'belay-sidecar/testing',
    of: 'verifyRuns',
    at: 0,
    right: () => ({ journal: root.memoryStore(), machine }),
    call: (given) => testing.verifyRuns(given),
  },
  {
    entry: 'belay-sidecar/testing',
    of: 'rehearse',
    at: 0,
    right: () => ({ machine, config, world: testing.recordingWorld() }),
    call: (given) => testing.rehearse(given),
  },
  {
    entry: 'belay-sidecar/testing',
    of: 'withFault',
    at: 1,
    right: () => ({ tool: 'pay', when: 'before', signal: 'TIMEOUT' }),
    call: (given) => testing.withFault(machine, given),
  },
  {
    entry: 'belay-sidecar/testing',
    of: 'recordingWorld',
    at: 0,
    right: () => ({}),
    call: (given) => testing.recordingWorld(given),
  },
  { entry: 'belay-sidecar', of: 'memoryStore', at: 0, right: () => ({}), call: (given) => root.memoryStore(given) },
  {
    entry: 'belay-sidecar',
    of: 'claimsInMemory',
    at: 0,
    right: () => ({}),
    call: (given) => root.claimsInMemory(given),
  },
  {
    entry: 'belay-sidecar',
    of: 'claimsIn',
    at: 1,
    right: () => ({}),
    call: (given) => root.claimsIn(root.memoryStore(), given),
  },
  {
    entry: 'belay-sidecar',
    of: 'loadConfig',
    at: 1,
    right: () => ({ file: 'a.yaml' }),
    call: (given) => root.loadConfig('', given),
  },
  {
    entry: 'belay-sidecar/sqlite',
    of: 'sqliteStore',
    at: 1,
    right: () => ({}),
    call: (given) => sqlite.sqliteStore(join(folder, 'runs.sqlite'), given),
  },
  {
    entry: 'belay-sidecar/postgres',
    of: 'PostgresOptions',
    at: 0,
    right: () => ({}),
    call: (given) => postgres.postgresStore(given),
  },
  {
    entry: 'belay-sidecar/adapters',
    of: 'fileAdapter',
    at: 0,
    right: () => ({ root: folder }),
    call: (given) => adapters.fileAdapter(given),
  },
  {
    entry: 'belay-sidecar/adapters',
    of: 'httpAdapter',
    at: 0,
    right: () => ({ url: 'https://pay.example/' }),
    call: (given) => adapters.httpAdapter(given),
  },
  {
    entry: 'belay-sidecar/adapters',
    of: 'mailAdapter',
    at: 1,
    right: () => ({ from: 'shop@shop.example', domain: 'shop.example' }),
    call: (given) => adapters.mailAdapter({ sendMail: async () => {} }, given),
  },
  {
    entry: 'belay-sidecar/adapters',
    of: 'rowAdapter',
    at: 1,
    right: () => ({ tables: { stock: { key: ['item'], columns: ['n'] } } }),
    call: (given) => adapters.rowAdapter(rows(), given),
  },
  {
    entry: 'belay-sidecar/otel',
    of: 'withTelemetry',
    at: 1,
    right: () => ({ tracer: trace.getTracer('t'), meter: metrics.getMeter('t') }),
    call: (given) => otel.withTelemetry({ run: 'r' }, given),
  },
];

const fileOf = (list: string) => fileURLToPath(new URL(list, import.meta.url));
const program = ts.createProgram(
  Object.values(ENTRIES).map(([file]) => fileOf(file)),
  {
    strict: true,
    target: ts.ScriptTarget.ES2023,
    module: ts.ModuleKind.NodeNext,
    allowImportingTsExtensions: true,
    noEmit: true,
  },
);
const checker = program.getTypeChecker();

/** The fields of an options object, as its type has them. */
function fieldsOf({ entry, of, at }: Case): string[] {
  const source = program.getSourceFile(fileOf(ENTRIES[entry]?.[0] ?? '')) as ts.SourceFile;
  const names = checker.getExportsOfModule(checker.getSymbolAtLocation(source) as ts.Symbol);
  const named = names.find((each) => each.getName() === of) as ts.Symbol;
  const symbol = (named.flags & ts.SymbolFlags.Alias) !== 0 ? checker.getAliasedSymbol(named) : named;
  const declared = symbol.declarations?.[0] as ts.Declaration;
  const [signature] = checker.getTypeOfSymbolAtLocation(symbol, declared).getCallSignatures();
  const parameter = signature?.parameters[at];
  const type =
    parameter === undefined
      ? checker.getDeclaredTypeOfSymbol(symbol)
      : checker.getNonNullableType(checker.getTypeOfSymbolAtLocation(parameter, declared));
  return checker.getPropertiesOfType(type).map((field) => field.getName());
}

describe.each(CASES)('the options of $of', (each) => {
  test('are taken as they are', async () => {
    const error = await errorOf(() => each.call(each.right() as never));
    // A machine without tools cannot be rehearsed, and has no fault: that is another error.
    expect(['none', 'unknown_tool', 'no_tools']).toContain(error === null ? 'none' : codeOf(error));
  });

  test('are refused with any one field of them wrong, by its name', async () => {
    const fields = fieldsOf(each);
    expect(fields.length).toBeGreaterThan(0);
    const found: string[] = [];
    for (const field of fields) {
      for (const wrong of [null, 42, 'x', {}, [], [null], { x: null }, Symbol('wrong')]) {
        const error = await errorOf(() => each.call({ ...each.right(), [field]: wrong } as never));
        if (error !== null && !(error instanceof CodedError)) found.push(`${field}: ${codeOf(error)}`);
        if (typeof wrong !== 'symbol' || TAKES_ANY.has(field)) continue;
        const says = `${(error as Error | null)?.message}`;
        if (codeOf(error) !== 'bad_argument' || !says.includes(field)) found.push(`${field}: ${says}`);
      }
    }
    expect(found).toEqual([]);
  });
});

describe('what a call without its first options says', () => {
  const said: readonly (readonly [options: unknown, says: string])[] = [
    [undefined, 'attach: options is missing. It takes an object: { run, config }.'],
    [{}, 'attach: options.run is missing. It takes the name of the run, a text.'],
    [
      { run: 'r' },
      'attach: options.config is missing. It takes the path of a config, or a config that loadConfig() has read',
    ],
    [{ run: 'r', config: null }, 'attach: options.config is null.'],
    [{ run: 'r', config, journal: 'runs.sqlite' }, 'attach: options.journal is a string. It takes a store'],
    [
      { run: 'r', config, reconcilers: { find: 1 } },
      'attach: options.reconcilers.find is a number. It takes a function.',
    ],
  ];

  test.each(said)('%o: %s', async (options, says) => {
    await expect(xstate.attach(machine, options as never)).rejects.toMatchObject({
      code: 'bad_argument',
      message: expect.stringContaining(says),
    });
  });

  test('an agent of a worker is looked at, too', () => {
    const options = { store: root.memoryStore(), folderOf: () => folder };
    for (const [field, wrong] of Object.entries({ machine: {}, config: 7, open: null }))
      expect(() => workers.startWorker({ ...options, agents: [{ ...agent, [field]: wrong }] as never })).toThrow(field);
  });
});
