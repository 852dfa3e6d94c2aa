/** A map of names is untrusted input: every content has an answer, at its place. */
import { describe, expect, test } from 'vitest';
import { loadMap } from '../../src/boundaries/migration-map.ts';

const [FROM, TO, PAGE] = ['a', 'b', 'c'].map((digit) => digit.repeat(64));
const HEAD = `belay: 1\nmigrate: order\nfrom: { machine: ${FROM}, config: ${PAGE} }\nto: { machine: ${TO}, config: ${PAGE} }\n`;
const load = (text: string) => loadMap(text, 'map.yaml');

describe('a map', () => {
  test('is read whole, and a name that stays is none of it', () => {
    const { map, findings } = load(
      `${HEAD}states: { paying: charging, open.first: open.last, idle: idle }\ntools: { pay: charge }\n`,
    );
    expect(findings).toEqual([]);
    expect(map).toMatchObject({
      agent: 'order',
      from: { machine: FROM, config: PAGE },
      renames: {
        states: { paying: 'charging', 'open.first': 'open.last' },
        keys: {},
        tools: { pay: 'charge' },
        skeletons: {},
      },
    });
  });

  test('names a region, and the states in it by where that is called now', () => {
    const states = { 'stay.rooms': 'stay.lodging', 'stay.rooms.booking': 'stay.lodging.asking' };
    expect(load(`${HEAD}states: ${JSON.stringify(states)}\n`).map?.renames.states).toEqual(states);
    const { findings } = load(`${HEAD}states: { stay.rooms: stay.lodging, stay.rooms.booking: stay.rooms.asking }\n`);
    expect(findings.map(({ line, mend }) => [line, mend])).toEqual([
      [5, 'A state stays where it is: stay.lodging.asking.'],
    ]);
  });

  test('has the same digest with other layout and comments, and another one with another name', () => {
    const digest = (text: string) => load(text).map?.digest;
    expect(digest(`${HEAD}keys: { a: b }\n`)).toBe(digest(`# reviewed\n${HEAD}keys:\n  a: b # as said\n`));
    expect(digest(`${HEAD}keys: { a: b }\n`)).not.toBe(digest(`${HEAD}keys: { a: c }\n`));
  });

  test.each([
    ['', 'yaml_syntax', /empty|no/i],
    ['migrate: order\n', 'wrong_form', /belay: 1/],
    [`${HEAD}states: { paying: 7 }\n`, 'bad_name', /paying/],
    [`${HEAD}states: { paying: open.charging }\n`, 'bad_name', /two states/],
    [`${HEAD}keys: { a: c, b: c }\n`, 'bad_name', /both be called c/],
    [`${HEAD}keys: { a/b: c }\n`, 'bad_name', /a\/b/],
    [`${HEAD}tools: { pay: post, post: pay }\n`, 'bad_name', /before and behind/],
    [`${HEAD}skeletons: [Pay]\n`, 'wrong_type', /no map of names/],
    [`${HEAD}regions: { a: b }\n`, 'unknown_field', /regions/],
    [HEAD.replace(FROM as string, '3f2a'), 'wrong_form', /64 hexadecimal/],
    [HEAD.replace(/to: .*\n/, ''), 'missing_field', /machine/],
    [`${HEAD}states: { __proto__: b }\n`, 'forbidden_key', /__proto__/],
    [`${HEAD}states: &x { a: b }\nkeys: *x\n`, 'alias', /./],
  ])('%j is refused', (text, code, said) => {
    const { map, findings } = load(text);
    expect(map).toBe(null);
    const found = findings.filter((finding) => finding.code === code || code === 'yaml_syntax');
    expect(found.map(({ message }) => message).join('\n')).toMatch(said);
  });
});
