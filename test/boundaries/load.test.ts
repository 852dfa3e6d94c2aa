import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { readConfig } from '../../src/boundaries/directory.ts';
import { loadConfig } from '../../src/boundaries/load.ts';
import { guardDigest } from '../../src/predicates/compile.ts';
import type { Facts } from '../../src/predicates/predicate.ts';
import { facts } from '../predicates/facts.ts';
import { found, load, PLAIN } from './config.ts';

const schedule = fileURLToPath(new URL('fixtures/schedule-form.yaml', import.meta.url));

describe('a config', () => {
  test('is what its file says, with defaults that allow nothing', () => {
    const { config, findings } = load();
    expect(findings).toEqual([]);
    expect(config).toMatchObject({ agent: 'm', blind: [], append: [], recover: [], tries: 20 });
    const tool = config?.tools.get('work');
    expect(tool).toMatchObject({ name: 'work', effect: 'none', reconcile: null, undo: null, timeout: null });
    expect(tool?.refuses({ any: 'thing' })).toBe(null);
    const unit = config?.skeletons.get('Unit');
    expect(unit).toMatchObject({ name: 'Unit', states: ['BUSY'], entry: ['BUSY'], required: [] });
    expect(unit?.rollback).toEqual({
      anchors: ['done'],
      compensable: 'block',
      joint: [],
      exits: 'refused',
      outcomeCheckpoints: false,
      pending: [],
      resume: 'BUSY',
      tries: 3,
    });
    expect(unit?.entity.evaluate(facts({ args: { id: 'x' } }))).toEqual({ value: 'x' });
    const [done] = unit?.boundaries ?? [];
    expect(done).toMatchObject({ id: 'done', kind: 'commit', site: { from: 'BUSY', to: 'DONE' } });
    expect(done?.when.ask(facts({ entity: 'x', memory: { out: { x: 1 } } }))).toEqual({ is: 'yes' });
    expect(done?.when.ask(facts({ entity: 'y', memory: { out: { x: 1 } } }))).toEqual({ is: 'no' });
    expect(done?.outputs).toEqual(unit?.outputs);
  });

  test('may say everything that the format knows', () => {
    const { config, findings } = readConfig(schedule);
    expect(findings).toEqual([]);
    expect([...(config?.tools.keys() ?? [])]).toEqual(['query_calendar', 'choose_slot', 'submit_schedule']);
    expect(config?.tools.get('query_calendar')).toMatchObject({ timeout: 5_000 });
    expect(config?.tools.get('query_calendar')?.refuses(['a', 1])).toBe('/1 must be string');
    expect(config?.tools.get('submit_schedule')).toMatchObject({
      effect: 'irreversible',
      reconcile: 'find_submission',
    });
    const resolve = config?.skeletons.get('ResolveSlot');
    expect(resolve?.boundaries.map(({ id, kind, site }) => [id, kind, site])).toEqual([
      ['slot-chosen', 'commit', { at: 'WAITING_SLOT_REFINEMENT' }],
      ['refined', 'exit', { from: 'WAITING_SLOT_REFINEMENT', to: 'SLOT_READY' }],
    ]);
    expect(resolve?.boundaries[0]?.outputs.map(({ text }) => text)).toEqual(['slots/{entity}/value']);
    expect(resolve?.rollback).toMatchObject({ compensable: 'undo', resume: 'SLOT_QUERYING' });
    expect(config?.blind.map(({ text }) => text)).toEqual(['progress']);
    expect(config?.append.map(({ text }) => text)).toEqual(['log']);
    expect(config?.recover).toEqual([{ tool: 'query_calendar', signals: ['TIMEOUT'] }]);
  });

  test('may say of which kind the names of a scheme are, over what needs no saying', () => {
    const { config, findings } = load(
      'tools:\n  work: { reads: [in]',
      "scopes: { order: links, fs: record }\ntools:\n  work: { reads: ['order:7(of=order:6)', 'FS/x', 'file:/A/../b']",
    );
    expect(findings).toEqual([]);
    expect(Object.fromEntries(config?.scopes ?? [])).toEqual({
      file: 'path',
      fs: 'record',
      http: 'url',
      https: 'url',
      order: 'links',
    });
    const reads = config?.tools.get('work')?.reads.flatMap((template) => template.fillAll(facts()));
    expect(reads?.map(({ text }) => text)).toEqual(['order:7', 'order:6', 'FS/x', 'file:b']);
  });

  test('that cannot be read is a finding', () => {
    const { config, findings } = readConfig('nowhere/at-all.yaml');
    expect(config).toBe(null);
    expect(findings).toMatchObject([{ code: 'cannot_read', severity: 'error', line: 1, column: 1 }]);
  });

  test('without anchors says that only its entry can be restored', () => {
    const { config, findings } = load('anchors: [done], ', '');
    expect(config?.skeletons.get('Unit')?.rollback.anchors).toEqual([]);
    expect(findings).toMatchObject([{ code: 'nothing_restorable_but_entry', severity: 'warning', line: 6, column: 3 }]);
  });

  test('may not have a boundary that is pending and an anchor, or one that is pending and none of its own', () => {
    expect(found('anchors: [done]', 'anchors: [done], pending: [done]')).toEqual(['14:44 pending_anchor']);
    expect(found('anchors: [done]', 'anchors: [done], pending: [dome]')).toEqual(['14:44 unknown_boundary']);
    expect(load('anchors: [done]', 'pending: [done]').config?.skeletons.get('Unit')?.rollback.pending).toEqual([
      'done',
    ]);
  });

  test.each([
    ['250', 250],
    ['500ms', 500],
    ['5s', 5_000],
    ['1.5s', 1_500],
    ['2m', 120_000],
    ['1h', 3_600_000],
  ])('reads the timeout %s', (text, milliseconds) => {
    const { config } = load('effect: none', `effect: none, timeout: ${text}`);
    expect(config?.tools.get('work')?.timeout).toBe(milliseconds);
  });
});

