/** Names with several spellings: what holds for any text, also a hostile one. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { keyTemplate } from '../../src/boundaries/keys/key-template.ts';
import { type Key, parseKey } from '../../src/model/key.ts';
import { facts } from '../predicates/facts.ts';
import { keysOf, SCOPES } from './aliases.ts';
import { fill, meet, named, pathText, RUNS, texts } from './spelled.ts';

/** Paths with everything that a path may have. */
const SCHEMES = ['fs', 'file', 'https', 'http', 'taubench', 'dom', 'order'] as const;
const anyText = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({ unit: 'grapheme' }),
  pathText,
  pathText.map((path) => `//h.example/${path}?b=${path}&a#c`),
  fc.string().map((text) => `shop/xpath=//${text}`),
  fc
    .array(fc.string(), { maxLength: 4 })
    .map((fields) => `row:${fields.map((value, n) => `f${n % 3}=${value}`).join()}`),
  pathText.map((path) => `7(of=refund:1,at=fs:${path})`),
);

/** A segment before it was escaped. */
function unescaped(segment: string): string {
  if (segment === '%') return '';
  return segment.replace(/%u([0-9A-F]{4})|%([0-9A-F]{2})/g, (_, unit, byte) =>
    String.fromCharCode(Number.parseInt(unit ?? byte, 16)),
  );
}

/** What a key names, in its canonical spelling. */
function spelled({ text, segments }: Key): string {
  const [scheme = '', ...path] = segments;
  const plain = path.map(unescaped);
  if (scheme === 'https:' || scheme === 'http:') return text.slice(scheme.length);
  if (scheme === 'taubench:') return `${plain[0]}:${plain.slice(1).join()}`;
  return `${scheme === 'dom:' ? '//' : scheme === 'order:' ? '' : '/'}${plain.join('/')}`;
}

describe('whatever the text', () => {
  test('its keys are keys, and no scheme but its own is reached without a link', () => {
    fc.assert(
      fc.property(fc.constantFrom(...SCHEMES), anyText, (scheme, text) => {
        const keys = named(scheme, text);
        for (const key of keys) expect(parseKey(key.text)).toEqual(key);
        expect(keys[0]?.segments[0]).toBe(`${scheme}:`);
        if (scheme !== 'order') expect(keys).toHaveLength(1);
      }),
      RUNS,
    );
  });

  test('it is a pattern only where it could not be read, or is everything', () => {
    fc.assert(
      fc.property(fc.constantFrom(...SCHEMES), anyText, (scheme, text) => {
        for (const { pattern, segments } of named(scheme, text)) expect(pattern).toBe(segments.length === 1);
      }),
      RUNS,
    );
  });

  test('what is canonical stays as it is', () => {
    fc.assert(
      fc.property(fc.constantFrom(...SCHEMES), anyText, (scheme, text) => {
        const [key] = named(scheme, text);
        if (key === undefined || key.pattern) return;
        expect(texts(named(scheme, spelled(key)))).toEqual([key.text]);
      }),
      RUNS,
    );
  });

  test('equal texts meet, also when one of them stands in the config', () => {
    fc.assert(
      fc.property(fc.constantFrom(...SCHEMES), anyText, (scheme, text) => {
        const keys = named(scheme, text);
        expect(meet(keys, named(scheme, text))).toBe(true);
        if (/[{}*]/.test(text) || keys[0]?.pattern !== false) return;
        expect(texts(keysOf(`${scheme}:${text}`))).toEqual(texts(keys));
      }),
      RUNS,
    );
  });

  test('a path below another meets it, however either is spelled', () => {
    const name = fc.constantFrom('a', 'B', 'Stra\u00dfe', 'e\u0301', '*', ' ');
    const names = fc.array(name, { minLength: 1, maxLength: 4 });
    const spelling = (of: readonly string[], slashes: string) => `/${of.join(slashes)}`;
    fc.assert(
      fc.property(names, names, fc.constantFrom('/', '//', '/./', '/x/../'), (above, more, slashes) => {
        const other = [...above, ...more].map((each, n) => (n % 2 ? each.toUpperCase() : each.normalize('NFD')));
        expect(meet(named('fs', spelling(above, '/')), named('fs', spelling(other, slashes)))).toBe(true);
      }),
    );
  });

  test('rows of one table that differ in a value do not meet', () => {
    const value = fc.string({ unit: 'binary' }).filter((text) => !text.includes(','));
    fc.assert(
      fc.property(value, value, (one, other) => {
        expect(meet(named('taubench', `t:id=${one}`), named('taubench', `t:id=${other}`))).toBe(one === other);
      }),
    );
  });
});

describe('hostile text', () => {
  const words = [
    '\0',
    'a\0b',
    '\ud800',
    'a/\udfff/b',
    '__proto__',
    'constructor',
    '..',
    '%',
    '%zz',
    '%00',
    'qqqs',
    'qqqh',
    '\u2028',
  ];
  test.each(SCHEMES)('in %s: makes keys or a wider one, with little work', (scheme) => {
    const long = ['a', '/', '../', 'q', '%', ',', '=', '(', ')', ':', '\0', '\ud800', 'x=inv:1,'].map((word) =>
      word.repeat(1_048_576 / word.length),
    );
    for (const text of [...words, ...long]) {
      const before = process.cpuUsage();
      for (const key of named(scheme, text)) expect(parseKey(key.text)).toEqual(key);
      const template = keyTemplate(`${scheme}:${scheme === 'dom' ? '//p/id=' : 'x'}{args.name}/*/z{args.no}`, SCOPES);
      for (const key of template.fillAll(facts({ args: { name: text } }))) expect(parseKey(key.text)).toEqual(key);
      expect(process.cpuUsage(before).user).toBeLessThan(10_000_000);
    }
  });

  test('that is longer than any name is not read', () => {
    expect(texts(named('fs', `/${'a'.repeat(65_535)}`))[0]).not.toBe('fs:**');
    expect(texts(named('fs', `/${'a'.repeat(65_536)}`))).toEqual(['fs:**']);
  });

  test('that looks like what stands for a star or a hole is neither', () => {
    expect(fill('fs:/*/{args.x}', { x: 'qs' })).toEqual(['fs:*/qs']);
    expect(fill('fs:/*/{args.x}', { x: 'QQs/qqqh' })).toEqual(['fs:*/qqs/qqqh']);
    expect(fill('dom://p/id={args.x}{args.no}', { x: 'qh' })).toEqual(['dom:p/**']);
  });

  test('a NUL is in no file name: what a program makes of it nobody knows', () => {
    expect(texts(named('fs', '/a\0/b'))).toEqual(['fs:**']);
    expect(texts(named('fs', '/a/\ud800'))).toEqual(['fs:a/\ufffd']);
  });
});
