import { describe, expect, test } from 'vitest';
import { loadConfig } from '../../src/boundaries/load.ts';
import { memoryStore } from '../../src/journal/memory/store.ts';
import type { Policy } from '../../src/model/decision.ts';
import { DECISION_POLICY } from '../../src/recovery/decision-policy.ts';
import type { Report } from '../../src/sidecar/report.ts';
import { attach, attachJudged, resume } from '../../src/xstate/attach.ts';
import { VirtualTime } from '../virtual-time.ts';
import type { Toy } from './toy-parts.ts';
import { TOYS } from './toys.ts';
import { FAULTS, type Fault, World } from './world.ts';

const SITES: Record<Fault, readonly string[]> = {
  before: ['look', 'send'],
  after: ['look', 'send'],
  timeout: ['look', 'send'],
  assign: ['keepFound'],
  guard: ['sure'],
};

const time = new VirtualTime();
/** A test whose timers fire when nothing else is left to do: a tool that is silent takes no time of the clock. */
const held =
  <Args extends unknown[]>(work: (...args: Args) => Promise<void>) =>
  (...args: Args) =>
    time.during(() => work(...args));

function configOf(toy: Toy) {
  const { config, findings } = loadConfig(toy.config, { file: `${toy.name}.yaml` });
  expect(findings.filter(({ severity }) => severity === 'error')).toEqual([]);
  if (config === null) throw new Error('the config does not load');
  return config;
}

async function run(toy: Toy, world: World, policy: Policy = 'line') {
  const reports: Report[] = [];
  const options = {
    run: 'r',
    config: configOf(toy),
    redeliver: true,
    reconcilers: { ask: world.ask },
    onDecision: (report: Report) => reports.push(report),
  };
  const policies = { ...DECISION_POLICY, policy };
  const { actor, finished, close } = await attachJudged(toy.machine(world), options, policies);
  actor.start();
  actor.send({ type: 'go' });
  const ending = await finished();
  const { value, context } = actor.getSnapshot();
  await close();
  return { ending, value, context, reports };
}

describe.each(TOYS)('$name', (toy) => {
  for (const fault of FAULTS) {
    for (const site of SITES[fault]) {
      test(
        `ends as if nothing had failed: ${fault}, at ${site}`,
        held(async () => {
          const calm = new World();
          const expected = await run(toy, calm);
          expect(expected.ending.status).toBe('done');
          expect(expected.reports).toEqual([]);
          const world = new World(fault, site);
          const { ending, value, context, reports } = await run(toy, world);
          expect(world.tripped).toBe(true);
          expect(reports.map(({ decision }) => decision.verdict)).toHaveLength(1);
          expect(ending.status).toBe('done');
          expect({ value, context, acts: world.acts }).toEqual({
            value: expected.value,
            context: expected.context,
            acts: calm.acts,
          });
          expect(reports.flatMap(({ movedInputs }) => movedInputs)).toEqual([]);
        }),
      );
    }
  }
});

test.each(TOYS)(
  '$name: the other policies end there too, where they admit',
  held(async (toy) => {
    const calm = new World();
    const expected = await run(toy, calm);
    for (const policy of ['static', 'dart'] as const) {
      for (const fault of FAULTS) {
        const world = new World(fault, SITES[fault][0]);
        const { ending, context, reports } = await run(toy, world, policy);
        expect(reports).toHaveLength(1);
        if (ending.status !== 'done') continue;
        expect({ policy, fault, context, acts: world.acts }).toEqual({
          policy,
          fault,
          context: expected.context,
          acts: calm.acts,
        });
      }
    }
  }),
);

test(
  'a promise in a region that is kept runs once',
  held(async () => {
    const toy = TOYS.find(({ name }) => name === 'parallel regions') as Toy;
    for (const fault of FAULTS) {
      const world = new World(fault, SITES[fault][0]);
      await run(toy, world);
      expect(world.looks.filter((site) => site === 'aside')).toEqual(['aside']);
    }
  }),
);

test.each(TOYS)('$name: a process that ends anywhere is taken up where it ended', async (toy) => {
  const calm = new World();
  const expected = await run(toy, calm);
  for (let stopAt = 1; stopAt < 12; stopAt += 1) {
    const world = new World();
    const store = memoryStore();
    const options = { run: 'r', config: configOf(toy), journal: store, reconcilers: { ask: world.ask } };
    const first = await attach(toy.machine(world), options);
    let seen = 0;
    const reached = new Promise<void>((resolve) =>
      first.actor.subscribe({ next: () => (++seen >= stopAt ? resolve() : undefined), complete: resolve }),
    );
    first.actor.start();
    first.actor.send({ type: 'go' });
    await reached;
    await first.close();
    if (first.status === 'done') break;
    const second = await resume(toy.machine(world), options);
    second.actor.start();
    const { status } = await second.finished();
    expect(status).toBe('done');
    expect({ context: second.actor.getSnapshot().context, acts: world.acts }).toEqual({
      context: expected.context,
      acts: calm.acts,
    });
    await second.close();
  }
});
