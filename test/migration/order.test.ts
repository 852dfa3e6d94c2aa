/** CO6: the order of two machines, from where a run stands. */
import { expect, test } from 'vitest';
import { setup } from 'xstate';
import { disorderOf, disorderText, renamedShape } from '../../src/sidecar/migration/order.ts';
import { machineShape } from '../../src/xstate/shape.ts';
import { tool } from '../../src/xstate/tool.ts';

const act = tool(async () => 1);
const shapeOf = (states: object, initial = 'a') =>
  machineShape(
    setup({ actors: { pay: act, ship: act, audit: act } as never }).createMachine({
      id: 'm',
      initial,
      states,
    } as never),
  );
const asks = (src: string, target: string) => ({ invoke: { src, onDone: { target } } });
const LINE = { a: asks('pay', 'b'), b: asks('ship', 'c'), c: {} };

/** The disorder of a run that stands in states, and has been in others. */
const found = (then: object, now: object, active: readonly string[], passed: readonly string[] = []) => {
  const asked = new Set(passed.includes('a') || active.includes('a') ? ['pay'] : []);
  const behind = { active: new Set(['', ...active]), passed: new Set(passed), asked };
  const disorder = disorderOf(shapeOf(then), shapeOf(now), behind);
  return disorder === null ? null : [disorder.code, disorder.at, disorderText(disorder)];
};

test.each([
  ['the same', LINE, ['b'], null],
  ['a state put in ahead', { ...LINE, b: asks('ship', 'd'), d: asks('audit', 'c') }, ['b'], null],
  [
    'another order',
    { a: asks('pay', 'c'), b: asks('ship', 'a'), c: {} },
    ['b'],
    ['would_be_done_again', 'pay', /Leave the run/],
  ],
  ['a state that is gone', { a: asks('pay', 'c'), c: {} }, ['b'], ['state_gone', 'b', /under states of the map/]],
  ['another tool', { ...LINE, b: asks('audit', 'c') }, ['b'], ['state_changed', 'b', /once it has left b/]],
  ['a tool that the state asks besides', { ...LINE, c: asks('audit', 'a') }, ['c'], ['state_changed', 'c', /starts/]],
])('%s, behind a', (_, now, active, expected) => {
  const is = found(LINE, now, active, ['a']);
  if (expected === null) return expect(is).toBe(null);
  const [code, at, text] = expected;
  expect(is).toEqual([code, at, expect.stringMatching(text as RegExp)]);
});

test('what both have and the run has not done is not left out, in the states of a loop only with the same edges', () => {
  const short = { ...LINE, a: asks('pay', 'c') };
  expect(found(LINE, short, ['a'])?.slice(0, 2)).toEqual(['would_be_left_out', 'ship']);
  const loop = { ...LINE, c: { always: [{ guard: 'isMore', target: 'a' }] } };
  expect(found(loop, loop, ['b'], ['a'])).toBe(null);
  expect(found(loop, { ...loop, b: asks('ship', 'a') }, ['b'], ['a'])?.[0]).toBe('loop_changed');
});

test('regions are ahead with all that they begin with', () => {
  const lane = (src: string) => ({ initial: 'in', states: { in: asks(src, 'out'), out: { type: 'final' } } });
  const split = {
    a: asks('pay', 'b'),
    b: { type: 'parallel', states: { one: lane('ship'), two: lane('audit') }, onDone: 'c' },
    c: {},
  };
  expect(found(split, split, ['b', 'b.one', 'b.one.in', 'b.two', 'b.two.out'], ['a', 'b.two.in'])).toBe(null);
  expect(found(LINE, split, ['a'])?.slice(0, 2)).toEqual(undefined);
});

test('the machine before is read in the names of now', () => {
  const renames = { states: { b: 'd' }, keys: {}, tools: { ship: 'send' }, skeletons: {} };
  const { states, edges } = renamedShape(shapeOf(LINE), renames);
  expect(states.find(({ path }) => path === 'd')?.invokes.map(({ tool }) => tool)).toEqual(['send']);
  expect(edges.map(({ from, to }) => `${from} ${to}`)).toEqual(['a d', 'd c']);
});
