/** What a gate may not let a person change: each error with its place, and what `review --diff` says of a change. */
import { expect, test } from 'vitest';
import { toolChanges } from '../../src/boundaries/compare/tool-changes.ts';
import { loadConfig } from '../../src/boundaries/load.ts';

const load = (edits: string, more = '') =>
  loadConfig(
    `belay: 1\nagent: a\ntools:\n  pay: { effect: irreversible, reads: ['bank:{args.to.bank}'], gate: { edits: ${edits} }${more} }\n  give: { effect: irreversible }\nskeletons: {}\n`,
    { file: 'a.yaml' },
  );
const found = (edits: string, more = '') =>
  load(edits, more).findings.flatMap(({ line, code, message }) => (code === 'bad_edits' ? [[line, message]] : []));

test.each([
  ['[cents]', '', '"cents" names no part of the arguments'],
  ['[args]', '', '"args" names no part of the arguments'],
  ['[args.__proto__]', '', '"args.__proto__" names no part of the arguments'],
  ['[args.a, args.a.b]', '', '"args.a.b" is there twice: as "args.a", too'],
  ['[args.to]', '', '"args.to" cannot be changed: "bank:{args.to.bank}" is named by it'],
  ['[args.invoice.nr]', ', once: [args.invoice]', '"args.invoice.nr" cannot be changed: once names the act by it'],
  ['[args.total]', ", computed: { total: 'args.a + 1' }", '"args.total" cannot be changed: it is computed'],
  [
    '[args.promises]',
    ', obligations: { each: args.promises, kept_by: give }',
    '"args.promises" cannot be changed: obligations are read off it',
  ],
])('PE1: %s is no part that a person may change', (edits, more, message) => {
  expect(found(edits, more)).toEqual([[4, message]]);
  expect(load(edits, more).config).toBe(null);
});

test('PE1: other parts are taken, and one more of them is looser', () => {
  expect(found('[args.cents, args.for.what]', ', once: [args.invoice]')).toEqual([]);
  const [old, now] = [load('[args.cents]').config, load('[args.cents, args.note]').config];
  if (old === null || now === null) throw new Error('refused');
  const [before, after] = [old.tools.get('pay'), now.tools.get('pay')];
  expect(toolChanges(before ?? null, after ?? null)).toEqual([
    { path: ['gate', 'edits'], old: null, now: 'args.note', is: 'looser' },
  ]);
});
