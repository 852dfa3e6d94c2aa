/** Contexts, events and names that no journal and no config expects: each is a finding with its place or a typed error. */

import { expect, test } from 'vitest';
import { assign, fromPromise, setup } from 'xstate';
import { loadConfig } from '../../src/boundaries/load.ts';
import type { JournalStore } from '../../src/journal/journal.ts';
import { memoryStore } from '../../src/journal/memory/store.ts';
import { instanceName } from '../../src/model/instance.ts';
import { SidecarError } from '../../src/sidecar/sidecar-error.ts';
import { attach, resume } from '../../src/xstate/attach.ts';

const { config } = loadConfig(
  `
belay: 1
agent: odd
tools:
  look: { reads: [], writes: [value], effect: none }
skeletons:
  Work:
    entity: memory.name
    states: [working]
    entry: [working]
    outputs: [value]
    commit:
      - { id: done, at: working, when: 'memory.?value.hasValue()' }
    rollback: { anchors: [done] }
`,
  { file: 'odd.yaml' },
);
if (config === null) throw new Error('the config does not load');
const reviewed = config;

/** A machine that takes a value into its memory when it is told to. */
function machine(name: string, value: unknown) {
  return setup({
    types: { context: {} as { name: string; value?: unknown } },
    actors: { look: fromPromise(async () => 1) },
  }).createMachine({
    id: 'odd',
    context: { name },
    initial: 'idle',
    states: {
      idle: { on: { go: 'working' } },
      working: { on: { take: { actions: assign({ value: () => value }) }, end: 'over' } },
      over: { type: 'final' },
    },
  });
}

async function taken(name: string, value: unknown, journal: JournalStore = memoryStore()) {
  const findings: { code: string; text: string }[] = [];
  const sidecar = await attach(machine(name, value), {
    run: 'r',
    config: reviewed,
    journal,
    onFinding: (finding) => findings.push(finding),
  });
  sidecar.actor.start();
  sidecar.actor.send({ type: 'go' });
  sidecar.actor.send({ type: 'take' });
  const { status } = sidecar.actor.getSnapshot();
  await sidecar.close();
  return { findings, status, journal };
}

const cycle: Record<string, unknown> = { deep: { a: 1 } };
cycle.self = cycle;
let deep: unknown = 0;
for (let n = 0; n < 20_000; n += 1) deep = { deep };
const getter = Object.defineProperty({}, 'trap', {
  enumerable: true,
  get: () => {
    throw new Error('never asked');
  },
});
class Own {
  readonly a = 1;
}

test.each([
  ['a function', { f: () => 1 }, 'memory value/f cannot be journaled: function'],
  ['a symbol', { s: Symbol('s') }, 'memory value/s cannot be journaled: symbol'],
  ['a cycle', cycle, 'memory value/self cannot be journaled: cycle'],
  ['an object of a class', { own: new Own() }, 'memory value/own cannot be journaled: class'],
  ['a getter', getter, 'memory value/trap cannot be journaled: accessor'],
  ['a nesting of 20,000', deep, /^memory value\/deep.* cannot be journaled: too deep$/],
  ['ten megabytes', 'x'.repeat(10 * 1024 * 1024), 'memory value cannot be journaled: too large'],
])('a memory with %s goes on, is told with its place, and certifies nothing', async (_, value, text) => {
  const { findings, status } = await taken('it', value);
  expect(status).toBe('active');
  const lost = findings.find(({ code }) => code === 'no_codec');
  expect(lost?.text).toEqual(typeof text === 'string' ? text : expect.stringMatching(text));
});

test('a boundary after such a value does not certify, and says why', async () => {
  const journal = memoryStore();
  const findings: { code: string; text: string }[] = [];
  const options = {
    run: 'r',
    config: reviewed,
    journal,
    onFinding: (finding: { code: string; text: string }) => findings.push(finding),
  };
  const sidecar = await attach(machine('it', { f: () => 1 }), options);
  sidecar.actor.start();
  for (const type of ['go', 'take', 'take'] as const) sidecar.actor.send({ type });
  await sidecar.close();
  expect(findings.filter(({ code }) => code === 'not_certified').map(({ text }) => text)).toContainEqual(
    expect.stringContaining('cannot be journaled'),
  );
});

test('a run whose memory cannot be made again is not taken up: the place is named', async () => {
  const { journal } = await taken('it', { f: () => 1 });
  const again = resume(machine('it', 1), { run: 'r', config: reviewed, journal });
  await expect(again).rejects.toThrow(SidecarError);
  await expect(resume(machine('it', 1), { run: 'r', config: reviewed, journal })).rejects.toMatchObject({
    code: 'memory_lost',
    message: expect.stringContaining('value/f'),
  });
});

