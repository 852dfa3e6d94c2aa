/** The part of a config that certificates rest on (semantics.md CO1): each field of the schema has its bearing, and the digest follows it. */
import { describe, expect, test } from 'vitest';
import { BEARINGS, certificateOf, holdsUnder } from '../../src/boundaries/certificate.ts';
import { read } from '../pages.ts';

interface Schema {
  readonly $ref?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | boolean;
  readonly items?: Schema;
  readonly oneOf?: readonly Schema[];
}

const schema = JSON.parse(read('src/boundaries/boundary.schema.json')) as Schema & {
  readonly $defs: Readonly<Record<string, Schema>>;
};

/** The paths of all fields of a schema. */
function fields(of: Schema, path: string): string[] {
  const at = (name: string) => (path === '' ? name : `${path}.${name}`);
  const { $ref, properties = {}, additionalProperties, items, oneOf = [] } = of;
  return [
    ...($ref === undefined ? [] : fields(schema.$defs[$ref.replace('#/$defs/', '')] as Schema, path)),
    ...Object.entries(properties).flatMap(([name, inner]) => [at(name), ...fields(inner, at(name))]),
    ...(typeof additionalProperties === 'object' ? fields(additionalProperties, at('*')) : []),
    ...(items === undefined ? [] : fields(items, path)),
    ...oneOf.flatMap((one) => fields(one, path)),
  ];
}

/** A page that says all that no certificate rests on. */
const PAGE = {
  agent: 'order',
  tools: { pay: { reads: ['price'], effect: 'idempotent', output: { properties: { timeout: { type: 'string' } } } } },
  skeletons: { Pay: { entity: '"it"', states: ['paying'], rollback: { anchors: ['paid'] } } },
};

const never = () => false;

describe('CO1: what certificates rest on', () => {
  test('every field of the schema has a bearing, and nothing else has', () => {
    expect(Object.keys(BEARINGS).toSorted()).toEqual([...new Set(fields(schema, ''))].toSorted());
  });

  test('a field that is free, or of which each call keeps its own, changes no digest', () => {
    const changed = {
      ...PAGE,
      tries: 3,
      budgets: { calls: 4 },
      redact: ['card'],
      recover: [{ tool: 'pay', signals: ['TIMEOUT'] }],
      tools: {
        pay: {
          ...PAGE.tools.pay,
          ...{ effect: 'irreversible', undo: 'refund', timeout: '6s', retry: { max: 2 }, reconcile: 'find' },
          ...{ gate: true, when: 'true', check: 'open', spends: { calls: 1 }, redact: ['args.card'] },
        },
      },
      skeletons: { Pay: { ...PAGE.skeletons.Pay, rollback: { anchors: ['paid'], tries: 9, compensable: 'undo' } } },
    };
    expect(certificateOf(changed)).toEqual(certificateOf(PAGE));
  });

  test('any other change does: also one within a schema, by the name of a field that is free', () => {
    const { pay } = PAGE.tools;
    const { Pay } = PAGE.skeletons;
    const others = [
      { ...PAGE, tools: { pay: { ...pay, reads: ['price', 'tax'] } } },
      { ...PAGE, tools: { pay: { ...pay, output: { properties: { timeout: { type: 'number' } } } } } },
      { ...PAGE, skeletons: { Pay: { ...Pay, states: ['paying', 'paid'] } } },
      { ...PAGE, skeletons: { Pay: { ...Pay, rollback: { anchors: [] } } } },
      { ...PAGE, skeletons: { ...PAGE.skeletons, tools: Pay } },
      { ...PAGE, events: { confirmed: { reads: ['price'] } } },
      { ...PAGE, tools: {} },
    ];
    const found = others.map((other) => holdsUnder(certificateOf(PAGE), certificateOf(other), never));
    expect(found).toEqual(others.map(() => false));
  });

  test('nothing rests on a tool that is new and that the run has not called', () => {
    const added = { ...PAGE, tools: { ...PAGE.tools, __proto__x: { effect: 'irreversible' } } };
    const [then, now] = [certificateOf(PAGE), certificateOf(added)];
    expect(holdsUnder(then, now, never)).toBe(true);
    expect(holdsUnder(then, now, (tool) => tool === '__proto__x')).toBe(false);
    expect(holdsUnder(now, then, never)).toBe(false);
  });
});
