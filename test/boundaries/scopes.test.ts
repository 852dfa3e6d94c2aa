/** Names with several spellings: each kind by its table. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { keyTemplate } from '../../src/boundaries/keys/key-template.ts';
import { coverage } from '../../src/boundaries/keys/keys.ts';
import { KeyError } from '../../src/model/key.ts';
import { facts } from '../predicates/facts.ts';
import { SCOPES } from './aliases.ts';
import { fill, meet, named, pathText, texts } from './spelled.ts';

describe('a path', () => {
  test.each([
    ['fs:/repo/src/a.py', 'fs:repo/src/a.py'],
    ['fs:repo/src/a.py', 'fs:repo/src/a.py'],
    ['fs:/repo//src/./a.py/', 'fs:repo/src/a.py'],
    ['fs:/repo/lib/../src/a.py', 'fs:repo/src/a.py'],
    ['fs:/a/b/c/../../b/c', 'fs:a/b/c'],
    ['fs:/../../etc/hosts', 'fs:etc/hosts'],
    ['fs:src/../lib', 'fs:lib'],
    ['fs:/Repo/README.md', 'fs:repo/readme.md'],
    ['fs:/straße', 'fs:strasse'],
    ['fs:/ΟΔΟΣ', 'fs:οδος'],
    ['fs:/οδοσ', 'fs:οδος'],
    ['fs:/cafe\u0301', 'fs:caf\u00e9'],
    ['fs:/a b/50%', 'fs:a b/50%25'],
    ['file:/etc/hosts', 'file:etc/hosts'],
    ['fs:/', 'fs:**'],
    ['fs:.', 'fs:**'],
  ])('%s is %s', (name, text) => {
    expect(fill(name)).toEqual([text]);
  });

  test.each(['fs:', 'fs:../a', 'fs:a/../../b', 'fs:/a/**/b'])('%s is no key of a config', (name) => {
    expect(() => keyTemplate(name)).toThrow(KeyError);
  });

  test('that comes as an argument is read whole, and a URL of a file as the path that it means', () => {
    const given = (path: unknown) => fill('fs:/repo/{args.path}', { path });
    expect(given('src/../lib/A.py')).toEqual(['fs:repo/lib/a.py']);
    expect(given('../etc/hosts')).toEqual(['fs:etc/hosts']);
    expect(fill('fs:{args.path}', { path: 'file:///a%20b/../C' })).toEqual(['fs:c']);
    expect(fill('fs:{args.path}', { path: 'FILE://host/a%20b' })).toEqual(['fs:a b']);
    expect(fill('fs:{args.path}', { path: 'file:///%' })).toEqual(['fs:**']);
  });
});

describe('a URL', () => {
  test.each([
    ['https://Shop.Example/Orders/7', 'https:shop.example/Orders/7'],
    ['https://shop.example:443/a', 'https:shop.example/a'],
    ['https://shop.example:8443/a', 'https:shop.example:8443/a'],
    ['http://shop.example:80', 'http:shop.example'],
    ['http://shop.example.:8080/', 'http:shop.example:8080'],
    ['https://shop.example/a/./b/../c', 'https:shop.example/a/c'],
    ['https://shop.example/a%2e/%2E%2e/c', 'https:shop.example/c'],
    ['https://shop.example//a/', 'https:shop.example/a'],
    ['https://shop.example/%7euser/%c3%a9/%2f', 'https:shop.example/~user/%C3%A9/%2F'],
    ['https://shop.example/\u00e9|x', 'https:shop.example/%C3%A9%7Cx'],
    ['https://shop.example/100%', 'https:shop.example/100%25'],
    ['https://bob:secret@shop.example/a#part', 'https:shop.example/a'],
    ['https://shop.example/a?size=2&colour=a+b&', 'https:shop.example/a/?colour=a%20b&size=2'],
    ['https://shop.example/a?', 'https:shop.example/a'],
    ['https://shop.example/a?at=/x/y*', 'https:shop.example/a/?at=%2Fx%2Fy%2A'],
    ['https://b\u00fccher.example/', 'https:xn--bcher-kva.example'],
    ['https://[::1]:443/a', 'https:[::1]/a'],
    ['https:shop.example/a', 'https:shop.example/a'],
    ['https://**', 'https:**'],
  ])('%s is %s', (name, text) => {
    expect(fill(name)).toEqual([text]);
  });

  test.each(['https:', 'https://', 'https:/a', 'https://a b/', 'https://h:99999/', 'https:ftp://h/a'])(
    '%s is no key of a config',
    (name) => {
      expect(() => keyTemplate(name)).toThrow(KeyError);
    },
  );

  test('that comes as an argument keeps the scheme that the config wrote', () => {
    expect(fill('https:{args.url}', { url: 'HTTP://Shop.Example:80/a?b' })).toEqual(['https:shop.example/a/?b']);
    expect(fill('https:{args.url}', { url: ' //shop.example/a' })).toEqual(['https:shop.example/a']);
    expect(fill('https:{args.url}', { url: 'localhost:8080/a' })).toEqual(['https:localhost:8080/a']);
    for (const url of ['not a URL', '/orders/7', 'ftp://h/a', 'mailto:a@b', 'data:,x', 'https://', ''])
      expect(fill('https:{args.url}', { url })).toEqual(['https:**']);
  });

  test('of which a part is an argument names what it is as it stands, and what it is encoded', () => {
    const given = (id: string) => fill('https://shop.example/orders/{args.id}', { id });
    expect(given('7')).toEqual(['https:shop.example/orders/7']);
    expect(given('a b')).toEqual(['https:shop.example/orders/a%20b']);
    expect(given('a/b')).toEqual(['https:shop.example/orders/a/b', 'https:shop.example/orders/a%2Fb']);
    expect(given('../users')).toEqual(['https:shop.example/users', 'https:shop.example/orders/..%2Fusers']);
    expect(given('*')).toEqual(['https:shop.example/orders/%2A']);
  });
});

