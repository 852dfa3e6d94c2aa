/** Facts that are no data, or endless, are answered unknown, in time, and nothing of them is run. */
import { runInNewContext } from 'node:vm';
import { describe, expect, test } from 'vitest';
import { compilePredicate, guardDigest, guardPredicate } from '../../src/predicates/compile.ts';
import { ask, facts } from './facts.ts';
import { timed } from './timed.ts';

describe('facts that are no data are told, and never run', () => {
  let ran = 0;
  const touched = () => {
    ran += 1;
    throw new Error('was run');
  };
  const trap = new Proxy(
    {},
    { get: touched, getOwnPropertyDescriptor: touched, ownKeys: touched, has: touched, getPrototypeOf: touched },
  );
  const { proxy: revoked, revoke } = Proxy.revocable({}, {});
  revoke();
  class Account {
    name = 'x';
    get balance() {
      return touched();
    }
  }
  const getter = Object.defineProperty({}, 'a', { get: touched, enumerable: true });
  const cases: [string, unknown, string][] = [
    ['a getter', getter, 'a getter'],
    ['a proxy', { a: trap }, 'a proxy'],
    ['a revoked proxy', { a: revoked }, 'a proxy'],
    ['a function', { a: touched }, 'a function'],
    ['a symbol', { a: Symbol('x') }, 'a symbol'],
    ['a Map', { a: new Map([['b', 1]]) }, 'a Map'],
    ['a Set', { a: new Set([1]) }, 'a Set'],
    ['a Date', { a: new Date(0) }, 'a Date'],
    ['an instance', { a: new Account() }, 'an instance of a class'],
    ['a promise', { a: Promise.resolve(1) }, 'an instance of a class'],
    ['bytes', { a: new Uint8Array(2) }, 'an instance of a class'],
    ['a boxed number', { a: Object(1) }, 'an instance of a class'],
    ['an object whose prototype is a proxy', { a: Object.create(trap) }, 'an instance of a class'],
    ['an object that inherits from data', { a: Object.create({ b: 1 }) }, 'an instance of a class'],
  ];
  const texts = [
    'memory.a == 1',
    'memory.?a.hasValue()',
    'memory[?"a"].?b.hasValue()',
    'has(memory.a)',
    'size(memory.a) > 0',
    'memory.a.exists(x, true)',
  ];

  test.each(cases)('%s', (_what, memory, kind) => {
    for (const text of texts)
      expect([text, ask(text, memory)]).toEqual([text, { is: 'unknown', reason: `no_data: ${kind}` }]);
    expect(ran).toBe(0);
  });

  test('in a list, and as the facts themselves', () => {
    expect(ask('memory.list.exists(x, x == 1)', { list: [touched] })).toEqual({
      is: 'unknown',
      reason: 'no_data: a function',
    });
    expect(ask('memory.list.map(x, 1).size() == 1', { list: [trap] })).toEqual({
      is: 'unknown',
      reason: 'no_data: a proxy',
    });
    const sparse = Object.defineProperty([1], 0, { get: touched });
    expect(ask('memory.list[0] == 1', { list: sparse })).toEqual({ is: 'unknown', reason: 'no_data: a getter' });
    expect(ask('memory.a == memory.b', { a: [trap], b: [trap] })).toEqual({
      is: 'unknown',
      reason: 'no_data: a proxy',
    });
    for (const memory of [trap, touched, new Map()]) expect(ask('memory.?a.hasValue()', memory).is).toBe('unknown');
    expect(ask('args.a == 1', {}, { args: trap })).toEqual({ is: 'unknown', reason: 'no_data: a proxy' });
    expect(ran).toBe(0);
  });

  test('but those that it does not look at do no harm', () => {
    expect(ask('memory.n == 1', { n: 1, trap, touched })).toEqual({ is: 'yes' });
    expect(ask('size(memory) == 3', { n: 1, trap, touched })).toEqual({ is: 'yes' });
  });
});

describe('only own members are members', () => {
  test.each(['constructor', '__proto__', 'prototype', 'toString', 'hasOwnProperty', 'valueOf'])('not "%s"', (name) => {
    for (const memory of [{}, { slots: {} }, { slots: [] }]) {
      expect(ask('memory[?entity].hasValue()', memory, { entity: name })).toEqual({ is: 'no' });
    }
    expect(ask('memory.slots[?entity].hasValue()', { slots: {} }, { entity: name })).toEqual({ is: 'no' });
    expect(ask('memory.slots[entity] == 1', { slots: {} }, { entity: name }).is).toBe('unknown');
  });

  test('and a member of such a name is data like any other', () => {
    const memory = JSON.parse('{"slots":{"__proto__":1,"constructor":2}}');
    expect(ask('memory.slots[entity] == 1', memory, { entity: '__proto__' })).toEqual({ is: 'yes' });
    expect(ask('memory.slots[entity] == 2', memory, { entity: 'constructor' })).toEqual({ is: 'yes' });
  });

  test('a list has no length and no methods', () => {
    expect(ask('memory.list[?entity].hasValue()', { list: [1] }, { entity: 'length' }).is).toBe('unknown');
    expect(ask('memory.list.length == 1', { list: [1] }).is).toBe('unknown');
  });

  test('data of another realm and data without a prototype are data', () => {
    const other = runInNewContext('({ list: [1, { a: 2 }] })');
    expect(ask('memory.list[1].a == 2', other)).toEqual({ is: 'yes' });
    const bare = Object.assign(Object.create(null), { a: Object.assign(Object.create(null), { b: 1 }) });
    expect(ask('memory.a.b == 1 && memory.a == {"b": 1}', bare)).toEqual({ is: 'yes' });
  });
});

