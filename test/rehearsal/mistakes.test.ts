/** A mistake in a config does harm in a rehearsal, and the harm is reported on the line of the mistake. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { type RehearsalOptions, recordingWorld, rehearse } from '../../src/testing/index.ts';
import { ERRAND, errandOn } from './agents/errand.ts';
import { LETTER, letter } from './agents/letter.ts';
import { config as refundConfig, refundOn } from './agents/refund.ts';
import { ordered, PAGE, shop } from './agents/shop.ts';

const folder = mkdtempSync(join(tmpdir(), 'belay-mistakes-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const REFUND = readFileSync(refundConfig, 'utf8');

/** Writes a page with a mistake in it, and says on which line the text stands that is looked for. */
function planted(page: string, [from, to]: readonly [string, string], line: string) {
  const text = page.replace(from, to);
  expect(text).not.toBe(from === to ? '' : page);
  const config = join(folder, 'page.yaml');
  writeFileSync(config, text);
  return { config, line: text.split('\n').findIndex((each) => each.includes(line)) + 1 };
}

function refund(mistake: readonly [string, string], line: string, only: string, more: Partial<RehearsalOptions> = {}) {
  const world = recordingWorld({ forgetful: ['payBack', 'writeLetter'] });
  return { ...planted(REFUND, mistake, line), options: { machine: refundOn(world), world, only, ...more } };
}

function errand(mistake: readonly [string, string], line: string) {
  const world = recordingWorld();
  const options = { machine: errandOn(world), world, only: 'look#1/last/wanted' };
  return { ...planted(ERRAND, mistake, line), options };
}

const NONE = ['', ''] as const;
const PAY = '  payBack:\n    reads: [order, sum]\n    writes: [payment, "bank:{args.order}"]'.replaceAll('"', "'");
const mistakes = {
  idempotent: () =>
    refund(
      [`${PAY}\n    effect: irreversible`, `${PAY}\n    effect: idempotent`],
      'effect: idempotent',
      'payBack#1/lost/silent',
    ),
  'read removed': () =>
    errand(['    reads: [wanted]\n    writes: [noted', '    reads: []\n    writes: [noted'], 'reads: []'),
  'outside key removed': () => errand(["    reads: ['shelf:**']", '    reads: [] # shelf'], 'reads: [] # shelf'),
  'blind added': () =>
    refund(['skeletons:', 'keys:\n  blind: [risk]\nskeletons:'], 'blind: [risk]', 'checkFraud#1/soon/fraud'),
  'undo idle': () => refund(NONE, 'undo: freeShelf', 'valueItem#1/soon/items/lamp', { undo: { freeShelf: () => {} } }),
  'reconciler lies': () =>
    refund(NONE, 'ask: findPayment', 'payBack#1/lost/knows', {
      reconcilers: { findPayment: () => ({ is: 'not_applied' }) },
    }),
  'timeout missing': () =>
    refund(
      ['    gate: { expires: 2d }\n    timeout: 10s', '    gate: { expires: 2d }'],
      '  payBack:',
      'payBack#1/timeout/knows',
    ),
  'tool unlisted': () =>
    refund(
      [REFUND.slice(REFUND.indexOf('  writeLetter:'), REFUND.indexOf('skeletons:')), ''],
      'tools:',
      'writeLetter#1/timeout',
    ),
} as const;

describe('a mistake that a reviewer overlooks is found on its line', () => {
  test.each(Object.keys(mistakes) as (keyof typeof mistakes)[])('%s', async (kind) => {
    const { config, line, options } = mistakes[kind]();
    const { cells, totals } = await rehearse({ ...options, config });
    expect(totals.harm).toBeGreaterThan(0);
    const [culprit] = cells.find(({ verdict }) => verdict.is === 'harm')?.culprits ?? [];
    // Whether a read of the context or of something outside is missing, the same tightening tells: the tool reads more.
    const told = kind === 'outside key removed' ? 'read removed' : kind;
    expect([culprit?.kind, culprit?.line]).toEqual([told, line]);
  });

  test('a key that the counterparty never gets: its reconciler cannot know', async () => {
    const { config, line } = planted(PAGE, NONE, '  pay:');
    const { cells } = await rehearse({
      ...shop({ forgetsKeys: true }),
      config,
      paths: ordered,
      only: 'pay#1/lost/knows',
    });
    const [cell] = cells;
    expect(cell?.verdict).toMatchObject({ is: 'harm', harms: [{ is: 'twice' }] });
    expect(cell?.culprits?.[0]).toMatchObject({ kind: 'reconciler lies', line, leadsTo: 'parked' });
  });
});

describe('mutations of a reviewed config', () => {
  test('are found, or listed as survived: there the config is stricter than the machine needs, or the paths are too few', async () => {
    const { config } = planted(ERRAND, NONE, 'belay: 1');
    const world = recordingWorld();
    const report = await rehearse({ machine: errandOn(world), config, world, only: 'look', mutations: 12 });
    expect(report.totals.harm).toBe(0);
    const told = (report.mutations ?? []).map(
      ({ line, kind, found }) => `${line} ${kind}${found === null ? ' survived' : ''}`,
    );
    expect(told).toEqual(
      expect.arrayContaining(['6 read removed', '12 outside key removed', '17 read removed', '9 undo idle']),
    );
    expect(told).toEqual(expect.arrayContaining(['22 blind added survived', '28 condition always true survived']));
    const found = report.mutations?.find(({ text }) => text === 'count is not said to read shelf:**')?.found;
    expect(found).toEqual({
      id: expect.stringMatching(/^path 1\/wrong\/(Look|Stock)/),
      text: expect.stringContaining('answers wrongly'),
      harms: [{ is: 'wrong', text: expect.stringContaining('at counted') }],
    });
  });

  test('find a condition that is always true, which no run under that config itself would show', async () => {
    const { config } = planted(LETTER, NONE, 'belay: 1');
    const report = await rehearse({ machine: letter, config, world: recordingWorld(), kills: 'none', mutations: 4 });
    expect(report.totals.harm).toBe(0);
    const condition = report.mutations?.find(({ kind }) => kind === 'condition always true');
    expect(condition).toMatchObject({
      line: 13,
      found: { harms: [{ is: 'left over', text: expect.stringContaining('send still has') }] },
    });
  });

  test('need the config as a file', async () => {
    const refused = rehearse({ ...shop(), paths: ordered, mutations: 1 });
    await expect(refused).rejects.toMatchObject({ code: 'bad_option' });
  });
});

test('a run that does harm is made again with the fewest steps', async () => {
  const { config } = planted(REFUND, ['undo: freeShelf', 'undo: freeShelf # idle'], '# idle');
  const world = recordingWorld();
  const { cells } = await rehearse({
    ...{ machine: refundOn(world), config, world, undo: { freeShelf: () => {} } },
    paths: [{ input: { order: 'o7', items: ['lamp', 'vase', 'chair'] } }],
    only: 'valueItem#2/soon/items',
  });
  const [cell] = cells;
  expect(cell?.verdict.is).toBe('harm');
  expect(cell?.fewest?.input).toEqual({ order: 'o7', items: [] });
  expect(cell?.fewest?.timeline.length).toBeLessThan(cell?.timeline.length ?? 0);
});