test.each([
  ['colons', 'a::b', 'Work::a%3A%3Ab::0'],
  ['a NUL', 'a\0b', 'Work::a\0b::0'],
  ['nothing', '', 'Work::::0'],
])('an entity with %s is one instance and prints like no other', async (_, name, printed) => {
  const journal = memoryStore();
  const { findings } = await taken(name, 1, journal);
  const entered = [...journal.read('r')].map(({ body }) => body).join('\n');
  expect(entered).toContain(JSON.stringify(JSON.stringify(['Work', name, 0])));
  expect(instanceName({ skeleton: 'Work', entity: name, ordinal: 0 })).toBe(printed);
  expect(findings.filter(({ code }) => code !== 'not_certified')).toEqual([]);
});

test.each([
  ['a lone surrogate', 'a\ud800'],
  ['a megabyte', 'x'.repeat(1024 * 1024)],
  ['no text', 7 as unknown as string],
])('an entity with %s begins nothing, and says so', async (_, name) => {
  const { findings, status } = await taken(name, 1);
  expect(status).toBe('active');
  expect(findings.map(({ code }) => code)).toContain('entity_unknown');
});

test('a machine that is not the one of the config, or has changed since, is refused', async () => {
  const other = setup({}).createMachine({ id: 'other', initial: 'a', states: { a: {} } });
  await expect(attach(other, { run: 'r', config: reviewed })).rejects.toMatchObject({ code: 'other_agent' });
  const { journal } = await taken('it', 1);
  const changed = setup({}).createMachine({
    id: 'odd',
    initial: 'idle',
    states: { idle: { on: { go: 'working' } }, working: {} },
  });
  await expect(resume(changed, { run: 'r', config: reviewed, journal })).rejects.toMatchObject({
    code: 'machine_changed',
  });
});

test('a config with errors is refused with each of them and its place', async () => {
  const bad = loadConfig('belay: 1\nagent: odd\nskeletons: { W: { states: 3 } }\n', { file: 'bad.yaml' });
  expect(bad.config).toBeNull();
  await expect(attach(machine('it', 1), { run: 'r', config: 'nowhere/bad.yaml' })).rejects.toMatchObject({
    code: 'config_refused',
    message: expect.stringContaining('nowhere/bad.yaml'),
  });
});

test('a run that is there is not begun again, one that is held not shared, and one that is over says how it ended', async () => {
  const journal = memoryStore();
  const held = await attach(machine('it', 1), { run: 'r', config: reviewed, journal });
  await expect(resume(machine('it', 1), { run: 'r', config: reviewed, journal })).rejects.toMatchObject({
    code: 'lease_held',
  });
  held.actor.start();
  for (const type of ['go', 'end'] as const) held.actor.send({ type });
  expect((await held.finished()).status).toBe('done');
  await held.close();
  await expect(attach(machine('it', 1), { run: 'r', config: reviewed, journal })).rejects.toMatchObject({
    code: 'run_exists',
  });
  const over = await resume(machine('it', 1), { run: 'r', config: reviewed, journal });
  over.actor.start();
  expect([over.status, await over.finished(), over.actor.getSnapshot().value]).toEqual([
    'done',
    { status: 'done' },
    'over',
  ]);
  await over.close();
});

test('a memory that is changed in place is seen by verify, at the boundary, with its place', async () => {
  const inPlace = setup({
    types: { context: {} as { name: string; value: number; deep: { n: number } } },
    actions: {
      change: ({ context }) => {
        context.deep.n += 1;
      },
    },
  }).createMachine({
    id: 'odd',
    context: { name: 'it', value: 1, deep: { n: 0 } },
    initial: 'idle',
    states: { idle: { on: { go: 'working' } }, working: { on: { take: { actions: ['change'] } } } },
  });
  const told = async (verify: boolean) => {
    const findings: string[] = [];
    const options = {
      run: 'r',
      config: reviewed,
      verify,
      onFinding: ({ text }: { text: string }) => findings.push(text),
    };
    const sidecar = await attach(inPlace, options);
    sidecar.actor.start();
    sidecar.actor.send({ type: 'go' });
    sidecar.actor.send({ type: 'take' });
    await sidecar.close();
    return findings.filter((text) => text.includes('changed in place'));
  };
  expect(await told(false)).toEqual([]);
  expect(await told(true)).toEqual([expect.stringContaining('changed in place at deep/n')]);
});