describe('a question ends soon, whatever the facts', () => {
  const cycle: Record<string, unknown> = { n: 1 };
  cycle.self = cycle;
  const ring: unknown[] = [];
  ring.push(ring);
  const deep = (leaf: unknown) => Array.from({ length: 20_000 }).reduce<unknown>((inner) => ({ a: inner }), leaf);
  const bomb = (leaf: unknown) => Array.from({ length: 40 }).reduce<unknown>((inner) => [inner, inner], leaf);
  const table = Object.fromEntries(
    Array.from({ length: 5_000 }, (_, index) => [`k${index}`, { n: index, tags: ['a', 'b'] }]),
  );
  const long = 'a'.repeat(4_000_000);
  const memory = {
    cycle,
    ring,
    deep: deep(1),
    twin: deep(1),
    bomb: bomb(1),
    fuse: bomb(1),
    table,
    long,
    mirror: `${long}b`,
    list: Array.from({ length: 2_000_000 }, () => 0),
  };

  test.each([
    ['memory.cycle.self.self.n == 1', 'yes'],
    ['memory.cycle == memory.cycle.self', 'unknown'],
    ['memory.ring == [memory.ring]', 'unknown'],
    ['memory.deep == memory.twin', 'unknown'],
    ['memory.bomb == memory.fuse', 'unknown'],
    ['memory.table == memory.table', 'unknown'],
    ['memory.list.exists(x, x == 1)', 'unknown'],
    ['memory.list.all(x, x == 1)', 'unknown'],
    ['memory.list.map(x, x).size() > 0', 'unknown'],
    ['memory.list == memory.list', 'unknown'],
    ['size(memory.list) == 2000000', 'yes'],
    ['memory.list[1999999] == 0', 'yes'],
    ['size(memory.long) > 1', 'unknown'],
    ['memory.long.contains("b")', 'unknown'],
    ['memory.long.contains(memory.long)', 'unknown'],
    ['memory.mirror.endsWith(memory.long)', 'unknown'],
    ['memory.long + "x" == ""', 'unknown'],
    ['memory.long == memory.mirror', 'no'],
    ['memory.table.exists(k, memory.long.contains(k))', 'unknown'],
    ['memory.table.exists(k, memory.table[k].tags == ["c"])', 'unknown'],
    ['memory.table.filter(k, memory.table[k].n > 1).size() > 1', 'unknown'],
    ['memory.table.exists(k, memory.gone)', 'unknown'],
    ['memory.table[?"k77"].?n.orValue(0) == 77', 'yes'],
    ['size(memory.table) == 5000', 'yes'],
    ['memory.table.exists(k, k == "k4000")', 'yes'],
  ])('%s is %s', (text, is) => {
    const [answer, time] = timed(() => ask(text, memory));
    expect(answer.is).toBe(is);
    if (is === 'unknown')
      expect(answer).toMatchObject({ reason: expect.stringMatching(/^(too_costly|there is no "gone")/) });
    expect(time).toBeLessThan(2_000);
  });

  test('a budget that is spent is not absorbed by what would decide without it', () => {
    expect(ask('memory.list.exists(x, x == 1) || true', memory)).toMatchObject({
      is: 'unknown',
      reason: expect.stringMatching(/^too_costly/),
    });
  });

  test('each question has its own budget', () => {
    const compiled = compilePredicate('memory.table.exists(k, k == "k4000")');
    if ('problems' in compiled) throw new Error('refused');
    for (let time = 0; time < 10; time += 1) expect(compiled.ok.ask(facts({ memory }))).toEqual({ is: 'yes' });
  });

  test('a guard whose source cannot be seen is not the one that was reviewed', () => {
    const guard = (() => true).bind(null);
    const { predicate, problems } = guardPredicate(`g@${guardDigest(guard)}`, { g: guard });
    expect(problems.map(({ code }) => code)).toEqual(['guard_changed']);
    expect(predicate.ask(facts()).is).toBe('unknown');
  });

  test('a guard that throws anything is unknown', () => {
    for (const thrown of [
      new Error('no'),
      'text',
      null,
      undefined,
      {
        get message() {
          throw new Error('again');
        },
      },
    ]) {
      const guard = () => {
        throw thrown;
      };
      const { predicate } = guardPredicate(`g@${guardDigest(guard)}`, { g: guard });
      expect(predicate.ask(facts())).toMatchObject({ is: 'unknown', reason: expect.stringMatching(/^error: /) });
    }
  });
});
