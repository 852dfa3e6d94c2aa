/** A mistake in a config does harm in a rehearsal, and the harm is reported on the line of the mistake. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { ReconcileResult } from '../../src/index.ts';
import { type RehearsalOptions, recordingWorld, rehearse } from '../../src/testing/index.ts';
import { read } from '../pages.ts';
import { scratchFolder } from '../scratch.ts';
import { ERRAND, errandOn } from './agents/errand.ts';
import { LETTER, letter } from './agents/letter.ts';
import { config as refundConfig, refundIn, refundOn } from './agents/refund.ts';
import { ordered, shop } from './agents/shop.ts';

const folder = scratchFolder('mistakes');
const REFUND = readFileSync(refundConfig, 'utf8');

/** Writes a page with a mistake in it, and says on which line the text stands that is looked for. */
function planted(page: string, [from, to]: readonly [string, string], line: string) {
  const text = page.replace(from, to);
  expect(text).not.toBe(from === to ? '' : page);
  const config = join(folder, 'page.yaml');
  writeFileSync(config, text);
  return { config, line: text.split('\n').findIndex((each) => each.includes(line)) + 1 };
}

function refund(
  kind: string,
  mistake: readonly [string, string],
  line: string,
  { keyless = [], ...more }: Partial<RehearsalOptions> & { readonly only: string; readonly keyless?: string[] },
) {
  const world = recordingWorld({ forgetful: ['payBack', 'writeLetter'], keyless });
  return { kind, ...planted(REFUND, mistake, line), options: { ...refundIn(world), ...more } };
}

const NONE = ['', ''] as const;
const IDLE = { freeShelf: () => {} };
const LIES = { findPayment: (): ReconcileResult => ({ is: 'not_applied' }) };
const ALL = 'joint: [Policy, Item, Restock, Booking, Count, Record, Payment, Letter]';

/** The part of the page about a tool or a skeleton, as it is and with one thing in it said otherwise. */
function within(name: string, from: string, to: string): readonly [string, string] {
  const begin = REFUND.indexOf(`  ${name}:`);
  const part = REFUND.slice(begin, REFUND.indexOf(from, begin) + from.length);
  return [part, `${part.slice(0, -from.length)}${to}`];
}

/** Each mistake of a reviewer: what is said wrongly, the line where it stands, and runs of which one does harm. */
const mistakes = {
  'irreversible called idempotent': () =>
    refund('idempotent', within('payBack', 'effect: irreversible', 'effect: idempotent #'), 'effect: idempotent #', {
      only: 'payBack#1/lost/silent',
    }),
  'a read removed': () =>
    refund('read removed', within('bookCredit', 'reads: [order, sum]', 'reads: [order] #'), 'reads: [order] #', {
      only: 'valueItem#1/in-time',
    }),
  'an outside key removed': () =>
    refund('outside key removed', within('countShelves', "reads: ['shelves:**']", 'reads: [] #'), 'reads: [] #', {
      only: 'valueItem#1/in-time',
    }),
  'an undo that does nothing': () =>
    refund('undo idle', NONE, 'undo: freeShelf', { only: 'valueItem#1/soon/items/lamp', undo: IDLE }),
  'two entities merged': () =>
    refund('entities merged', within('Record', 'entity: args.order', `entity: '"one"' #`), `entity: '"one"' #`, {
      only: 'checkFraud#1/in-time/fraud',
    }),
  'a condition that is always true': () =>
    refund(
      'condition always true',
      [`when: 'memory.address != null && memory.address != ""'`, "when: 'true'"],
      "when: 'true'",
      {
        only: 'findAddress#1/before',
      },
    ),
  'a tool unlisted': () => {
    const tool = REFUND.slice(REFUND.indexOf('  writeLetter:'), REFUND.indexOf('skeletons:'));
    return refund('tool unlisted', [tool, ''], 'tools:', { only: 'writeLetter#1/timeout' });
  },
  'a reconciler that lies': () =>
    refund('reconciler lies', NONE, 'ask: findPayment', { only: 'payBack#1/lost/knows', reconcilers: LIES }),
  'a key parameter unused': () =>
    refund('key unused', NONE, '  payBack:', { only: 'payBack#1/lost/knows', keyless: ['payBack'] }),
  'a timeout missing': () =>
    refund('timeout missing', within('payBack', '    timeout: 10s\n', ''), '  payBack:', {
      only: 'payBack#1/timeout/knows',
    }),
  'joint: all': () =>
    refund('joint all', ['joint: [Policy, Item, Restock, Booking, Count]', ALL], ALL, {
      only: 'checkFraud#1/in-time/fraud',
    }),
} as const;

