/**
 * CO3: code that asks a clock or chance does not come to its own past on paper. Where its text alone is another one, as behind another minifier, the run goes on
 * as before, with one finding; where it asks nothing, and a step goes another way, the run is refused.
 */
import { afterEach, describe, expect, test, vi } from 'vitest';
import { assign, setup } from 'xstate';
import { loadConfig } from '../../src/boundaries/load.ts';
import { memoryStore } from '../../src/index.ts';
import { planMigration } from '../../src/testing/index.ts';
import { resume, type Sidecar } from '../../src/xstate/attach.ts';
import { until } from '../poll.ts';
import { value } from '../semantics/dying.ts';

const { config } = loadConfig('belay: 1\nagent: shop\ntools: {}\nskeletons: {}\n', { file: 'shop.yaml' });

let counted = 0;
const counter = () => {
  counted += 1;
  return counted;
};

/** Code of a release, and the text of another build of it: what each says is the same. */
const CODES: Readonly<Record<string, readonly [() => unknown, () => unknown]>> = {
  'asks the clock for a number': [() => Date.now(), () => 0 + Date.now()],
  'asks the clock for a date': [() => new Date().toISOString(), () => `${new Date().toISOString()}`],
  'asks for chance': [() => Math.random(), () => 0 + Math.random()],
  'asks for a name': [() => crypto.randomUUID(), () => `${crypto.randomUUID()}`],
  'keeps a count outside': [() => counter(), () => 0 + counter()],
};

/** A machine that writes what its code says on `go`, and whose further states may be others. */
function machineOf(code: () => unknown, more: object = {}, last: () => unknown = () => 1) {
  return setup({ actions: { note: assign({ at: code }), last: assign({ last }) } as never }).createMachine({
    id: 'shop',
    context: {} as never,
    initial: 'idle',
    states: {
      idle: { on: { go: { target: 'waiting', actions: 'note' } } },
      waiting: { on: { word: { target: 'over', actions: 'last' } } },
      over: {},
      ...more,
    },
  } as never);
}

/** A run of a machine that has received events, and whose process is gone. */
async function left(machine: object, events: readonly string[]) {
  const journal = memoryStore();
  const sidecar = await opened(machine, journal);
  for (const type of events) expect((await sidecar.send({ type } as never)).is).toBe('taken');
  await sidecar.close();
  return journal;
}

async function opened(machine: object, journal: object, more: object = {}): Promise<Sidecar> {
  const sidecar = (await resume(
    machine as never,
    { run: 'r', config, journal, ...more } as never,
  )) as unknown as Sidecar;
  sidecar.actor.start();
  return sidecar;
}

describe('CO3: a machine that is not pure', () => {
  test.each(Object.entries(CODES))('that %s goes on behind another build, with one finding', async (_, [then, now]) => {
    expect(then.toString()).not.toBe(now.toString());
    const journal = await left(machineOf(then), ['go']);
    const findings: { readonly code: string; readonly text: string }[] = [];
    const onFinding = (finding: { readonly code: string; readonly text: string }) => findings.push(finding);
    const plan = await planMigration({ journal: journal as never, machine: machineOf(now) as never });
    expect(plan.runs).toMatchObject([{ is: 'goes', why: expect.stringMatching(/could not be compared.*step 2 /) }]);
    const next = await opened(machineOf(now), journal, { onFinding });
    expect(findings).toMatchObject([{ code: 'machine_not_pure', text: expect.stringMatching(/step 2 .*"go"/) }]);
    expect((await next.send({ type: 'word' } as never)).is).toBe('taken');
    await until(() => value(next) === 'over');
    await next.close();
    const again = await opened(machineOf(now), journal, { onFinding });
    expect([findings.length, value(again)]).toEqual([1, 'over']);
    await again.close();
  });

  test.each(Object.entries(CODES))('that %s stays where its states are others', async (_, [then, now]) => {
    const journal = await left(machineOf(then), ['go']);
    const other = machineOf(now, { beside: {} });
    await expect(opened(other, journal, { adopt: true })).rejects.toMatchObject({
      code: 'machine_changed',
      message: expect.stringMatching(/step 2 .*clock or chance/),
    });
    const back = await opened(machineOf(then), journal);
    expect(value(back)).toBe('waiting');
    await back.close();
  });

  test('a guard that asked the clock then goes on, whichever way it would go today', async () => {
    const guarded = (guard: () => boolean) =>
      setup({ guards: { isEarly: guard } as never }).createMachine({
        id: 'shop',
        initial: 'idle',
        states: {
          idle: { on: { go: [{ guard: 'isEarly', target: 'early' }, { target: 'late' }] } },
          early: {},
          late: {},
        },
      } as never);
    const deadline = vi.spyOn(Date, 'now').mockReturnValue(0);
    const journal = await left(
      guarded(() => Date.now() < 1_000),
      ['go'],
    );
    deadline.mockRestore();
    const findings: { readonly code: string }[] = [];
    const next = await opened(
      guarded(() => 1_000 > Date.now()),
      journal,
      { onFinding: (finding: { readonly code: string }) => findings.push(finding) },
    );
    expect([value(next), findings.map(({ code }) => code)]).toEqual(['early', ['machine_not_pure']]);
    await next.close();
  });
});

describe('CO3: a step that asks nothing and goes another way', () => {
  test('is refused, also where an earlier step asked a clock and came to the same', async () => {
    const early = () => (Date.now() > 1 ? 'late' : 'early');
    const journal = await left(machineOf(early), ['go', 'word']);
    const rebuilt = machineOf(
      () => (1 < Date.now() ? 'late' : 'early'),
      {},
      () => 2,
    );
    await expect(opened(rebuilt, journal)).rejects.toMatchObject({
      code: 'machine_changed',
      message: expect.stringMatching(/step 3 \(event "word"\): the key last/),
    });
  });

  test('is refused where the code asks nothing at all', async () => {
    const journal = await left(
      machineOf(() => 1),
      ['go'],
    );
    await expect(
      opened(
        machineOf(() => 2),
        journal,
      ),
    ).rejects.toMatchObject({ code: 'machine_changed' });
  });
});

describe('the clock and chance while they are watched', () => {
  afterEach(() => vi.restoreAllMocks());

  test('are the same objects again afterwards', async () => {
    const own = [Date, Math.random, performance.now, crypto.randomUUID, crypto.getRandomValues];
    const at = Object.getOwnPropertyDescriptor(globalThis, 'Date');
    const journal = await left(
      machineOf(() => Date.now()),
      ['go'],
    );
    let made: unknown;
    const machine = machineOf(() => {
      made = [new Date(5).getTime(), new Date() instanceof Date, typeof Date(), Date.UTC(1970, 0)];
      return 1;
    });
    await (await opened(machine, journal)).close();
    expect(made).toEqual([5, true, 'string', 0]);
    expect([Date, Math.random, performance.now, crypto.randomUUID, crypto.getRandomValues]).toEqual(own);
    expect(Object.getOwnPropertyDescriptor(globalThis, 'Date')).toEqual(at);
  });
});
