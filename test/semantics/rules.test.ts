/** The rules by their numbers: what the code cites stands in docs/semantics.md, and what forces a rule of control is run by a test. */
import { readdirSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { read, root } from '../pages.ts';

const page = read('docs/semantics.md');
/** The rules that the page states: each begins a point of a list, before the list of where the code is stricter. */
const rules = page.slice(0, page.indexOf('## Where the code is stricter'));
const stated = new Set([...rules.matchAll(/^- \*\*([A-Z]{1,2}\d+[ab]?)\*\* /gm)].map(([, rule]) => rule as string));
/** The letters of rules, and the numbers of each that the page says are not used any more. */
const families = [...new Set([...stated].map((rule) => rule.replace(/\d.*$/, '')))];
const unused = new Set(
  [...rules.matchAll(/^The numbers? (.+?) (?:is|are) not (?:used any more|built yet)/gm)].flatMap(
    ([, list]) => list?.match(/[A-Z]{1,2}\d+/g) ?? [],
  ),
);
/** The sections of the page, and the numbered points of §8 and §9 as `8.0`. */
const sections = new Set([...page.matchAll(/^## (\d+)\. /gm)].map(([, number]) => number as string));

/** The rules that the port of journals states, at the top of its file. */
const ofJournals = new Set([...read('src/journal/journal.ts').matchAll(/(J\d): /g)].map(([, rule]) => rule as string));

/** The names of the files below a folder that end in `.ts`. */
function sources(folder: string): string[] {
  const all = readdirSync(`${root}/${folder}`, { recursive: true, encoding: 'utf8' });
  return all.filter((name) => name.endsWith('.ts')).map((name) => `${folder}/${name}`);
}

/** The comments of a file. */
function comments(file: string): string {
  return (read(file).match(/\/\*[\s\S]*?\*\/|(?<!:)\/\/.*$/gm) ?? []).join('\n');
}

/** The titles of the tests of a file. */
function titles(file: string): string {
  const called = /\b(?:describe|test)(?:\.\w+(?:<[^(]*>)?(?:\([^;]*?\))?)?\(\s*(['"`])((?:(?!\1)[^\\]|\\.)*)\1/g;
  return [...read(file).matchAll(called)].map(([, , title]) => title).join('\n');
}

/** The files that cite something, by what they cite. */
function cited(pattern: RegExp): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const file of sources('src')) {
    for (const [, what] of comments(file).matchAll(pattern)) {
      found.set(what as string, [...(found.get(what as string) ?? []), file]);
    }
  }
  return found;
}

describe('the rules and their numbers', () => {
  test('the page states the rules of each letter, and none that was replaced', () => {
    expect(families.length).toBeGreaterThan(4);
    for (const family of families) {
      const numbers = [...stated].flatMap((rule) => rule.match(new RegExp(`^${family}(\\d+)[ab]?$`))?.[1] ?? []);
      const all = Array.from({ length: Math.max(...numbers.map(Number)) }, (_, index) => `${family}${index + 1}`);
      const lacking = all.filter((rule) => ![...stated].some((name) => name.replace(/[ab]$/, '') === rule));
      expect(lacking, family).toEqual(all.filter((rule) => unused.has(rule)));
    }
  });

  test('every rule that a comment in the code cites is on the page', () => {
    const named = cited(new RegExp(`(?<![\\w.])((?:${families.join('|')})\\d{1,2}[ab]?)(?!\\w)`, 'g'));
    expect(named.size).toBeGreaterThan(20);
    expect([...named].filter(([rule]) => !stated.has(rule))).toEqual([]);
  });

  test('so is every section', () => {
    const cites = cited(/§(\d+)/g);
    expect(cites.size).toBeGreaterThan(5);
    expect([...cites].filter(([section]) => !sections.has(section))).toEqual([]);
  });

  test('every rule is cited by a test, in a title or a comment', () => {
    const texts = sources('test')
      .filter((file) => !file.endsWith('/rules.test.ts'))
      .map((file) => `${comments(file)}\n${titles(file)}`);
    const isCited = (rule: string) => texts.some((text) => new RegExp(`(?<![\\w.])${rule}(?!\\w)`).test(text));
    expect([...stated, ...ofJournals].filter((rule) => !isCited(rule))).toEqual([]);
  });

  test('every rule of journals that the code cites is stated by the port', () => {
    const named = cited(/(?<![\w.])(J\d)(?!\w)/g);
    expect([...ofJournals]).toEqual(['J1', 'J2', 'J3', 'J4', 'J5', 'J6', 'J7', 'J8', 'J9']);
    expect([...named.keys()].filter((rule) => !ofJournals.has(rule))).toEqual([]);
  });

  test('every rule of control has a test whose title cites it, in the file that the page names', () => {
    const cases = sources('test/semantics').map((file) => {
      return [file, [...read(file).matchAll(/describe\(\s*'(C\d+[ab]?):/g)].map(([, rule]) => rule as string)] as const;
    });
    for (const rule of [...stated].filter((name) => /^C\d/.test(name))) {
      const files = cases
        .filter(([, rules]) => rules.includes(rule))
        .map(([file]) => file.slice('test/semantics/'.length));
      expect(files, rule).not.toEqual([]);
      const start = page.indexOf(`- **${rule}** `);
      const end = page.indexOf('\n- **', start + 1);
      const named = page.slice(start, end).match(/\(`([a-z-]+\.test\.ts)`\)/)?.[1];
      expect(files, rule).toContain(named);
    }
  });

  test('every rule of control is shown on a graph, by a test whose title cites it in the file that the page names', () => {
    const section = page.slice(
      page.indexOf('#### The same rules in a graph'),
      page.indexOf('#### Cases beside the rules'),
    );
    const shown = [...section.matchAll(/^\| (C\d+[ab]?) \| .+ \| `([a-z-]+\.test\.ts)` \|$/gm)];
    expect(shown.map(([, rule]) => rule)).toEqual([...stated].filter((rule) => /^C\d/.test(rule)));
    for (const [, rule, file] of shown) expect(titles(`test/langgraph/rules/${file}`), rule).toMatch(`${rule}: `);
  });
});
