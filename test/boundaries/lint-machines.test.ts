/** A skeleton has its states in one machine: another one is an error of the check and of the attach. */
import { describe, expect, test } from 'vitest';
import { setup } from 'xstate';
import { lintConfig } from '../../src/boundaries/lint/lint.ts';
import { Reach } from '../../src/boundaries/lint/reach.ts';
import { loadConfig } from '../../src/boundaries/load.ts';
import { attach, resume } from '../../src/xstate/attach.ts';
import { machineShape } from '../../src/xstate/shape.ts';
import { work } from './linting.ts';

const states = (first: object) => ({ one: { ...first, on: { GO: 'two' } }, two: {}, 'with/slash': {} });
const leaf = setup({ actors: { work } }).createMachine({ id: 'leaf', initial: 'one', states: states({}) });
const sub = setup({ actors: { leaf } }).createMachine({
  id: 'sub',
  initial: 'one',
  states: states({ invoke: { src: 'leaf' } }),
});
const machine = setup({ actors: { sub, again: sub } }).createMachine({
  id: 'm',
  initial: 'one',
  states: states({
    invoke: [
      { src: 'sub', id: 'a' },
      { src: 'sub', id: 'b' },
      { src: 'again', id: 'c' },
    ],
  }),
});

/** A config with one skeleton; `resume` is its first state unless given. */
function configOf(names: readonly string[], entry = names[0], more = '', resumed = names[0]) {
  const text = `
belay: 1
agent: m
tools: { sub: { effect: none }, again: { effect: none }, leaf: { effect: none } }
skeletons:
  U: { entity: '"u"', states: [${names.map((name) => `"${name}"`).join(', ')}], entry: [${entry}], inputs: [], outputs: [], ${more}rollback: { anchors: [], resume: ${resumed} } }
`;
  const loaded = loadConfig(text, { file: 'm.yaml' });
  if (loaded.config === null) throw new Error(loaded.findings.map(({ message }) => message).join('; '));
  return { ...loaded, config: loaded.config };
}

/** The codes of the check, and the code with which the attach and the first resume refuse; null where they do not. */
async function asked({ config, document }: ReturnType<typeof configOf>) {
  const found = lintConfig(config, document, machineShape(machine)).filter((f) => f.code === 'skeleton_over_machines');
  const refusals: (string | null)[] = [];
  for (const open of [attach, resume]) {
    const refused = await open(machine, { run: 'r', config }).then(
      (sidecar) => sidecar.close().then(() => null),
      (error: { code: string }) => error.code,
    );
    refusals.push(refused);
  }
  return { found, refusals };
}

describe('a skeleton over two machines', () => {
  test.each([
    ['the states are of a parent and its child', configOf(['one', 'sub/one'])],
    ['the states are of a child and its own child', configOf(['sub/one', 'sub/leaf/one'])],
    ['the states are of two names of one machine', configOf(['sub/one', 'again/one'])],
    ['a whole child machine is named', configOf(['one', 'sub/'])],
    ['a boundary is in a child', configOf(['one'], 'one', "commit: [{ id: c, at: sub/two, when: 'true == true' }], ")],
    [
      'an edge is of a child',
      configOf(['one'], 'one', "exit: [{ id: c, at: sub/one -> sub/two, when: 'true == true' }], "),
    ],
    ['the work goes on in a child', configOf(['one'], 'one', '', 'sub/two')],
  ])('is refused where %s', async (_, config) => {
    const { found, refusals } = await asked(config);
    expect(found.length).toBeGreaterThan(0);
    expect(found[0]?.severity).toBe('error');
    expect(found[0]?.message).toMatch(/is in the machine ".+", and ".+" is in the machine ".+"/);
    expect(refusals).toEqual(['skeleton_over_machines', 'skeleton_over_machines']);
  });

  test.each([
    ['all states are of the parent', configOf(['one', 'two'])],
    ['all states are of a child that is invoked under two ids', configOf(['sub/one', 'sub/two'])],
    ['a name of a state has a slash', configOf(['one', 'with/slash'])],
    ['a name of a state in a child has a slash', configOf(['sub/one', 'sub/with/slash'])],
  ])('is no finding where %s', async (_, config) => {
    expect(await asked(config)).toEqual({ found: [], refusals: [null, null] });
  });
});

test('a state with a slash in its name lies in the machine whose root is before it', () => {
  const reach = new Reach(machineShape(machine));
  expect(['with/slash', 'sub/with/slash', 'sub/one', 'sub/', ''].map((state) => reach.parentOf(state))).toEqual([
    ...['', 'sub/', 'sub/'],
    ...[null, null],
  ]);
  expect(reach.entered('with/slash')).toEqual(new Set(['with/slash', '']));
});
