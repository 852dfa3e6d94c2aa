import { Environment } from '@marcbachmann/cel-js';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compileEntity, compilePredicate } from '../../src/predicates/compile.ts';
import { ask, facts } from './facts.ts';

const memory = {
  n: 3,
  half: 2.5,
  i: 0,
  big: 9007199254740993n,
  list: [1, 2],
  s: 'résumé',
  nothing: null,
  gone: undefined,
  yes: true,
  slots: { a: { value: 'x', status: 'resolved' }, b: { value: null }, c: { status: 'open' } },
};

describe('a predicate says yes', () => {
  test.each([
    'memory.n > 3 - 1',
    'memory.n == 3',
    '3 == memory.n',
    'memory.n == 3.0',
    'memory.n != 4',
    'memory.half > memory.list[1]',
    'memory.big == 9007199254740993',
    'size(memory.list) >= 2',
    'memory.list.size() == 2',
    'memory.list[memory.i] == 1',
    'memory.list == [1, 2]',
    'memory.n in [3, 4]',
    'entity in ["a", "b"]',
    'memory.slots[?entity].?value.hasValue()',
    'memory.slots[?entity].?status.orValue("") == "resolved"',
    'memory.slots[entity].status == "resolved"',
    'memory.slots.exists(k, memory.slots[k].?status.orValue("") == "open")',
    'memory.list.all(x, x > 0)',
    'memory.list.exists_one(x, x == 2)',
    'memory.list.filter(x, x > 1).size() == 1',
    'memory.list.map(x, string(x)) == ["1", "2"]',
    'has(memory.n) && !has(memory.zz) && !has(memory.gone)',
    'memory.nothing == null',
    '!memory.?gone.hasValue()',
    'memory.?zz.or(memory.?n).hasValue()',
    'memory.?zz.?deep.orValue(7) == 7',
    'int(memory.half) + 1 == 3',
    'int(memory.n) / 2 == 1',
    'int(memory.n) % 2 == 1',
    'double(memory.n) / 2.0 == 1.5',
    '-memory.list.size() < 0',
    '"é" + "e" == "ée"',
    'size(memory.s) == 6',
    'memory.s.startsWith("r") && memory.s.endsWith("é") && memory.s.contains("sum")',
    '" Ab ".trim().lowerAscii() == "ab" && "ab".upperAscii() == "AB"',
    'memory.s < "s"',
    'state == "A" && action == "submit" && event.type == "submit"',
    'memory.yes ? true : false',
    'memory.slots.c == {"status": "open"}',
    'memory.slots.b.?value.hasValue()',
    'memory.slots.b.?value.orValue(null) == null',
  ])('%s', (text) => {
    expect(ask(text, memory)).toEqual({ is: 'yes' });
  });
});

describe('an error is never a no', () => {
  test.each([
    ['memory.zz == null', 'there is no "zz"'],
    ['memory.slots[entity].zz', 'there is no "zz"'],
    ['memory.slots.exists(k, memory.slots[k].status == "gone")', 'there is no "status"'],
    ['memory.s[?"a"].hasValue()', 'a string has no members'],
    ['memory.n.?a.hasValue()', 'a number has no members'],
    ['memory.list[?"a"].hasValue()', 'a list has no index a string'],
    ['memory.slots[?memory.n].hasValue()', 'a map is keyed by text, and the index is a number: use string(...)'],
    ['memory.list[7] == 1', 'there is no such member'],
    ['memory.n', 'not_a_condition: the answer is a number'],
    ['memory.n && true', '&& was given a number'],
    ['memory.n || false', '|| was given a number'],
    ['!memory.n', '! was given a number'],
    ['memory.n ? true : false', 'a condition is a number'],
    ['memory.n < memory.s', 'a number < a string has no meaning'],
    ['memory.?zz.value() == 1', 'an optional value is absent'],
    ['memory.n.exists(x, true)', 'a number has no members'],
    ['memory.list.exists(x, memory.s)', 'a member is asked something that is a string'],
    ['memory.list.all(x, memory.n)', 'a member is asked something that is a number'],
    ['int(memory.s) == 1', 'int(...) takes a finite number, not a string'],
    ['string(memory.list) == ""', 'string(...) takes no a list'],
    ['int(memory.n) / 0 == 1', 'division by zero'],
    ['int(memory.big) * int(memory.big) > 0', 'a whole number has more than 64 bits'],
    ['size(memory.n) == 1', 'a number has no size'],
    ['memory.n.contains("a")', 'a number has no contains()'],
    ['memory.s.contains(memory.n)', 'contains(...) takes a text, not a number'],
    ['memory.n.orValue(1) == 1', 'a number is not optional and has no orValue(...)'],
  ])('%s', (text, reason) => {
    expect(ask(text, memory)).toEqual({ is: 'unknown', reason });
  });
});

