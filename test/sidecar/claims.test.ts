/** Runs that touch the same things outside of them: the second one waits, or is refused with the reason (semantics.md §12). */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Claims } from '../../src/effects/claims/claims.ts';
import { claimsIn, claimsInMemory } from '../../src/effects/claims/kept.ts';
import type { Claim } from '../../src/journal/claims.ts';
import { memoryStore } from '../../src/journal/memory/store.ts';
import { overlaps, parseKey } from '../../src/model/key.ts';
import { SidecarError } from '../../src/sidecar/sidecar-error.ts';
import type { SidecarOptions } from '../../src/xstate/attach.ts';
import { calm, until } from '../poll.ts';
import { Line, type Station } from './stations.ts';

const writes = (name: string, key: string, tool = 'effect: idempotent'): Station => {
  return { name, tool, outside: { writes: [key] } };
};
const reads = (name: string, key: string): Station => ({ name, tool: 'effect: none', outside: { reads: [key] } });

/** A run of a line of stations, and what it was told of waiting. */
async function begun(claims: Claims, run: string, stations: readonly Station[], more: Partial<SidecarOptions> = {}) {
  const line = new Line(stations, {});
  const told: string[] = [];
  const onFinding = ({ code, text }: { code: string; text: string }) => void told.push(`${code}: ${text}`);
  const running = await line.begin({ claims, run, onFinding, ...more });
  running.send('go');
  return { line, running, told };
}

describe('two runs under the same claims', () => {
  test('that write the same thing go one after the other, and the second is told whom it waits for', async () => {
    const claims = claimsInMemory();
    const first = await begun(claims, 'first', [writes('a', 'phone:1/sim')]);
    await first.running.at('rest');
    const second = await begun(claims, 'second', [writes('a', 'phone:1/**')]);
    await calm();
    expect([second.line.called('a'), second.told]).toEqual([
      0,
      ['waits_for_run: waits: phone:1/sim is held by the run first'],
    ]);
    first.running.send('end');
    await second.running.at('rest');
    expect(second.line.called('a')).toBe(1);
  });

  test('that touch different things do not wait', async () => {
    const claims = claimsInMemory();
    const first = await begun(claims, 'first', [writes('a', 'phone:1')]);
    const second = await begun(claims, 'second', [writes('a', 'phone:2')]);
    await Promise.all([first.running.at('rest'), second.running.at('rest')]);
    expect([first.told, second.told]).toEqual([[], []]);
  });

  test('share what neither of them ever writes, and nothing that one may write later', async () => {
    const claims = claimsInMemory();
    const first = await begun(claims, 'first', [reads('a', 'prices:today'), writes('b', 'shelf:1')]);
    await first.running.at('rest');
    const reader = await begun(claims, 'reader', [reads('a', 'prices:today')]);
    await reader.running.at('rest');
    const writer = await begun(claims, 'writer', [reads('a', 'shelf:1'), writes('b', 'shelf:2')]);
    await calm();
    expect([writer.line.called('a'), writer.told.length]).toEqual([0, 1]);
  });

  test('that would wait for each other do not: the later one is denied the call, and told why', async () => {
    const claims = claimsInMemory();
    const once = [writes('a', 'x:1'), { ...writes('b', 'x:2'), rollback: 'tries: 0' }];
    const other = [writes('a', 'x:2'), { ...writes('b', 'x:1'), rollback: 'tries: 0' }];
    let go: () => void = () => {};
    const gate = new Promise<void>((resolve) => {
      go = resolve;
    });
    const waiting = { governor: ({ tool }: { tool: string }) => (tool === 'a' ? gate.then(() => null) : null) };
    const first = await begun(claims, 'first', once, waiting);
    const second = await begun(claims, 'second', other, waiting);
    await calm();
    go();
    const ending = await Promise.race([first.running.finished(), second.running.finished()]);
    expect(ending.status).toBe('parked');
    const reports = [...first.line.reports, ...second.line.reports];
    expect(reports.map(({ signal }) => signal)).toEqual(['GOVERNOR_DENIED']);
    expect(reports[0]?.error).toMatch(/^x:[12] is held by the run \w+, which waits for what this run holds$/);
  });

  test('are refused after a while where patience is set', async () => {
    const claims = claimsInMemory({ patience: 10 });
    const first = await begun(claims, 'first', [writes('a', 'x:1')]);
    await first.running.at('rest');
    const second = await begun(claims, 'second', [{ ...writes('a', 'x:1'), rollback: 'tries: 0' }]);
    expect((await second.running.finished()).status).toBe('parked');
    expect(second.line.reports[0]?.error).toBe('x:1 is held by the run first');
  });
});

