import { beforeEach, describe, expect, test } from 'vitest';
import { TraceError, type TraceLine, traceReader } from '../../src/history/trace.ts';
import { parseKey } from '../../src/model/key.ts';

const A = { skeleton: 'A', entity: 'a', ordinal: 0 };
// A reader for each test, because making it is part of what is tested.
let parseTraceLine: (source: string) => TraceLine;
beforeEach(() => {
  parseTraceLine = traceReader();
});

const read = (fields: object) => parseTraceLine(JSON.stringify(fields));
const event = (fields: object) => {
  const line = read(fields);
  return line.do === 'event' ? line.event : line;
};

describe('each line of the format is read', () => {
  const where = { in: ['A', 'a', 0] };

  test('trace and fail', () => {
    expect(read({ do: 'trace', id: 't1' })).toEqual({ do: 'trace', id: 't1' });
    expect(read({ do: 'fail', ...where })).toEqual({ do: 'fail', failure: { in: A, key: null } });
    expect(read({ do: 'fail', ...where, key: 'x' })).toEqual({ do: 'fail', failure: { in: A, key: parseKey('x') } });
  });

  test('enter, with and without a starter', () => {
    expect(event({ do: 'enter', ...where })).toEqual({ do: 'enter', in: A, by: null });
    const by = { skeleton: 'B', entity: '', ordinal: 7 };
    expect(event({ do: 'enter', ...where, by: ['B', '', 7] })).toEqual({ do: 'enter', in: A, by });
  });

  test('read', () => {
    expect(event({ do: 'read', ...where, key: 'x/*' })).toEqual({ do: 'read', in: A, key: parseKey('x/*') });
  });

  test.each([
    [{}, 'update'],
    [{ blind: false, append: false }, 'update'],
    [{ blind: true }, 'blind'],
    [{ append: true }, 'append'],
    [{ blind: true, append: true }, 'append'],
  ])('write with %j is a write of mode %s', (fields, mode) => {
    expect(event({ do: 'write', ...where, key: 'x', ...fields })).toEqual({
      do: 'write',
      in: A,
      key: parseKey('x'),
      mode,
    });
  });

  test.each(['commit', 'exit', 'outcome'])('boundary of kind %s', (kind) => {
    expect(event({ do: 'boundary', ...where, kind })).toEqual({ do: 'boundary', in: A, kind });
  });

  test('effect, with and without its optional fields', () => {
    const fields = { do: 'effect', ...where, class: 'reversible', status: 'unknown' };
    const effect = { do: 'effect', in: A, class: 'reversible', status: 'unknown', id: null, undo: null };
    expect(event(fields)).toEqual(effect);
    expect(event({ ...fields, id: 'e', undo: false })).toEqual({ ...effect, id: 'e', undo: false });
    expect(event({ ...fields, tool: 'pay' })).toEqual({ ...effect, tool: 'pay' });
  });
});

