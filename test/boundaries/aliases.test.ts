/** Pairs of names: one object, one within the other, or two. Our own, and those of a file that is given. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { keyTemplate } from '../../src/boundaries/keys/key-template.ts';
import type { Key } from '../../src/model/key.ts';
import { facts } from '../predicates/facts.ts';
import { decided, keysOf, pairsIn, report, SCOPES } from './aliases.ts';

type Kind = 'one object' | 'one within the other' | 'two objects';

const PAIRS: Record<Kind, readonly (readonly [string, string])[]> = {
  'one object': [
    ['fs:/srv/app/config.yml', 'fs:/srv/app/config.yml'],
    ['fs:/srv/app/../app/config.yml', 'fs:/srv/app/config.yml'],
    ['fs:/srv/x/y/../../app', 'fs:/srv/app'],
    ['fs:/srv/./app/./', 'fs:/srv/app'],
    ['fs:/srv//app', 'fs:/srv/app'],
    ['fs:/SRV/App', 'fs:/srv/app'],
    ['fs:/srv/re\u0301sume\u0301', 'fs:/srv/r\u00e9sum\u00e9'],
    ['fs:/srv/logs/**', 'fs:/srv/logs/**'],
    ['https://Shop.Example:443/a/../b?y=2&x=1#top', 'https://shop.example/b/?x=1&y=2'],
    ['https://shop.example/%7ebob', 'https://shop.example/~bob'],
    ['taubench:ticket:no=4', 'taubench:ticket:no=4'],
    ['taubench:ticket:day=1,seat=2', 'taubench:ticket:seat=2,day=1'],
    ['taubench:ticket:no=18446744073709551616', 'taubench:ticket:no=18446744073709551616'],
    ['dom://desk/id=send', 'dom://desk/id=send'],
    ['dom://desk/xpath=//ul/li[ 2 ]', 'dom://desk/xpath=\t//ul/li[  2 ] '],
    ['dom://desk/css=ul > li', 'dom://desk/css=ul > li'],
    ['dom:///id=main', 'dom:///id=main'],
    ['session:k1', 'session:k1'],
    ['cart:of=ann', 'cart:of=ann'],
    ['inv:part:9', 'order:1(takes=inv:part:9)'],
    ['order:1(takes=inv:part:9)', 'order:2(takes=inv:part:9)'],
    ['refund:5(for=order:1)', 'order:1'],
    ['refund:5(for=order:1)', 'order:1(takes=inv:part:9)'],
    ['order:1(takes=inv:part:9,writes=fs:/o/./1)', 'fs:/O/1'],
  ],
  'one within the other': [
    ['fs:/srv/app', 'fs:/srv/app/config.yml'],
    ['fs:/srv/app/**', 'fs:/srv/app/config.yml'],
    ['fs:/srv/*/config.yml', 'fs:/srv/app/config.yml'],
    ['fs:/', 'fs:/srv'],
    ['https://shop.example', 'https://shop.example/a?b'],
    ['https://shop.example/a', 'https://shop.example/a?b'],
    ['taubench:ticket', 'taubench:ticket:no=4'],
    ['taubench:ticket:day=1', 'taubench:ticket:day=1,seat=2'],
    ['dom://desk', 'dom://desk/id=send'],
  ],
  'two objects': [
    ['fs:/srv/app/a.yml', 'fs:/srv/app/b.yml'],
    ['fs:/srv/app/a.yml', 'fs:/srv/old/a.yml'],
    ['fs:/srv/a.yml', 'fs:/srv/a.json'],
    ['fs:/srv/app', 'fs:/srv/apps'],
    ['fs:/srv/*/a.yml', 'fs:/srv/app/b.yml'],
    ['https://shop.example/a', 'https://shop.example/b'],
    ['https://shop.example/a', 'https://shop.example:8443/a'],
    ['https://shop.example/a?x=1', 'https://shop.example/a?x=2'],
    ['https://shop.example/a?x=1', 'https://shop.example/a/b'],
    ['taubench:ticket:no=4', 'taubench:ticket:no=5'],
    ['taubench:ticket:no=04', 'taubench:ticket:no=4'],
    ['taubench:ticket:no=4', 'taubench:seat:no=4'],
    ['taubench:ticket:no=4', 'taubench:ticket:holder=ann@x.example'],
    ['taubench:ticket:no=4', 'taubench:ticket:day=1,seat=2'],
    ['taubench:ticket:holder=Ann@x.example', 'taubench:ticket:holder=ann@x.example'],
    ['taubench:ticket:day=1,seat=2', 'taubench:ticket:day=1,seat=3'],
    ['dom://desk/id=send', 'dom://admin/id=send'],
    ['dom://desk/admin/id=send', 'dom://desk/id=send'],
    ['dom://desk/id=send', 'dom://desk/aria=send'],
    ['dom://desk/id=send', "dom://desk/xpath=//a[@id='send']"],
    ['dom://desk/css=ul > li', 'dom://desk/css=ul  >  li'],
    ['dom://desk/xpath=//li[1]', 'dom://desk/xpath=//li[2]'],
    ['session:k1', 'session:k2'],
    ['cart:of=ann', 'cart:of=bob'],
    ['inv:part:9', 'inv:part:90'],
    ['inv:part:9', 'order:9(takes=inv:part:8)'],
    ['order:1(takes=inv:part:9)', 'order:2(takes=inv:part:8)'],
    ['refund:1(for=order:2)', 'order:1'],
  ],
};