test('what a tool writes for some entity is shared with nobody who only reads it, whatever the entity', async () => {
  const claims = claimsInMemory();
  const own: Station = { ...writes('b', 'desk:{entity}'), entity: '"it"' };
  const first = await begun(claims, 'first', [reads('a', 'desk:it'), own]);
  await first.running.at('rest');
  const second = await begun(claims, 'second', [reads('a', 'desk:it'), own]);
  await calm();
  expect([second.line.called('a'), second.told.length]).toEqual([0, 1]);
});

test('a run that waits with one call and is given with another what closes a circle is refused, and nobody hangs', async () => {
  const claims = claimsInMemory();
  const on = (...keys: string[]) => keys.map((key) => ({ key: parseKey(key), shared: false }));
  const { signal } = new AbortController();
  const take = (run: string, key: string) => claims.take(run, on(key), signal, () => {});
  await Promise.all([take('a', 'x:1'), take('c', 'x:2')]);
  const [first, circling, second] = [take('b', 'x:1'), take('c', 'x:1'), take('b', 'x:2')];
  claims.release('a');
  expect(await first).toBe(null);
  const refused = await Promise.race([circling, second]);
  expect(refused).toMatch(/^x:[12] is held by the run [bc], which waits for what this run holds$/);
});

test('a tool that nobody declared may touch anything: it waits for everybody', async () => {
  const claims = claimsInMemory();
  const first = await begun(claims, 'first', [writes('a', 'phone:1')]);
  await first.running.at('rest');
  const second = await begun(claims, 'second', [{ name: 'a', tool: null }, { name: 'b' }]);
  await calm();
  expect(second.told).toEqual(['waits_for_run: waits: phone:1 is held by the run first']);
});

test('a run that is parked keeps what it has touched, until somebody gives it free', async () => {
  const claims = claimsInMemory();
  const stations = [writes('a', 'x:1', 'effect: irreversible')];
  const line = new Line(stations, {
    a: () => {
      throw new Error('connection reset');
    },
  });
  const first = await line.begin({ claims, run: 'first' });
  first.send('go');
  expect((await first.finished()).status).toBe('parked');
  const second = await begun(claims, 'second', [writes('a', 'x:1')]);
  await calm();
  expect(second.line.called('a')).toBe(0);
  claims.release('first');
  await second.running.at('rest');
});

test('a run that is taken up claims again what its calls have touched, and is refused where another has it', async () => {
  const journal = memoryStore();
  const stations = [writes('a', 'x:1')];
  const first = await begun(claimsInMemory(), 'first', stations, { journal });
  await first.running.at('rest');
  await first.running.close();
  const claims = claimsInMemory({ patience: 5 });
  const second = await begun(claims, 'second', [writes('a', 'x:1')]);
  await second.running.at('rest');
  const again = first.line.resume({ journal, run: 'first', claims });
  await expect(again).rejects.toThrow(SidecarError);
  await expect(again).rejects.toThrow('the run cannot be taken up: x:1 is held by the run second');
  second.running.send('end');
  await until(() => second.running.status === 'done');
  await second.running.finished();
  const third = await first.line.resume({ journal, run: 'first', claims });
  expect(third.value).toBe('rest');
});

test('a run that is taken up claims again what it has only read, too', async () => {
  const journal = memoryStore();
  const stations = [reads('a', 'x:1'), writes('b', 'x:2')];
  const first = await begun(claimsInMemory(), 'first', stations, { journal });
  await first.running.at('rest');
  await first.running.close();
  const claims = claimsInMemory({ patience: 5 });
  await first.line.resume({ journal, run: 'first', claims });
  const second = await begun(claims, 'second', [{ ...writes('a', 'x:1'), rollback: 'tries: 0' }]);
  expect((await second.running.finished()).status).toBe('parked');
  expect(second.line.reports[0]?.error).toBe('x:1 is held by the run first');
});