describe('a record', () => {
  test.each([
    ['taubench:order:id=7', 'taubench:order/id=7'],
    ['taubench:order:placed=10:00,customer=42', 'taubench:order/customer=42/placed=10:00'],
    ['taubench:order: placed=10:00, customer=42', 'taubench:order/customer=42/placed=10:00'],
    ['taubench:customer:name=Doe, John,id=1', 'taubench:customer/id=1/name=Doe, John'],
    ['taubench:customer:id=007', 'taubench:customer/id=007'],
    ['taubench:customer:email=A@x.example', 'taubench:customer/email=A@x.example'],
    ['taubench:customer:42', 'taubench:customer/42'],
    ['taubench:customer', 'taubench:customer'],
    ['taubench:customer:', 'taubench:customer'],
    ['taubench:file:path=/a/b', 'taubench:file/path=%2Fa%2Fb'],
  ])('%s is %s', (name, text) => {
    expect(fill(name)).toEqual([text]);
  });

  test('without a table is none', () => {
    for (const name of ['taubench:', 'taubench::id=1', 'taubench: :id=1'])
      expect(() => keyTemplate(name, SCOPES)).toThrow(KeyError);
  });
});

describe('an element of a page', () => {
  test.each([
    ['dom://shop/id=submit', 'dom:shop/id=submit'],
    ['dom://shop/cart/id=submit', 'dom:shop/cart/id=submit'],
    ['dom://shop//id=submit', 'dom:shop/id=submit'],
    ["dom://shop/xpath=  //a[@b = 'c']\n /d ", "dom:shop/xpath=%2F%2Fa[@b = 'c'] %2Fd"],
    ['dom://shop/css=ul  >  li', 'dom:shop/css=ul  >  li'],
    ['dom:///id=root', 'dom:%/id=root'],
    ['dom://id=root', 'dom:%/id=root'],
    ['dom://shop', 'dom:shop'],
    ['dom://shop/**', 'dom:shop/**'],
    // A star may be one of the selector's own.
    ['dom://shop/xpath=//*', 'dom:shop/**'],
  ])('%s is %s', (name, text) => {
    expect(fill(name)).toEqual([text]);
  });

  test('of no page at all is none', () => {
    for (const name of ['dom:', 'dom://']) expect(() => keyTemplate(name, SCOPES)).toThrow(KeyError);
  });
});

describe('an object with links', () => {
  test.each([
    ['order:7', ['order:7']],
    ['order:7(consumes=inv:item:42)', ['order:7', 'inv:item:42']],
    ['refund:9(of=order:7, pays=taubench:customer:id=3,t=1)', ['refund:9', 'order:7', 'taubench:customer/id=3/t=1']],
    ['order:7(writes=fs:/a/../B (1))', ['order:7', 'fs:b (1)']],
    ['order:7(at=https://Shop.example:443/)', ['order:7', 'https:shop.example']],
    ['order:eu/7', ['order:eu/7']],
    ['order:*', ['order:*']],
    ['order:**', ['order:**']],
  ])('%s is %o', (name, keys) => {
    expect(fill(name)).toEqual(keys);
  });

  test.each([
    'order:',
    'order:7(',
    'order:7)',
    'order:7()',
    'order:7(of)',
    'order:7(of=refund:)',
    'order:7(of=elsewhere:1)',
    'order:7(of=refund:9(of=order:6))',
    `order:7(${Array.from({ length: 33 }, (_, n) => `of=refund:${n}`).join()})`,
  ])(
    '%.40s cannot be read: a config may not say it, and of an argument it may be about any scheme with a kind',
    (name) => {
      expect(() => keyTemplate(name, SCOPES)).toThrow(KeyError);
      const keys = texts(named('order', name.slice('order:'.length)));
      expect(keys[0]).toBe('order:**');
      expect(keys.toSorted()).toEqual([...SCOPES.keys()].map((scheme) => `${scheme}:**`).sort());
    },
  );
});

