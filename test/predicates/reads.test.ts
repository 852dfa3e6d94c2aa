import { describe, expect, test } from 'vitest';
import { constantAnswer } from '../../src/predicates/compile.ts';
import { readsOf } from '../../src/predicates/reads.ts';

describe('the read set of a predicate', () => {
  test.each([
    ['memory.n > 3', ['n']],
    ['memory.slots[?entity].?value.hasValue()', ['slots/{entity}/value']],
    ['memory.slots[args.slot].value == memory.slots["0"].value', ['slots/{args.slot}/value', 'slots/0/value']],
    ['memory.slots[string(args.slot)] == 1', ['slots/{args.slot}']],
    ['memory.slots[event.at.id] == 1', ['slots/{event.at.id}']],
    ['memory.list[0] == 1', ['list/0']],
    ['memory.slots[state + action] == 1', ['slots/*']],
    ['memory.slots[memory.at].value == 1', ['at', 'slots/*/value']],
    ['memory.slots.exists(k, memory.slots[k].done)', ['slots/*', 'slots/*/done']],
    ['memory.list.exists(x, x.done)', ['list/*', 'list/*/done']],
    ['memory.?a.orValue(memory.b) == 1', ['a', 'b']],
    ['has(memory.a.b) && size(memory.c) > 0', ['a/b', 'c']],
    ['memory["a/b"] == memory["*"]', ['a%2Fb', '%2A']],
    ['memory.a["{args.x}"].y == 1', ['a/*/y']],
    ['size(memory) > 0', ['**']],
    ['memory[args.x].y == memory["calendar:"]', ['**']],
    ['memory["a:b"].c == 1', ['**']],
    ['state == "A" && args.n == 1', []],
    ['[memory.a, 1].exists(x, x == memory.b)', ['a', 'b']],
    ['no CEL', []],
  ])('%s', (text, reads) => {
    expect([...readsOf(text)].sort()).toEqual([...reads].sort());
  });
});

describe('a predicate that looks at no fact', () => {
  test.each([
    ['false', { is: 'no' }],
    ['1 == 2', { is: 'no' }],
    ['true || 1 == 2', { is: 'yes' }],
    ['1 / 0 == 1', { is: 'unknown', reason: 'division by zero' }],
    ['state == "A"', null],
    ['memory.n == 1 && false', null],
  ])('%s', (text, answer) => {
    expect(constantAnswer(text)).toEqual(answer);
  });
});
