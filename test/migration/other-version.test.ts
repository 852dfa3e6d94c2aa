/** CO4: a call of a version that the tool of now does not take is irreversible, and the undo of now is not its own. */
import { expect, test } from 'vitest';
import { memoryStore, type Report } from '../../src/index.ts';
import { attach, resume, type Sidecar } from '../../src/xstate/index.ts';
import { until } from '../poll.ts';
import { configOf, machineOf, type Release } from './little.ts';
import { World } from './world.ts';

const value = ({ actor }: Sidecar) => (actor.getSnapshot() as { value: unknown }).value;

/** A run pays under one version, waits, and is taken up under another; then its payment is found wrong. */
async function foundWrongUnder(pay: NonNullable<Release['pay']>) {
  const world = new World();
  const journal = memoryStore();
  const undone: string[] = [];
  const refund = ({ key }: { key: string }) => {
    undone.push(key);
    world.undo(key);
  };
  const before: Release = { effect: 'reversible' };
  const verdicts: string[] = [];
  const onDecision = ({ decision }: Report) => void verdicts.push(decision.verdict);
  const options = (release: Release) =>
    ({ run: 'r', journal, config: configOf(release), undo: { refund }, adopt: true, onDecision }) as never;
  const first = (await attach(machineOf(before, world) as never, options(before))) as unknown as Sidecar;
  first.actor.start();
  first.actor.send({ type: 'go' } as never);
  await until(() => value(first) === 'waiting');
  await first.close();
  const now: Release = { ...before, pay };
  const next = (await resume(machineOf(now, world) as never, options(now))) as unknown as Sidecar;
  next.actor.start();
  await until(() => value(next) === 'waiting');
  await next.fail('CONTRACT_VIOLATION', { instance: { skeleton: 'Pay', entity: 'it' } });
  await until(() => next.status === 'parked' || (undone.length > 0 && value(next) === 'waiting'));
  await next.close();
  return { verdict: verdicts[0], undone: undone.length, standing: world.standing('pay') };
}

test.each([
  [
    'that the tool takes is undone and made again',
    { version: '2', takes: ['1'] },
    { verdict: 'restore', undone: 1, standing: 1 },
  ],
  [
    'that it does not take stands, and a person is asked',
    { version: '2' },
    { verdict: 'escalate', undone: 0, standing: 1 },
  ],
])('CO4: a call of a version %s', async (_, pay, ends) => {
  expect(await foundWrongUnder(pay)).toMatchObject(ends);
});

test('CO4: a run whose call of another version is under way stays, and says which', async () => {
  const world = new World();
  const journal = memoryStore();
  const options = { run: 'r', journal, config: configOf({}), adopt: true } as never;
  world.hold = 'pay';
  const first = (await attach(machineOf({}, world) as never, options)) as unknown as Sidecar;
  first.actor.start();
  first.actor.send({ type: 'go' } as never);
  await until(() => world.standing('pay') === 1);
  await first.close();
  await expect(resume(machineOf({ pay: { version: '2' } }, world) as never, options)).rejects.toThrow(
    /pay is under way .* by version 1, which this release does not take/,
  );
  expect(world.standing('pay')).toBe(1);
});