describe('what is no line of the format is refused with a code and the mend', () => {
  const where = '"in":["A","a",0]';

  test.each([
    ['{"do":"read"', 'not_json', 'JSON'],
    ['', 'not_json', 'JSON'],
    ['[]', 'not_an_object', 'object'],
    ['null', 'not_an_object', 'object'],
    ['"enter"', 'not_an_object', 'object'],
    ['{}', 'missing_field', '"do"'],
    [
      '{"do":"jump"}',
      'unknown_do',
      '"trace", "enter", "actor", "control", "closed", "aside", "unavailable", "suspect", "read", "write", "boundary", "effect", "fail"',
    ],
    ['{"do":"constructor"}', 'unknown_do', '"constructor"'],
    ['{"do":"__proto__"}', 'unknown_do', '"__proto__"'],
    ['{"do":["trace"],"id":"x"}', 'unknown_do', 'a value of type object is none of'],
    [`{"do":"${'x'.repeat(100)}"}`, 'unknown_do', `${'x'.repeat(56)}... is none of`],
    ['{"do":"trace"}', 'missing_field', '"id"'],
    ['{"do":"trace","id":7}', 'bad_value', '"id" must be string'],
    [`{"do":"read",${where}}`, 'missing_field', '"key"'],
    ['{"do":"read","key":"x"}', 'missing_field', '"in"'],
    [`{"do":"read",${where},"key":["x"]}`, 'bad_value', '"key" must be string'],
    [`{"do":"write",${where},"key":"x","blind":1}`, 'bad_value', '"blind" must be boolean'],
    [`{"do":"write",${where},"key":"x","blnd":true}`, 'unknown_field', '"blnd"'],
    [`{"do":"read",${where},"key":"x","__proto__":{}}`, 'unknown_field', '"__proto__"'],
    [`{"do":"boundary",${where},"kind":"end"}`, 'unknown_kind', '"commit", "exit", "outcome"'],
    [`{"do":"effect",${where},"class":"safe","status":"failed"}`, 'unknown_class', '"irreversible"'],
    [`{"do":"effect",${where},"class":"none","status":"done"}`, 'unknown_status', '"confirmed"'],
    [`{"do":"effect",${where},"class":"none","status":"failed","id":1}`, 'bad_value', '"id" must be string'],
    [`{"do":"effect",${where},"class":"none","status":"failed","tool":1}`, 'bad_value', '"tool" must be string'],
    ['{"do":"enter","in":"A::a::0"}', 'bad_instance', '"in" is ["Skeleton", "entity", ordinal]'],
    ['{"do":"enter","in":["A","a"]}', 'bad_instance', '"in" is ["Skeleton", "entity", ordinal]'],
    ['{"do":"enter","in":["A","a",0,0]}', 'bad_instance', '"in" is ["Skeleton", "entity", ordinal]'],
    ['{"do":"enter","in":["A","a",-1]}', 'bad_instance', 'part 2 must be >= 0'],
    ['{"do":"enter","in":["A","a",0.5]}', 'bad_instance', 'part 2 must be integer'],
    ['{"do":"enter","in":["A","a",1e300]}', 'bad_instance', 'part 2 must be <='],
    ['{"do":"enter","in":["A",7,0]}', 'bad_instance', 'part 1 must be string'],
    [`{"do":"enter",${where},"by":["A"]}`, 'bad_instance', '"by" is ["Skeleton", "entity", ordinal]'],
    ['{"do":"enter","in":["A","\\ud800",0]}', 'bad_instance', 'lone surrogate'],
    ['{"do":"enter","in":["A\\u0000","a",0]}', 'bad_instance', 'NUL'],
    [`{"do":"read",${where},"key":"a//b"}`, 'bad_key', '"a//b": a key has no empty segment'],
    [`{"do":"fail",${where},"key":""}`, 'bad_key', 'empty segment'],
  ])('%s: %s', (source, code, message) => {
    expect(() => parseTraceLine(source)).toThrow(TraceError);
    expect(() => parseTraceLine(source)).toThrow(expect.objectContaining({ code, name: 'TraceError' }));
    expect(() => parseTraceLine(source)).toThrow(message);
  });

  test('the message says which part is wrong, where one is', () => {
    const message = (source: string) => {
      try {
        return parseTraceLine(source);
      } catch (error) {
        return (error as Error).message;
      }
    };
    expect(message('{"do":"enter","in":7}')).toBe('"in" is ["Skeleton", "entity", ordinal]');
    expect(message('{"do":"enter","in":["A",7,0]}')).toBe(
      '"in" is ["Skeleton", "entity", ordinal], and part 1 must be string',
    );
    expect(message(`{"do":"${'x'.repeat(58)}"}`)).toContain(`"${'x'.repeat(58)}" is none of`);
    expect(message(`{"do":"${'x'.repeat(59)}"}`)).toContain(`"${'x'.repeat(56)}... is none of`);
  });

  test('a line nested a hundred thousand deep is refused like any other', () => {
    const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
    expect(() => parseTraceLine(`{"do":"enter","in":${deep}}`)).toThrow(
      expect.objectContaining({ code: 'bad_instance' }),
    );
    expect(() => parseTraceLine(`{"do":${deep}}`)).toThrow(TraceError);
  });
});