describe('every problem has its place, and all are told at once', () => {
  test('in one file', () => {
    const wrong = PLAIN.replace('effect: none', 'effect: non')
      .replace('entity:', 'entty:')
      .replace('BUSY -> DONE', 'BUSY -> DONE -> X')
      .replace('anchors: [done]', 'anchors: [dome]')
      .replace('hasValue()', 'hasValu()');
    const { config, findings } = loadConfig(wrong, { file: 'm.yaml' });
    expect(config).toBe(null);
    expect(findings.map(({ line, column, code, message, mend }) => [line, column, code, message, mend])).toEqual([
      [4, 59, 'not_one_of', '"non" is not known as "effect"', 'Did you mean "none"?'],
      [6, 3, 'missing_field', '"Unit" has no "entity"', 'Add "entity".'],
      [7, 5, 'unknown_field', 'there is no field "entty" in "Unit"', 'Did you mean "entity"?'],
      [13, 25, 'bad_site', '"BUSY -> DONE -> X" is no state and no edge', 'Write STATE, or FROM -> TO.'],
      [13, 51, 'unknown_function', 'there is no "hasValu(...)"', 'Did you mean "hasValue"?'],
      [14, 27, 'unknown_boundary', '"dome" is no boundary of this skeleton', 'Did you mean "done"?'],
    ]);
    expect(findings.every(({ severity, file }) => severity === 'error' && file === 'm.yaml')).toBe(true);
  });

  test.each([
    ['another version', 'belay: 1', 'belay: 2', '1:8 not_one_of'],
    ['no agent', 'agent: m\n', '', '1:1 missing_field'],
    ['an unknown field', 'agent: m', 'agent: m\nagnt: m', '3:1 unknown_field'],
    ['a text for a list', 'reads: [in]', 'reads: in', '4:18 wrong_type'],
    ['a number for a state', 'states: [BUSY]', 'states: [1]', '8:14 wrong_type'],
    ['nothing for a map', "{ reads: [in], writes: ['out/{args.id}'], effect: none }", '', '4:9 wrong_type'],
    ['a tool without a class', ', effect: none', '', '4:3 missing_field'],
    ['an empty key', 'reads: [in]', "reads: ['']", '4:19 out_of_range'],
    ['a key with an empty part', 'reads: [in]', 'reads: [a//b]', '4:19 bad_key'],
    ['a hole that is no path', 'reads: [in]', "reads: ['a/{1 + 1}']", '4:19 bad_key'],
    ['a hole in memory', 'reads: [in]', "reads: ['a/{memory.x}']", '4:19 bad_key'],
    ['a hole that opens a key', 'reads: [in]', "reads: ['{args.x}/a']", '4:19 bad_key'],
    ['a hole of the prototype', 'reads: [in]', "reads: ['a/{args.constructor}']", '4:19 bad_key'],
    ['a brace alone', 'reads: [in]', "reads: ['a/{args.x']", '4:19 bad_key'],
    ['"**" in the middle', 'reads: [in]', "reads: ['a/**/b']", '4:19 bad_key'],
    ['a file that no path names', 'reads: [in]', "reads: ['fs:../a']", '4:19 bad_key'],
    ['a URL that is none', 'reads: [in]', "reads: ['https://a b/']", '4:19 bad_key'],
    ['a name with "::"', '  Unit:', '  "A::B":', '6:3 bad_name'],
    ['a name with a space at its end', 'agent: m', "agent: 'm '", '2:8 bad_name'],
    ['an entry that is no state of it', 'entry: [BUSY]', 'entry: [IDLE]', '9:13 entry_outside_states'],
    [
      'a required key that is no input',
      'inputs: [in]',
      'inputs: [in]\n    required: [inn]',
      '11:16 required_not_input',
    ],
    ['a time that is none', 'effect: none', 'effect: none, timeout: soon', '4:74 bad_timeout'],
    ['a time without end', 'effect: none', 'effect: none, timeout: 999999999h', '4:74 bad_timeout'],
    ['a time below nothing', 'effect: none', 'effect: none, timeout: -5', '4:74 wrong_form'],
    ['a joint skeleton that is none', 'resume: BUSY', 'resume: BUSY, joint: [Unti]', '14:56 unknown_skeleton'],
    ['too many tries', 'resume: BUSY', 'resume: BUSY, tries: -1', '14:55 out_of_range'],
    [
      'a signal that is none',
      'skeletons:',
      'recover: [{ tool: work, signals: [TIMOUT] }]\nskeletons:',
      '5:35 not_one_of',
    ],
    [
      'a rule for no tool',
      'skeletons:',
      'recover: [{ tool: wrok, signals: [TIMEOUT] }]\nskeletons:',
      '5:19 unknown_tool',
    ],
    ['a hole among the blind', 'skeletons:', "keys: { blind: ['a/{entity}'] }\nskeletons:", '5:17 bad_key'],
    ['a kind that is not known', 'skeletons:', 'scopes: { order: link }\nskeletons:', '5:18 not_one_of'],
    ['a scheme that is none', 'skeletons:', 'scopes: { Order: links }\nskeletons:', '5:11 bad_scheme'],
    ['a scheme of ours', 'skeletons:', 'scopes: { actor: path }\nskeletons:', '5:11 bad_scheme'],
    ['a last writer of files', 'skeletons:', "keys: { blind: ['fs:/log'] }\nskeletons:", '5:17 blind_inexact'],
    ['an entity that is a condition', 'entity: args.id', 'entity: args.id == "x"', '7:13 predicate_type'],
    ['an entity that asks for itself', 'entity: args.id', 'entity: entity', '7:13 unknown_variable'],
    ['a condition that is a text', "'memory.out[?entity].hasValue()'", '\'"yes"\'', '13:46 predicate_type'],
    ['a condition that is a number', "'memory.out[?entity].hasValue()'", '1', '13:45 wrong_form'],
    ['a condition that is no CEL', "'memory.out[?entity].hasValue()'", "'memory.out['", '13:57 predicate_syntax'],
    ['a guard without a digest', "'memory.out[?entity].hasValue()'", '{ guard: ready }', '13:45 wrong_form'],
  ])('%s', (_what, from, to, finding) => {
    expect(found(from, to)).toEqual([finding]);
  });

  test('two boundaries of one name', () => {
    const twice = load('    rollback', '    exit: [{ id: done, at: DONE, when: state == "DONE" }]\n    rollback');
    expect(twice.findings.map(({ line, column, code }) => [line, column, code])).toEqual([
      [14, 18, 'duplicate_boundary'],
    ]);
  });

  test('the place within a block text is that of the text', () => {
    expect(found("'memory.out[?entity].hasValue()' }", 'x }')).toEqual(['13:45 unknown_variable']);
    const block =
      '\n      - id: b\n        at: BUSY\n        when: >\n          state ==\n          foo\n    rollback: { anchors: [done, b],';
    expect(found('\n    rollback: { anchors: [done],', block)).toEqual(['16:15 unknown_variable']);
  });

  test('a star in a longer segment is told to be literal', () => {
    expect(found('reads: [in]', "reads: ['in*', 'calendar:*/x', 'a/*', 'b/**', 'c:**']")).toEqual([
      '4:19 star_is_literal',
    ]);
  });

  test('what could be undone and names no undo is told', () => {
    expect(found('effect: none', 'effect: compensable')).toEqual(['4:3 undo_missing']);
    expect(found('effect: none', 'effect: reversible, undo: unwork')).toEqual([]);
  });
});

