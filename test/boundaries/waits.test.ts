/** What a config says about calls that wait, and about what they spend. */
import { describe, expect, test } from 'vitest';
import { lintConfig } from '../../src/boundaries/lint/lint.ts';
import { loadConfig } from '../../src/boundaries/load.ts';
import { machineShape } from '../../src/xstate/shape.ts';
import { machineOf } from '../sidecar/stations.ts';

function load(tool: string, more = '', boundary = '', anchors = 'done') {
  const text = `belay: 1
agent: line
${more}
tools:
  a: { reads: [], writes: [a], ${tool} }
skeletons:
  A:
    entity: '"it"'
    states: [a]
    entry: [a]
    outputs: [a]
    exit:
      - { id: done, at: a -> rest, when: 'true'${boundary} }
    rollback: { anchors: [${anchors}], resume: a }`;
  return loadConfig(text, { file: 'line.yaml' });
}

const errors = (...args: Parameters<typeof load>) =>
  load(...args).findings.flatMap(({ severity, code, message }) => (severity === 'error' ? [`${code} ${message}`] : []));
const toolOf = (...args: Parameters<typeof load>) => load(...args).config?.tools.get('a');
const irreversible = 'effect: irreversible';

describe('a gate', () => {
  test('may be open for ever, or for a time', () => {
    expect(toolOf(`${irreversible}, gate: true`)?.gate).toEqual({ expires: null, when: null, edits: [] });
    expect(toolOf(`${irreversible}, gate: { expires: 2d }`)?.gate).toEqual({
      expires: 172_800_000,
      when: null,
      edits: [],
    });
    expect(toolOf(`${irreversible}, gate: { expires: 400d }`)?.gate).toEqual({
      expires: 34_560_000_000,
      when: null,
      edits: [],
    });
    expect(toolOf(irreversible)?.gate).toBeNull();
  });

  test.each([
    ['that is switched off instead of left out', 'gate: false', 'wrong_form "gate" has none of its forms'],
    ['with a time that is none', 'gate: { expires: soon }', 'bad_timeout "soon" is no time'],
    ['and a buffer at once', 'gate: true, buffer: true', 'bad_hold "a" would be approved long before it acts'],
  ])('%s is refused', (_, field, error) => {
    expect(errors(`${irreversible}, ${field}`)).toEqual([error]);
  });

  test('before something that does nothing is refused', () => {
    expect(errors('effect: none, gate: true')).toEqual(['bad_hold "a" does nothing to the world']);
  });
});

describe('a buffer', () => {
  test('holds the whole call, or has a name', () => {
    expect(toolOf(`${irreversible}, buffer: true`)?.buffer).toBe('call');
    expect(toolOf(`${irreversible}, buffer: files`)?.buffer).toEqual({ name: 'files' });
  });

  test('is warned of where no commit ever comes', () => {
    const machine = machineShape(machineOf([{ name: 'a' }], async () => null) as never);
    const told = (anchors: string) => {
      const { config, document } = load(`${irreversible}, buffer: true`, '', '', anchors);
      return lintConfig(config as NonNullable<typeof config>, document, machine).map(({ code }) => code);
    };
    expect(told('')).toContain('never_published');
    expect(told('done')).not.toContain('never_published');
    expect(told('done')).not.toContain('irreversible_before_commit');
  });
});

describe('an invariant', () => {
  const summed = (sum: string) =>
    errors(`${irreversible}, buffer: true`, '', `, invariants: [{ id: zero, sum: ${sum}, is: 0 }]`);

  test('adds up what is held back', () => {
    expect(summed('{ a: -args.cents }')).toEqual([]);
    expect(summed('{ a: 1 }')).toEqual([]);
  });

  test.each([
    ['an amount that is nowhere', '{ a: cents }', 'bad_amount "cents" is no amount'],
    ['what is not known yet', '{ a: output.cents }', 'bad_amount "output.cents" is no amount'],
    ['a tool that there is not', '{ b: 1 }', 'unknown_tool "b" is no tool of this config'],
  ])('of %s is refused', (_, sum, error) => {
    expect(summed(sum)).toEqual([error]);
  });

  test('of what is not held back is refused', () => {
    expect(errors(irreversible, '', ', invariants: [{ id: zero, sum: { a: 1 }, is: 0 }]')).toEqual([
      'bad_hold "a" is not buffered: its calls act before the sum is made',
    ]);
  });
});

describe('a budget', () => {
  test('is a whole number, and of time also a time', () => {
    const { config } = load(irreversible, 'budgets: { cents: 50, calls: 3, time: 2m }');
    expect(config?.budgets).toEqual(
      new Map([
        ['cents', 50],
        ['calls', 3],
        ['time', 120_000],
      ]),
    );
  });

  test.each([
    ['a time for money', 'budgets: { cents: 5s }', '', 'bad_amount "cents" is no time'],
    ['spending of none', '', ', spends: { cents: 5 }', 'unknown_budget there is no budget "cents"'],
    [
      'spending of what counts itself',
      'budgets: { calls: 5 }',
      ', spends: { calls: 5 }',
      'unknown_budget "calls" is counted by itself',
    ],
    ['an amount that is none', 'budgets: { cents: 5 }', ', spends: { cents: args }', 'bad_amount "args" is no amount'],
    [
      'less than nothing',
      'budgets: { cents: 5 }',
      ', spends: { cents: -1 }',
      'wrong_form "cents" has none of its forms',
    ],
  ])('%s is refused', (_, budgets, spends, error) => {
    expect(errors(`${irreversible}${spends}`, budgets)).toEqual([error]);
  });
});

test('a counterparty is asked as often and as soon as the config says', () => {
  expect(toolOf(`${irreversible}, reconcile: ask`)).toMatchObject({ reconcile: 'ask', asking: { tries: 6, wait: 20 } });
  const asking = 'reconcile: { ask: bank, tries: 3, wait: 10s }';
  expect(toolOf(`${irreversible}, ${asking}`)).toMatchObject({ reconcile: 'bank', asking: { tries: 3, wait: 10_000 } });
});

test('a condition of a call is read like any other', () => {
  expect(toolOf(`${irreversible}, when: memory.ready == true`)?.when?.text).toBe('memory.ready == true');
  expect(errors(`${irreversible}, when: memory.ready ==`)[0]).toMatch(/^cel_syntax|^[a-z_]+ /);
});