/** Two runs whose claims a store keeps: each has one thing, and comes to want the other's once it is told to. */
async function crossed(last: Station) {
  const journal = memoryStore();
  const claims = claimsIn(journal);
  const begin = async (run: string, stations: readonly Station[]) => {
    let goOn = () => {};
    const told = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    const [first, ...rest] = stations as [Station, ...Station[]];
    const line = new Line([first, { name: 'w', tool: 'effect: none' }, ...rest], { w: () => told });
    const running = await line.begin({ run, journal, claims });
    running.send('go');
    await running.at('w');
    return { line, running, goOn };
  };
  const first = await begin('first', [writes('a', 'x:1'), last]);
  const second = await begin('second', [writes('a', 'x:2'), writes('b', 'x:1')]);
  const lined = (run: string) =>
    until(async () => (await journal.claims.list()).waiting.some((each) => each.run === run));
  return { first, second, lined, again: () => first.line.resume({ run: 'first', journal, claims }) };
}

test('a run that is taken up does not claim what a call of it only waited for: another run may have it, and wait for this one', async () => {
  const { first, second, lined, again } = await crossed(writes('b', 'x:2'));
  first.goOn();
  await lined('first');
  await first.running.close();
  second.goOn();
  await lined('second');
  const taken = await again();
  // Only its call is refused, of which nothing has happened.
  expect((await taken.finished()).status).toBe('parked');
  expect(first.line.reports.at(-1)?.error).toBe('x:2 is held by the run second, which waits for what this run holds');
  await taken.close();
});

test.each([
  ['written', { ...writes('b', 'x:2'), onError: 'handled' }],
  ['read', { ...reads('b', 'x:2'), onError: 'handled' }],
])('a run that is taken up does not claim what a call would have %s that was refused', async (_what, last) => {
  const { first, second, lined, again } = await crossed(last);
  second.goOn();
  await lined('second');
  first.goOn();
  await first.running.at('handled');
  await first.running.close();
  const taken = await again();
  expect([taken.value, first.line.called('b')]).toEqual(['handled', 0]);
  await taken.close();
});

test('a call that is stopped while it waits leaves the line', async () => {
  const claims = claimsInMemory();
  const first = await begun(claims, 'first', [writes('a', 'x:1')]);
  await first.running.at('rest');
  const second = await begun(claims, 'second', [writes('a', 'x:1')]);
  await calm();
  await second.running.close();
  first.running.send('end');
  await first.running.finished();
  const third = await begun(claims, 'third', [writes('a', 'x:1')]);
  await third.running.at('rest');
  expect(third.told).toEqual([]);
});

/** The claims that two runs have at once, though one of them wants to be alone. */
function conflicts(held: ReadonlyMap<string, readonly Claim[]>): string[] {
  const all = [...held].flatMap(([name, own]) => own.map((claim) => ({ name, ...claim })));
  const met = all.flatMap((one) => all.filter((other) => other.name !== one.name && overlaps(one.key, other.key)));
  return met.filter(({ shared }) => !shared).map(({ name, key }) => `${name} ${key.text}`);
}

test('whatever runs take and give free: nobody shares what is not shared, nobody waits in a circle, and everybody is served in the end', async () => {
  const wanted = fc.record({ key: fc.constantFrom('x:1', 'x:1/a', 'x:2', 'x:**', 'y:1'), shared: fc.boolean() });
  const takes = fc.array(fc.record({ run: fc.nat(3), wanted: fc.array(wanted, { minLength: 1, maxLength: 2 }) }), {
    minLength: 2,
    maxLength: 14,
  });
  await fc.assert(
    fc.asyncProperty(takes, async (list) => {
      const claims = claimsInMemory();
      const held = new Map<string, Claim[]>();
      const waiting = new Set<string>();
      const refused: string[] = [];
      const asked = list.map(async ({ run, wanted: keys }) => {
        const name = `r${run}`;
        const own = keys.map(({ key, shared }) => ({ key: parseKey(key), shared }));
        const reason = await claims.take(name, own, new AbortController().signal, () => void waiting.add(name));
        if (reason === null) held.set(name, [...(held.get(name) ?? []), ...own]);
        else refused.push(reason);
      });
      for (let run = 0; run < 4; run += 1) {
        await calm(0);
        expect(conflicts(held)).toEqual([]);
        held.delete(`r${run}`);
        claims.release(`r${run}`);
      }
      // Each run was given free once; whoever was served after that gives free again.
      for (let round = 0; round < 4; round += 1) {
        await calm(0);
        for (const name of held.keys()) claims.release(name);
        held.clear();
      }
      await Promise.all(asked);
      for (const reason of refused) expect(reason).toMatch(/, which waits for what this run holds$/);
    }),
    { numRuns: 150 },
  );
});