describe.each(Object.entries(PAIRS))('%s', (kind, pairs) => {
  test.each(pairs)('%s and %s', (a, b) => {
    const { because } = decided({ name: '', scope_a: a, scope_b: b, label: 'should-conflict' });
    expect(decided({ name: '', scope_a: b, scope_b: a, label: 'should-conflict' }).because === null).toBe(
      because === null,
    );
    if (kind === 'two objects') expect(because).toBeNull();
    if (kind === 'one object') expect(because).toMatch(/^both name /);
    if (kind === 'one within the other') expect(because).toMatch(/ (?:lies below|matches) /);
  });
});

test('a report names what was missed, and why a pair is held for a conflict', () => {
  const pair = (scope_b: string, label: 'should-conflict' | 'should-not-conflict') =>
    decided({ name: scope_b, scope_a: 'fs:/a', scope_b, label });
  const { text, complete } = report([
    pair('fs:/A', 'should-conflict'),
    pair('fs:/b', 'should-conflict'),
    pair('fs:/a/b', 'should-not-conflict'),
    pair('fs:/**', 'should-not-conflict'),
    pair('fs:/b', 'should-not-conflict'),
  ]);
  expect(complete).toBe(false);
  expect(text.split('\n')).toEqual([
    'should-conflict: 1 of 2 decided as a conflict',
    '  missed: fs:/b: fs:/a and fs:/b',
    'should-not-conflict: 1 of 3 decided as none; a conflict by what Belay means:',
    '  fs:/a/b: fs:/a and fs:/a/b',
    '    fs:a/b lies below fs:a',
    '  fs:/**: fs:/a and fs:/**',
    '    the pattern fs:** matches fs:a',
  ]);
});

test('a file that holds no pairs is refused', () => {
  for (const text of ['{}', '{"cases":[]}', '{"cases":[{"name":"a"}]}', 'no JSON'])
    expect(() => pairsIn(text)).toThrow();
});

test('a name means as an argument what it means in a config, but for its stars', () => {
  for (const name of Object.values(PAIRS).flat(2)) {
    if (!name.includes('*')) expect(asArgument(name), name).toEqual(keysOf(name));
  }
});

function asArgument(name: string): readonly Key[] {
  const colon = name.indexOf(':') + 1;
  const template = keyTemplate(`${name.slice(0, colon)}{args.name}`, SCOPES);
  return template.fillAll(facts({ args: { name: name.slice(colon) } }));
}

const suite = process.env.BELAY_ALIAS_SUITE;
if (suite === undefined) console.info('BELAY_ALIAS_SUITE names no file of pairs: only our own are decided.');

describe.skipIf(suite === undefined)('the pairs of the file that BELAY_ALIAS_SUITE names', () => {
  const pairs = () => pairsIn(readFileSync(suite as string, 'utf8'));

  test('conflict where they should, and else only as pattern and member or as parent and child', () => {
    const all = pairs().map(decided);
    const { text, complete } = report(all);
    expect(complete, text).toBe(true);
    for (const { label, because } of all) {
      if (label === 'should-not-conflict' && because !== null) expect(because).toMatch(/ (?:lies below|matches) /);
    }
  });

  test('mean as arguments what they mean in a config, but for their stars', () => {
    for (const { scope_a, scope_b } of pairs()) {
      for (const name of [scope_a, scope_b]) if (!name.includes('*')) expect(asArgument(name)).toEqual(keysOf(name));
    }
  });
});