describe('a scheme of its own name', () => {
  test('has its names read as the config says', () => {
    const scopes = new Map([['web', 'url' as const]]);
    expect(texts(keyTemplate('web://H/a', scopes).fillAll(facts()))).toEqual(['web:h/a']);
    expect(texts(keyTemplate('web:{args.u}', scopes).fillAll(facts({ args: { u: 'http://H:80/a' } })))).toEqual([
      'web:h/a',
    ]);
    expect(texts(keyTemplate('calendar:p1/A', scopes).fillAll(facts()))).toEqual(['calendar:p1/A']);
  });
});

describe("the config's own stars", () => {
  test.each([
    ['fs:/repo/src/**', 'fs:repo/src/**'],
    ['fs:/repo/*', 'fs:repo/*'],
    ['fs:/repo/*/Test.py', 'fs:repo/*/test.py'],
    ['fs:/repo/*.py', 'fs:repo/%2A.py'],
    ['fs:**', 'fs:**'],
    ['https://shop.example/orders/*/items', 'https:shop.example/orders/*/items'],
    ['https://*/health', 'https:*/health'],
    ['taubench:order/**', 'taubench:order/**'],
    ['taubench:order/*', 'taubench:**'],
  ])('in %s mean %s', (name, text) => {
    expect(fill(name)).toEqual([text]);
  });

  test('are never those of an argument', () => {
    for (const star of ['*', '**', '/*', 'a/**']) {
      for (const scheme of ['fs', 'dom', 'taubench', 'order']) {
        expect(named(scheme, star).some(({ pattern }) => pattern)).toBe(false);
      }
    }
    expect(fill('fs:/a/*/{args.x}', { x: '**' })).toEqual(['fs:a/*/%2A%2A']);
    expect(fill('fs:/a/*/{args.x}', { x: 'b/*' })).toEqual(['fs:a/*/b/%2A']);
  });
});

describe('a hole without a value makes the key wider', () => {
  test.each([
    ['fs:/repo/{args.no}', ['fs:**']],
    ['fs:{args.no}/**', ['fs:**']],
    ['https://shop.example/orders/{args.no}', ['https:shop.example/**']],
    ['https://shop.example/a?q={args.no}', ['https:shop.example/**']],
    ['https://{args.no}/orders', ['https:**']],
    ['https://h:{args.no}/', ['https:**']],
    ['https://{args.no}@h/', ['https:**']],
    ['taubench:order:id={args.no}', ['taubench:order/**']],
    ['taubench:{args.no}:id=7', ['taubench:**']],
    ['dom://shop/cart/id={args.no}', ['dom:shop/cart/**']],
    ['dom://{args.no}/id=x', ['dom:**']],
  ])('%s to %o', (name, keys) => {
    expect(fill(name)).toEqual(keys);
  });

  test('and with links, to everything that may be linked', () => {
    expect(fill('order:{args.no}')).toEqual(fill('order:7(of=refund:{args.no})'));
    expect(fill('order:{args.no}')).toHaveLength(SCOPES.size);
  });

  test('so that it meets whatever any value would have made of it', () => {
    const templates = [
      'fs:/repo/{args.x}/a',
      'https://h/a/{args.x}?b=1',
      'https://{args.x}/a',
      'taubench:order:b={args.x},c=1',
      'dom://shop/{args.x}/id=y',
      'order:{args.x}(of=refund:1)',
    ].map((text) => keyTemplate(text, SCOPES));
    const value = fc.oneof(
      fc.string({ unit: 'binary' }),
      pathText,
      fc.constantFrom('a:b=1', 'x/id=1', '1(of=order:2)'),
    );
    fc.assert(
      fc.property(fc.constantFrom(...templates), value, (template, x) => {
        expect(meet(template.fillAll(facts()), template.fillAll(facts({ args: { x } })))).toBe(true);
      }),
    );
  });
});

test('a template in such a scheme is covered by its own text, and touched by what it may come to be', () => {
  const of = (key: string, ...by: string[]) => {
    const [own, ...others] = [key, ...by].map((text) => keyTemplate(text, SCOPES));
    return coverage(own as NonNullable<typeof own>, others);
  };
  expect(of('fs:/a/{args.x}', 'fs:/a/{args.x}')).toEqual({ some: true, all: true });
  expect(of('fs:/a/{args.x}', 'fs:/b')).toEqual({ some: true, all: false });
  expect(of('https://h/{args.x}', 'https://other/a')).toEqual({ some: false, all: false });
  expect(of('fs:/A/b', 'fs:/a')).toEqual({ some: true, all: false });
  expect(of('slots/a', 'fs:/{args.x}')).toEqual({ some: false, all: false });
});