describe('a guard by name', () => {
  const ready = (facts: Facts) => (facts.memory as { ready: boolean }).ready;
  const digest = guardDigest(ready);
  const condition = "'memory.out[?entity].hasValue()'";
  const ask = (loaded: ReturnType<typeof load>, memory: unknown) => {
    return loaded.config?.skeletons.get('Unit')?.boundaries[0]?.when.ask(facts({ memory }));
  };

  test.each([
    ['a map', `{ guard: ready@${digest} }`],
    ['a text', `'guard: ready@${digest}'`],
  ])('in the form of %s decides, and the file says loudly that it does', (_form, text) => {
    const loaded = load(condition, text, { ready });
    expect(loaded.findings).toMatchObject([{ code: 'guard_used', severity: 'warning', line: 13, column: 45 }]);
    expect(ask(loaded, { ready: true })).toEqual({ is: 'yes' });
    expect(ask(loaded, { ready: false })).toEqual({ is: 'no' });
    expect(ask(loaded, { ready: 'yes' })).toEqual({ is: 'unknown', reason: 'not_a_condition: the answer is a string' });
    expect(ask(loaded, null)).toMatchObject({ is: 'unknown', reason: expect.stringMatching(/^error: /) });
  });

  test('that is not there, or not the one that was reviewed, answers unknown', () => {
    const missing = load(condition, `{ guard: ready@${digest} }`);
    expect(missing.config).not.toBe(null);
    expect(missing.findings.map(({ code }) => code)).toEqual(['guard_missing', 'guard_used']);
    expect(ask(missing, { ready: true })).toMatchObject({
      is: 'unknown',
      reason: expect.stringMatching(/^guard_missing/),
    });

    const changed = load(condition, `{ guard: ready@${digest} }`, { ready: () => true });
    expect(changed.findings.map(({ code }) => code)).toEqual(['guard_changed', 'guard_used']);
    expect(ask(changed, { ready: true })).toMatchObject({
      is: 'unknown',
      reason: expect.stringMatching(/^guard_changed/),
    });
    expect(load(condition, '{ guard: toString@0123456789abcdef }').findings[0]?.code).toBe('guard_missing');
  });
});

