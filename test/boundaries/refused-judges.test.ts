/** What a config may not say of judges, each error with its place and its fix, and how two configs lean apart. */
import { expect, test } from 'vitest';
import { consequenceOf } from '../../src/boundaries/compare/consequences.ts';
import { skeletonChanges } from '../../src/boundaries/compare/skeleton-changes.ts';
import { loadConfig } from '../../src/boundaries/load.ts';

const load = (judge: string, tools = '  grade: { effect: none }\n', more = '') =>
  loadConfig(
    `belay: 1\nagent: a\n${more}tools:\n${tools}skeletons:
  S: { entity: '"it"', states: [a], entry: [a], outputs: [x], rollback: { anchors: [d] },
    exit: [{ id: d, at: a -> b, when: memory.?x.hasValue(),
      judge: ${judge} }] }\n`,
    { file: 'a.yaml' },
  );
const said = (...config: Parameters<typeof load>) =>
  load(...config).findings.map(({ line, code, mend }) => [line, code, mend]);

test.each([
  ['no tool', '{ by: grad, pass: event.output.ok }', undefined, 'unknown_tool', 'Did you mean "grade"?'],
  [
    'an act',
    '{ by: pay, pass: event.output.ok }',
    '  pay: { effect: idempotent }\n',
    'bad_judge',
    'Name a tool with effect: none.',
  ],
  [
    'a tool in a sandbox',
    '{ by: run, pass: event.output.ok }',
    "  run: { effect: none, when: 'true' }\n",
    'bad_judge',
    'Take when out, or name another tool.',
  ],
  [
    'another field',
    '{ by: grade, pass: event.output.ok, by_silence: true }',
    undefined,
    'unknown_field',
    expect.any(String),
  ],
  ['no such rule', '{ by: grade, pass: event.output.ok, weak: pass }', undefined, 'not_one_of', expect.any(String)],
  ['the context', '{ by: grade, pass: memory.ok }', undefined, 'unknown_variable', expect.any(String)],
] as const)('%s', (_, judge, tools, code, mend) => {
  expect(said(judge, tools).map(([, ...rest]) => rest)).toContainEqual([code, mend]);
});

test('a judge is refused beside alternatives', () => {
  const trip = 'alternatives: { Trip: { at: planning, branch: tries, choose: { rule: first } } }\n';
  expect(said('{ by: grade, pass: event.output.ok }', '  grade: { effect: none }\n', trip)).toEqual([
    [9, 'bad_judge', 'Take one of both out.'],
  ]);
});

test('without its judge a boundary is looser, and sure by a condition is stricter', () => {
  const skeleton = (judge: string) => {
    const { config, findings } = load(judge);
    if (config === null) throw new Error(JSON.stringify(findings));
    const found = config.skeletons.get('S');
    if (found === undefined) throw new Error('no skeleton');
    return found;
  };
  const changes = (old: string, now: string) =>
    skeletonChanges(skeleton(old), skeleton(now)).map(({ path, is }) => [
      path.join(' '),
      is,
      consequenceOf({ path: ['skeletons', 'S', ...path], is }),
    ]);
  const [plain, unsure] = [
    '{ by: grade, pass: event.output.ok }',
    '{ by: grade, pass: event.output.ok, sure: event.output.sure }',
  ];
  const none = skeletonChanges(skeleton(plain), {
    ...skeleton(plain),
    boundaries: skeleton(plain).boundaries.map((each) => ({ ...each, judge: null })),
  });
  expect(none.map(({ path, is }) => [path.join(' '), is])).toEqual([['d judge', 'looser']]);
  expect(changes(plain, unsure).map(([path, is]) => [path, is])).toEqual([['d judge sure', 'stricter']]);
  expect(changes(plain, '{ by: grade, pass: event.output.ok, weak: reject }').map(([, is]) => is)).toEqual([
    'stricter',
  ]);
  expect(changes(plain, '{ by: grade, pass: "true" }').map(([, is]) => is)).toEqual(['looser']);
});