describe('an error that does not decide is no matter', () => {
  test.each([
    ['memory.zz || true', 'yes'],
    ['true || memory.zz', 'yes'],
    ['memory.zz && false', 'no'],
    ['memory.list.exists(x, x == 2 || memory.zz)', 'yes'],
    ['memory.list.all(x, x == 2 && memory.zz)', 'no'],
    ['memory.zz && true', 'unknown'],
    ['memory.zz || false', 'unknown'],
  ] as const)('%s is %s', (text, is) => {
    expect(ask(text, memory).is).toBe(is);
  });
});

test('the item of a macro is gone when the macro is done, and the next macro has its own', () => {
  expect(ask('memory.list.exists(x, x == 1) && memory.list.exists(y, y == 2)', memory)).toEqual({ is: 'yes' });
  expect('problems' in compilePredicate('memory.list.exists(x, x == 1) && x == 1')).toBe(true);
});

test('on facts that are plain data of the right kinds, the answer is the library’s', () => {
  const environment = new Environment({
    unlistedVariablesAreDyn: true,
    homogeneousAggregateLiterals: false,
    enableOptionalTypes: true,
  });
  const value = fc.oneof(
    fc.integer({ min: -3, max: 3 }),
    fc.constantFrom(0.5, 'a', 'b', '', true, false, null),
    fc.array(fc.integer({ min: 0, max: 3 }), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom('a', 'b', 'c'), fc.integer({ min: 0, max: 3 }), { noNullPrototype: true }),
  );
  const path = fc.constantFrom(
    'memory.a',
    'memory.b',
    'memory.c',
    'memory.d["a"]',
    'memory.d[entity]',
    'memory.l[0]',
    'size(memory.l)',
    '2',
    '0.5',
    '"a"',
    'null',
  );
  const atom = fc.oneof(
    fc.tuple(path, fc.constantFrom('==', '!=', '<', '<=', '>', '>='), path).map((parts) => parts.join(' ')),
    fc.constantFrom(
      'memory.d[?"b"].hasValue()',
      'has(memory.a)',
      'memory.l.exists(x, x > memory.a)',
      'memory.d.all(k, memory.d[k] > 1)',
    ),
    fc.constantFrom(
      'memory.?e.orValue(1) == 1',
      'memory.l.filter(x, x != 2).size() == 1',
      'memory.b',
      'memory.l == memory.c',
    ),
  );
  const text = fc.oneof(
    atom,
    fc.tuple(atom, fc.constantFrom('&&', '||'), atom).map(([a, op, b]) => `(${a}) ${op} !(${b})`),
    fc.tuple(atom, atom, atom).map(([a, b, c]) => `(${a}) ? (${b}) : (${c})`),
  );
  const contexts = fc.record({
    a: value,
    b: value,
    c: value,
    d: fc.dictionary(fc.constantFrom('a', 'b', 'c'), fc.integer({ min: 0, max: 3 }), { noNullPrototype: true }),
    l: fc.array(fc.integer({ min: 0, max: 3 }), { maxLength: 3 }),
  });
  const seen = { yes: 0, no: 0, unknown: 0 };
  fc.assert(
    fc.property(text, contexts, (source, memory) => {
      const compiled = compilePredicate(source);
      if ('problems' in compiled) return;
      const step = facts({ memory });
      const ours = compiled.ok.ask(step);
      let theirs: string;
      try {
        const found = environment.parse(source)({ ...step });
        theirs = found === true ? 'yes' : found === false ? 'no' : 'unknown';
      } catch {
        theirs = 'unknown';
      }
      seen[ours.is] += 1;
      expect(ours.is, `${source} on ${JSON.stringify(memory)}`).toBe(theirs);
    }),
    { numRuns: 5_000, seed: 8 },
  );
  expect(Math.min(...Object.values(seen))).toBeGreaterThan(300);
});

describe('an entity', () => {
  const entity = (text: string, args: unknown) => {
    const compiled = compileEntity(text);
    if ('problems' in compiled) return compiled.problems.map(({ code }) => code);
    return compiled.ok.evaluate(facts({ args, entity: null }));
  };

  test('is a text that the expression finds', () => {
    expect(entity('args.slot', { slot: 'slot[0]' })).toEqual({ value: 'slot[0]' });
    expect(entity('string(args.slot)', { slot: 0 })).toEqual({ value: '0' });
    expect(entity('"the task"', {})).toEqual({ value: 'the task' });
  });

  test('is a reason where it is no text', () => {
    expect(entity('args.slot', { slot: 0 })).toEqual({ reason: 'not_a_text: the entity is a number' });
    expect(entity('args.slot', {})).toEqual({ reason: 'there is no "slot"' });
    expect(entity('args.slot', { slot: '\ud800' })).toEqual({ reason: 'not_a_text: the entity is ill-formed Unicode' });
    expect(entity('args.?slot', { slot: 'x' })).toEqual(['predicate_type']);
  });

  test('cannot be found by itself', () => {
    expect(entity('entity', {})).toEqual(['unknown_variable']);
  });
});