describe('the digest', () => {
  const digest = (text: string) => loadConfig(text, { file: 'm.yaml' }).config?.digest;

  test('is of the content: layout, comments and the order of names are none', () => {
    const other = PLAIN.replace('belay: 1\nagent: m', '# a comment\nagent:   "m"\nbelay: 1').replaceAll(
      '[BUSY]',
      '\n      - BUSY',
    );
    expect(digest(PLAIN)).toMatch(/^[0-9a-f]{64}$/);
    expect(digest(other)).toBe(digest(PLAIN));
    expect(digest(PLAIN.replaceAll('\n', '\r\n'))).toBe(digest(PLAIN));
    expect(loadConfig(Buffer.from(`\ufeff${PLAIN}`), { file: 'm.yaml' }).config?.digest).toBe(digest(PLAIN));
  });

  test.each([
    ['a key', 'reads: [in]', 'reads: [im]'],
    ['a class', 'effect: none', 'effect: idempotent'],
    ['a condition', '[?entity].hasValue', '[?state].hasValue'],
    ['an anchor', 'anchors: [done], ', ''],
  ])('changes with %s', (_what, from, to) => {
    expect(digest(PLAIN.replace(from, to))).not.toBe(digest(PLAIN));
  });
});

test('the schema that editors read is the one that files are held against, and the example names it', () => {
  const source = readFileSync(schedule, 'utf8');
  const named = /\$schema=(\S+)/.exec(source)?.[1] as string;
  const schema = JSON.parse(readFileSync(new URL(named, new URL('fixtures/', import.meta.url)), 'utf8'));
  expect(schema.properties.belay).toMatchObject({ const: 1 });
  const published = JSON.parse(
    readFileSync(new URL('../../dist/boundaries/boundary.schema.json', import.meta.url), 'utf8'),
  );
  expect(published).toEqual(schema);
});
