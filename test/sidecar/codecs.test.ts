/** Values that have no form of their own are journaled by the codec that the caller registers, and come back by it. */
import { describe, expect, test } from 'vitest';
import { encode, revive } from '../../src/journal/codec.ts';
import { memoryStore } from '../../src/journal/memory/store.ts';
import { Coded, isSame, type ValueCodec } from '../../src/journal/value-codec.ts';
import { ledgersOf } from '../../src/reports/ledgers.ts';
import { until } from '../poll.ts';
import { Line, of, type Station } from './stations.ts';

const URLS: ValueCodec = {
  name: 'url',
  is: (value) => value instanceof URL,
  encode: (url: URL) => url.href,
  decode: (href: string) => new URL(href),
};
const at = (path: string) => new URL(`https://shop.example/${path}`);

/** Finds a page, and orders there. */
const ORDERS: readonly Station[] = [
  { name: 'page', reads: ['wanted'], rollback: 'joint: [ORDER]' },
  { name: 'order', reads: ['page'], tool: 'effect: idempotent' },
];

describe('the journal', () => {
  const through = (value: unknown, codecs: readonly ValueCodec[] = [URLS]) => {
    const encoded = encode(value, { codecs });
    if (!('text' in encoded)) return encoded;
    const decode = (name: string, form: unknown) => codecs.find((codec) => codec.name === name)?.decode(form as never);
    return revive(JSON.parse(encoded.text), { decode });
  };

  test('gives back what a codec has written, wherever it stood', () => {
    const value = { list: [at('a')], map: new Map([[at('b'), new Set([at('c')])]]), $: 'mine', date: new Date(0) };
    expect(JSON.stringify(through(value), (_, each) => (each instanceof Map ? [...each] : each))).toBe(
      JSON.stringify(value, (_, each) => (each instanceof Map ? [...each] : each)),
    );
    expect((through([at('a')]) as URL[])[0]).toBeInstanceOf(URL);
  });

  test('asks no codec about what has a form, and passes on what one leads to', () => {
    const all: ValueCodec = { name: 'all', is: () => true, encode: () => at('x'), decode: (url: URL) => ({ url }) };
    class Own {}
    expect(through({ date: new Date(0), list: [1], own: new Own() }, [URLS, all])).toEqual({
      date: new Date(0),
      list: [1],
      own: { url: at('x') },
    });
  });

  test.each<[string, Partial<ValueCodec>, string]>([
    ['throws', { encode: () => JSON.parse('{') }, 'unreadable'],
    ['cannot say what it is about', { is: () => JSON.parse('{') }, 'unreadable'],
    ['leads to what no journal holds', { encode: () => () => {} }, 'function'],
    ['leads to itself', { encode: (url: URL) => url }, 'cycle'],
  ])('refuses, with its place, a value whose codec %s', (_, codec, reason) => {
    expect(encode({ a: [at('x')] }, { codecs: [{ ...URLS, ...codec }] })).toMatchObject({ path: ['a', '0'], reason });
  });

  test.each(['{"$":["codec"]}', '{"$":["codec",1,"x"]}', '{"$":["codec","url"]}', '{"$":["codec","url","x","y"]}'])(
    'refuses %s, which none has written',
    (text) => {
      expect(() => revive(JSON.parse(text))).toThrow(expect.objectContaining({ code: 'journal_corrupt' }));
    },
  );

  test('shows the form to whoever reads it without the codec', () => {
    expect(revive(JSON.parse('{"$":["codec","url","https://shop.example/"]}'))).toEqual(
      new Coded('url', 'https://shop.example/'),
    );
  });

  test('tells values apart by their forms, whose own state is hidden', () => {
    class Hidden {
      readonly #secret: string;
      constructor(secret: string) {
        this.#secret = secret;
      }
      get form() {
        return this.#secret;
      }
    }
    const codec: ValueCodec = {
      name: 'hidden',
      is: (value) => value instanceof Hidden,
      encode: (value: Hidden) => value.form,
      decode: (form: string) => new Hidden(form),
    };
    const [a, again, b] = ['a', 'a', 'b'].map((secret) => ({ list: [new Hidden(secret)] }));
    for (const value of [a, again, b]) encode(value, { codecs: [codec] });
    expect([isSame(a, again), isSame(a, b)]).toEqual([true, false]);
  });
});

