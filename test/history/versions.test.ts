/** K6, one case a sentence: which reads depend on a write. */
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { dependencies } from '../../src/history/dependencies.ts';
import { History } from '../../src/history/history.ts';
import type { WriteMode } from '../../src/model/event.ts';
import { parseKey } from '../../src/model/key.ts';

/** Folds `W_A slots/0`, `R_B slots`, `blind_A k`, `append_A k`; every instance is entered first, and the events count from 1. */
function edges(...events: string[]): string[] {
  const history = new History();
  const id = (entity: string) => ({ skeleton: 'S', entity, ordinal: 0 });
  const names = [...new Set(events.map((event) => event.split(/[_ ]/)[1] as string))];
  for (const name of names) history.apply({ do: 'enter', in: id(name), by: null });
  for (const event of events) {
    const [verb, who, text] = event.split(/[_ ]/) as [string, string, string];
    const where = { in: id(who), key: parseKey(text) };
    const modes: Record<string, WriteMode> = { W: 'update', blind: 'blind', append: 'append' };
    const mode = modes[verb];
    history.apply(mode === undefined ? { do: 'read', ...where } : { do: 'write', ...where, mode });
  }
  return [...dependencies(history)].map((edge) => {
    const from = edge.kind === 'read' ? edge.write - names.length : 0;
    return `${edge.producer.entity}${from}-${edge.consumer.entity}${edge.step - names.length}`;
  });
}

test('a read depends on an earlier overlapping write of another instance', () => {
  expect(edges('W_A x', 'R_B x')).toEqual(['A1-B2']);
  expect(edges('W_A x', 'R_B x/y')).toEqual(['A1-B2']);
  expect(edges('W_A x/y', 'R_B x')).toEqual(['A1-B2']);
});

test('not on a later one, an own one, or one of another key', () => {
  expect(edges('R_B x', 'W_A x')).toEqual([]);
  expect(edges('W_A x', 'R_A x')).toEqual([]);
  expect(edges('W_A x', 'R_B y')).toEqual([]);
});

describe('a later write', () => {
  test('covers what the two have in common when it lies at or above it', () => {
    expect(edges('W_A x', 'blind_C x', 'R_B x')).toEqual(['C2-B3']);
    expect(edges('W_A x/y', 'blind_C x', 'R_B x/y')).toEqual(['C2-B3']);
    expect(edges('W_A x', 'blind_C x/y', 'R_B x/y/z')).toEqual(['C2-B3']);
    expect(edges('W_A */y', 'blind_C x/y', 'R_B x')).toEqual(['C2-B3']);
    expect(edges('W_A */y', 'blind_C x/y', 'R_B x/*')).toEqual(['C2-B3']);
    expect(edges('W_A x/*', 'blind_C x', 'R_B */y')).toEqual(['C2-B3']);
  });

  test('covers nothing when it leaves a part of it', () => {
    expect(edges('W_A x', 'blind_C x/y', 'R_B x')).toEqual(['A1-B3', 'C2-B3']);
    expect(edges('W_A x/y', 'blind_C x/z', 'R_B x/*')).toEqual(['A1-B3', 'C2-B3']);
    expect(edges('W_A x/*', 'blind_C x/y', 'R_B x/*')).toEqual(['A1-B3', 'C2-B3']);
  });

  test('covers nothing when it is a pattern or an append', () => {
    expect(edges('W_A x/y', 'blind_C x/*', 'R_B x/y')).toEqual(['A1-B3', 'C2-B3']);
    expect(edges('W_A x/y', 'blind_C x/**', 'R_B x/y')).toEqual(['A1-B3', 'C2-B3']);
    expect(edges('W_A x', 'append_C x', 'R_B x')).toEqual(['A1-B3', 'C2-B3']);
  });

  test('covers for itself alone: what it read before is still read', () => {
    expect(edges('W_A x', 'W_C x', 'R_B x')).toEqual(['A1-C2', 'C2-B3']);
    expect(edges('W_A x', 'W_B x', 'R_B x')).toEqual(['A1-B2']);
    expect(edges('W_A x', 'blind_B x', 'R_B x')).toEqual([]);
  });

  test('covers only what is read after it', () => {
    expect(edges('W_A x', 'R_B x', 'blind_C x', 'R_D x')).toEqual(['A1-B2', 'C3-D4']);
  });
});