/** The table of the page: each mistake, what goes wrong, and what is named. */
const TABLE = read('docs/rehearse.md')
  .split('\n')
  .filter((line) => line.startsWith('| ') && line.split('|').length === 6)
  .map((line) => line.split('|').map((cell) => cell.trim()));

function rowOf(mistake: string): { readonly found: string; readonly named: string | null } {
  const at = TABLE.findIndex(([, name]) => name === mistake.replace('joint: all', '`joint: all`'));
  // "the same" is what the row above says.
  let row = at;
  while (TABLE[row]?.[2] === 'the same') row -= 1;
  return { found: TABLE[row]?.[2] ?? '', named: TABLE[at]?.[4]?.match(/`(\w+)`/)?.[1] ?? null };
}

/** What a run is called that does what the table says. */
const TOLD: Readonly<Record<string, readonly string[]>> = {
  'a reply is lost, and the outcome stays unknown': ['reply is lost; its reconciler does not know'],
  'a reply is lost': ['reply is lost; its reconciler knows'],
  'a value is found wrong before the payment': ['found before the next irreversible call'],
  'an answer is found wrong before the payment': ['found before the next irreversible call'],
  'an answer is found wrong soon': ['found at the next call or event'],
  'a call fails, and the machine goes on': ['fails before it acts'],
  'a call never answers': ['never answers'],
};

test('the page lists the mistakes that are planted here, and no other', () => {
  const listed = TABLE.map(([, name]) => name?.replaceAll('`', '')).filter(
    (name) => name !== 'mistake' && name !== '---',
  );
  expect(listed).toEqual(Object.keys(mistakes));
});

/** The runs of the reviewed config that are called so: each is made once, for all mistakes that it tells of. */
const reviewed = new Map<string, ReturnType<typeof rehearse>>();
function withoutMistake(only: string): ReturnType<typeof rehearse> {
  const world = recordingWorld({ forgetful: ['payBack', 'writeLetter'] });
  const made = reviewed.get(only) ?? rehearse({ ...refundIn(world), config: refundConfig, only });
  reviewed.set(only, made);
  return made;
}

describe('each of the eleven mistakes that a reviewer may overlook is found on its line', () => {
  test.each(Object.keys(mistakes) as (keyof typeof mistakes)[])('%s', async (mistake) => {
    const { kind, config, line, options } = mistakes[mistake]();
    const { cells, totals } = await rehearse({ ...options, config });
    expect(totals.harm).toBeGreaterThan(0);
    const harmed = cells.find(({ verdict }) => verdict.is === 'harm');
    const [culprit] = harmed?.culprits ?? [];
    expect([culprit?.kind, culprit?.line]).toEqual([kind, line]);
    const { named, found } = rowOf(mistake);
    expect(TOLD[found]?.some((text) => harmed?.text.includes(text))).toBe(true);
    if (named !== null) expect(readFileSync(config, 'utf8').split('\n')[line - 1]).toContain(named);
  });

  test.each(Object.keys(mistakes) as (keyof typeof mistakes)[])('and without it nothing is: %s', async (mistake) => {
    const { cells, totals } = await withoutMistake(mistakes[mistake]().options.only);
    expect(cells.length).toBeGreaterThan(0);
    expect(totals.harm).toBe(0);
  });
});

test('a key that is added up, and called blind, does no harm: on paper another sum comes of it (PA1)', async () => {
  const mistake = ['skeletons:', 'keys:\n  blind: [risk]\nskeletons:'] as const;
  const { config, options } = refund('blind added', mistake, 'blind: [risk]', { only: 'checkFraud#1/soon/fraud' });
  const { cells, totals } = await rehearse({ ...options, config });
  expect(cells.length).toBeGreaterThan(0);
  expect(totals.harm).toBe(0);
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