test('an argument without a codec keeps its call from leaving, and says where it is and what would help', async () => {
  const line = new Line(ORDERS, { page: () => at('a') });
  const run = await line.begin();
  run.send('go');
  await run.finished();
  expect(line.called('order')).toBe(0);
  expect(line.reports[0]?.error).toMatch(/nothing holds its input at page \(class\)/);
  expect(line.reports[0]?.decision).toMatchObject({
    verdict: 'escalate',
    unblock: { acts: [{ act: 'register_codec', tool: 'order', path: 'page' }] },
  });
  await run.close();
});

test('with one it leaves, and the next process sends the same value again', async () => {
  const journal = memoryStore();
  const line = new Line(ORDERS, {
    page: () => at('a'),
    order: ({ nth }) => (nth === 0 ? new Promise(() => {}) : 'ordered'),
  });
  const first = await line.begin({ journal, codecs: [URLS] });
  first.send('go');
  await until(() => line.called('order') === 1);
  await first.close();
  await expect(line.resume({ journal })).rejects.toMatchObject({
    code: 'codec_missing',
    message: expect.stringContaining('"url"'),
  });
  const second = await line.resume({ journal, codecs: [URLS] });
  await second.at('rest');
  const [lost, again] = line.calls.filter(({ tool }) => tool === 'order');
  expect([again?.key, again?.input.page]).toEqual([lost?.key, at('a')]);
  expect(again?.input.page).toBeInstanceOf(URL);
  expect((second.context.page as URL).href).toBe(at('a').href);
  // What holds such a value certifies, since a restore can make it again.
  expect(line.findings).not.toContain('no_codec');
  await second.close();
  expect(ledgersOf(journal.read('r'), 0).effects[0]?.args).toEqual({ page: new Coded('url', at('a').href) });
});

test('other values under one key stay a divergence', async () => {
  const pages = [at('a'), at('b')];
  const line = new Line(ORDERS, { page: ({ nth }) => pages[nth], order: () => 'ordered' });
  const run = await line.begin({ codecs: [URLS] });
  run.send('go');
  await run.at('rest');
  await run.fail('CONTRACT_VIOLATION', { instance: of('page'), key: 'page' });
  await run.finished();
  expect([line.called('order'), line.codes()]).toEqual([1, ['effect_diverged']]);
  const { refusals } = line.reports.at(-1)?.decision ?? { refusals: [] };
  expect(refusals[0]).toMatchObject({
    recordedArgs: '{"page":{"$":["codec","url","https://shop.example/a"]}}',
    askedArgs: '{"page":{"$":["codec","url","https://shop.example/b"]}}',
  });
  await run.close();
});

test('work that was set aside is reused where it reads such a value that has not changed, in the next process too', async () => {
  const journal = memoryStore();
  const stations: readonly Station[] = [
    { name: 'link', reads: ['wanted'] },
    { name: 'page', reads: ['wanted'] },
    { name: 'order', reads: ['link'], tool: 'effect: irreversible' },
  ];
  const line = new Line(stations, { link: () => at('a'), order: () => 'ordered' });
  const first = await line.begin({ journal, codecs: [URLS] });
  first.send('go');
  await first.at('rest');
  await first.close();
  const second = await line.resume({ journal, codecs: [URLS] });
  await second.fail('CONTRACT_VIOLATION', { instance: of('page'), key: 'page' });
  await second.at('rest');
  expect([line.aside(), line.called('page'), line.called('order')]).toEqual([['ORDER 0'], 2, 1]);
  await second.close();
});

test.each<[string, readonly ValueCodec[]]>([
  ['two of one name', [URLS, URLS]],
  ['one without a name', [{ ...URLS, name: '' }]],
])('%s are refused', async (_, codecs) => {
  await expect(new Line(ORDERS).begin({ codecs })).rejects.toMatchObject({ code: 'bad_codec' });
});
