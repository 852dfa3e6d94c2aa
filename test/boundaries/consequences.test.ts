/** Every field that a config may have has a consequence for each side to which a change of it may lean. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { CONSEQUENCES, consequenceOf } from '../../src/boundaries/compare/consequences.ts';

interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly oneOf?: readonly Schema[];
  readonly $defs?: Readonly<Record<string, Schema>>;
}

const schema = JSON.parse(
  readFileSync(new URL('../../src/boundaries/boundary.schema.json', import.meta.url), 'utf8'),
) as Schema;

/** The fields of an object, each as `gate`, and those within it as `gate expires`. */
function fieldsOf({ properties = {} }: Schema): string[] {
  return Object.entries(properties).flatMap(([name, field]) => {
    const forms = [field, ...(field.oneOf ?? [])];
    return [name, ...forms.flatMap((form) => Object.keys(form.properties ?? {}).map((inner) => `${name} ${inner}`))];
  });
}

/** Fields that are said by others: the version, lists of parts, names, and the function that `reconcile` is. */
const ELSEWHERE = new Set([
  'belay',
  'tools',
  'skeletons',
  'keys',
  'claims',
  'id',
  'reconcile ask',
  'when guard',
  'commit',
  'exit',
  'rollback',
  ...['anchors', 'compensable', 'exits', 'joint', 'outcome_checkpoints', 'pending', 'resume', 'tries'].map(
    (of) => `rollback ${of}`,
  ),
]);

const defs = schema.$defs ?? {};
const parts: readonly (readonly [part: keyof typeof CONSEQUENCES, schema: Schema | undefined])[] = [
  ['config', schema],
  ['tool', defs.tool],
  ['boundary', defs.boundary],
  ['skeleton', defs.skeleton],
  ['rollback', defs.skeleton?.properties?.rollback],
];

test.each(parts)('each field of a %s has a direction and a consequence', (part, of) => {
  const fields = fieldsOf(of as Schema).filter((name) => !ELSEWHERE.has(name));
  expect(fields.length).toBeGreaterThan(3);
  const silent = fields.filter((name) => Object.keys(CONSEQUENCES[part][name] ?? {}).length === 0);
  expect(silent).toEqual([]);
});

test('each consequence is one sentence, and both sides of a field have one where either has', () => {
  const all = Object.values(CONSEQUENCES).flatMap((fields) => Object.entries(fields));
  for (const [field, sentences] of all) {
    for (const text of Object.values(sentences)) expect(text, field).toMatch(/^["A-Z].*\.$/);
    expect('looser' in sentences, field).toBe('stricter' in sentences);
  }
});

test.each([
  [['tools', 'mail', 'once'], 'looser', 'The same act may be made twice.'],
  [['tools', 'pay', 'gate', 'expires'], 'looser', 'An approval is waited for longer.'],
  [['tools', 'pay', 'spends', 'cents'], 'looser', 'A call takes nothing of the budget: a run may make more of them.'],
  [
    ['skeletons', 'Order', 'entity'],
    'looser',
    'What was several units is one: all of it is trusted, and goes back, together.',
  ],
  [
    ['skeletons', 'Order', 'rollback', 'joint'],
    'stricter',
    'A restore never takes back what this skeleton has promised.',
  ],
  [['skeletons', 'Order', 'paid', 'when'], 'other', 'Work is promised under another condition.'],
  [
    ['skeletons', 'Order', 'paid', 'sum', 'invariant'],
    'looser',
    'Held calls become visible although their sum is wrong.',
  ],
  [['budgets', 'cents'], 'stricter', 'A run may spend less: a call over it is denied.'],
  [
    ['claims', 'release'],
    'other',
    'Other runs get the keys of a run at another time. What another run was given, the run can neither undo nor touch again.',
  ],
] as const)('%j, %s: %s', (path, is, says) => {
  expect(consequenceOf({ path, is })).toBe(says);
});