test('a write reads its own key, unless it is blind or an append', () => {
  expect(edges('W_A x', 'W_B x')).toEqual(['A1-B2']);
  expect(edges('W_A x', 'blind_B x')).toEqual([]);
  expect(edges('W_A x', 'append_B x')).toEqual([]);
  expect(edges('append_A x', 'append_B x', 'R_C x')).toEqual(['A1-C3', 'B2-C3']);
});

test('reading a pattern reads the collection, members added later included', () => {
  expect(edges('W_A s/0/v', 'R_C s/*/v', 'W_B s/1/v', 'R_C s/*/v').sort()).toEqual(['A1-C2', 'A1-C4', 'B3-C4']);
});

test('a write above many keys reaches the only one that was ever read', () => {
  expect(edges('blind_A x/1', 'blind_A x/2', 'blind_A x/3', 'blind_A x', 'R_B x/2')).toEqual(['A4-B5']);
});

test('a read above a write reaches as deep as the write', () => {
  expect(edges('W_A x/y/z', 'R_B x')).toEqual(['A1-B2']);
  expect(edges('W_A x/y/z', 'blind_C x/y', 'R_B x')).toEqual(['C2-B3']);
  expect(edges('W_A x/y/z', 'blind_C x/y/z', 'R_B x')).toEqual(['C2-B3']);
  expect(edges('W_A x/y/z', 'blind_C x/y/y', 'R_B x')).toEqual(['A1-B3', 'C2-B3']);
});

test('a start is a dependency on the starter', () => {
  const history = new History();
  const id = (entity: string) => ({ skeleton: 'S', entity, ordinal: 0 });
  history.apply({ do: 'enter', in: id('A'), by: null });
  history.apply({ do: 'enter', in: id('B'), by: id('A') });
  expect([...dependencies(history)]).toEqual([{ kind: 'start', producer: id('A'), consumer: id('B'), step: 2 }]);
});

test('everything overlaps **, schemes included', () => {
  expect(edges('W_A mail:x', 'W_B y', 'R_C **').sort()).toEqual(['A1-C3', 'B2-C3']);
  expect(edges('W_A **', 'R_B mail:x/y', 'R_C z').sort()).toEqual(['A1-B2', 'A1-C3']);
});

test('a write above many keys that were read long ago reaches the one that was read since', () => {
  expect(edges('R_B x/1', 'R_B x/2', 'W_A x', 'R_B x/3', 'R_B y').sort()).toEqual(['A3-B4']);
});

/** The pairs of a write and a read that depends on it, asked from the write and from the read. */
function pairsOf({ registry, versions }: History): readonly [Set<string>, Set<string>] {
  const records = [...registry.all()];
  const forward = records.flatMap((record) =>
    versions
      .writesOf(record)
      .flatMap((write) =>
        [...versions.readsOf(write)].flatMap(({ reads, from, until }) =>
          reads.slice(from, until).map((read) => `${write.at} ${read.at}`),
        ),
      ),
  );
  const backward = records.flatMap((record) =>
    versions
      .readsBy(record)
      .flatMap((read) => [...versions.writersOf(read.key, read.at)].map((write) => `${write.at} ${read.at}`)),
  );
  return [new Set(forward), new Set(backward)];
}

test('the writes that a read depends on are those whose readers have it', () => {
  const keys = ['x', 'x/y', 'x/z', 'x/y/z', 'x/*', '*/y', 'x/**', 'w', '**'];
  const event = fc.record({
    verb: fc.constantFrom('read', 'update', 'blind', 'append'),
    who: fc.constantFrom('A', 'B', 'C'),
    text: fc.constantFrom(...keys),
  });
  fc.assert(
    fc.property(fc.array(event, { maxLength: 14 }), (events) => {
      const history = new History();
      const id = (entity: string) => ({ skeleton: 'S', entity, ordinal: 0 });
      for (const name of ['A', 'B', 'C']) history.apply({ do: 'enter', in: id(name), by: null });
      for (const { verb, who, text } of events) {
        const where = { in: id(who), key: parseKey(text) };
        history.apply(verb === 'read' ? { do: 'read', ...where } : { do: 'write', ...where, mode: verb as WriteMode });
      }
      const [forward, backward] = pairsOf(history);
      expect([...backward].toSorted()).toEqual([...forward].toSorted());
    }),
    { numRuns: 2_000 },
  );
});
