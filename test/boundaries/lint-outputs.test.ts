/** Outputs that the machine assigns by itself, and those that are not there yet, as their call is held back. */
import { describe, expect, test } from 'vitest';
import { machine, said } from './linting.ts';

describe('against its machine, a config', () => {
  test.each([
    ['by name', { keys: ['result'], all: true }, false],
    ['in code that may', { keys: [], all: false }, false],
    ['under other names alone', { keys: ['other'], all: true }, true],
  ])('knows an output that the machine itself assigns: %s', (_how, assigns, never) => {
    const told = said({ ...machine(), assigns }, "outputs: ['out/{entity}']", 'outputs: [result]').join();
    expect(told.includes('nothing writes its output result')).toBe(never);
    const outside = said({ ...machine(), assigns }, "outputs: ['out/{entity}']", "outputs: ['file:result']").join();
    expect(outside).toContain('nothing writes its output file:result');
  });

  test('is told of a held call whose output a guard or a boundary asks for', () => {
    const held = (writes: string, shape = machine(), buffer = 'buffer: true') =>
      said(
        { assigns: { keys: [], all: true }, ...shape },
        "work: { reads: [in], writes: ['out/{args.id}'], effect: none }",
        `work: { reads: [in], writes: [${writes}], effect: irreversible, ${buffer} }`,
      ).filter((line) => line.includes('held_output'));
    const told = (whom: string) => [
      `4:3 warning held_output "work" is held back until a commit: its output is not there yet for ${whom}`,
    ];
    expect(held("'out/{args.id}'")).toEqual(told('the commit "done"'));
    expect(held('other')).toEqual([]);
    // The machine may write it by itself, behind the call.
    expect(held("'out/{args.id}'", { ...machine(), assigns: { keys: ['out'], all: true } })).toEqual([]);
    expect(held("'out/{args.id}'", machine(), 'buffer: area')).toEqual([]);
    const done = [{ target: 'DONE', guard: () => true }, 'IDLE'];
    const guarded = machine({ BUSY: { invoke: { src: 'work', onDone: done } } });
    expect(held('other', guarded)).toEqual(told('the guard after "BUSY"'));
    expect(held("'out/{args.id}'", guarded)).toEqual(told('the guard after "BUSY" and the commit "done"'));
  });

  test('is told of a tool of the class none that writes outside, and of no other', () => {
    const written = (writes: string, effect: string) =>
      said(
        machine(),
        "work: { reads: [in], writes: ['out/{args.id}'], effect: none }",
        `work: { reads: [in], writes: ['out/{args.id}', ${writes}], effect: ${effect} }`,
      ).filter((line) => line.includes('none_writes_outside'));
    expect(written("'mail:{args.id}'", 'none')).toEqual([
      expect.stringMatching(
        /^4:\d+ warning none_writes_outside "work" has the class none and writes "mail:\{args.id\}"/,
      ),
    ]);
    expect(written('other', 'none')).toEqual([]);
    expect(written("'mail:{args.id}'", 'idempotent')).toEqual([]);
  });

  test('is told of an entity that is one text, where a key names it', () => {
    const entity = (text: string) =>
      said(machine(), 'entity: args.id', `entity: ${text}`).filter((line) => line.includes('entity_constant'));
    expect(entity('\'"all"\'')).toEqual([
      expect.stringMatching(
        /^\d+:\d+ warning entity_constant the entity of \w+ is always "all", and "[^"]*\{entity\}[^"]*" names it/,
      ),
    ]);
    expect(entity('args.id')).toEqual([]);
    expect(entity('\'"a" + args.id\'')).toEqual([]);
  });
});
