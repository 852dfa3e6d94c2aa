/** PA11: an act that stands and that the machine left without its answer is named, once, and only where it stands. */
import { describe, expect, test } from 'vitest';
import { memoryStore } from '../../src/index.ts';
import { gathered } from '../../src/journal/gathered.ts';
import { ledgersOf } from '../../src/reports/index.ts';
import { attach, resume } from '../../src/xstate/index.ts';
import { unlessItHangs, until } from '../poll.ts';
import { MortalStore } from '../simulation/mortal-store.ts';
import { calls, configOf, held, machineOf, run, World } from './little.ts';

const UNIT = {
  TEXT: { states: ['opening', 'translating'], at: 'translating -> telling', writes: ['text'] },
};
const UNDOABLE = 'effect: compensable, undo: un, reconcile: find, timeout: 2s';

/** opening; translating; telling; end. SKIP leaves the translation while it is under way; */
function agent(effect = UNDOABLE, units: Parameters<typeof configOf>[1] = UNIT) {
  const world = new World();
  const [act, rest] = [held<string>(), held<string>()];
  const machine = machineOf(
    { translate: world.tool('translate', () => act.promise), tell: world.tool('tell', () => rest.promise) },
    {
      initial: 'opening',
      states: {
        opening: { always: 'translating' },
        translating: {
          on: { SKIP: 'telling' },
          ...calls('translate', 'text', 'telling'),
        },
        telling: calls('tell', 'said', 'end'),
        end: { type: 'final' },
      },
    },
  );
  const config = configOf({ translate: `writes: [text], ${effect}`, tell: 'writes: [said], effect: none' }, units);
  return { world, act, rest, machine, config };
}

/** Such a run, and the keys of the acts that its findings name. */
async function begun(of = agent()) {
  const found: unknown[] = [];
  const onFinding = (finding: { readonly code: string; readonly effect?: string; readonly text: string }) => {
    if (finding.code === 'left_standing') found.push(finding);
  };
  const journal = memoryStore();
  const reconcilers = { find: () => ({ is: 'unknown' }) };
  const it = await run(of.machine, of.config, { journal, undo: of.world.undo, reconcilers, onFinding } as never);
  await until(() => of.world.count('translate') === 1);
  const [key] = of.world.keys('translate') as [string];
  return { ...of, it, found, key, journal };
}

describe('PA11: an act that was left', () => {
  test('and that happens behind its machine is named by tool and key, once, in the ledger and in the ending', async () => {
    const { act, rest, it, found, key, journal } = await begun();
    it.send('SKIP');
    act.resolve('text');
    await until(() => found.length > 0);
    rest.resolve('said');
    expect(await it.ending()).toMatchObject({ status: 'done', standing: [key] });
    expect(found).toMatchObject([
      { effect: key, instance: { skeleton: 'TEXT' }, text: expect.stringContaining(`translate (${key})`) },
    ]);
    const { effects } = ledgersOf(await gathered(journal.read('r')), Date.now());
    expect(effects).toMatchObject([{ key, status: 'confirmed', left: true }]);
    await it.sidecar.close();
  });

  test('is named at the end of the run where it belongs to no unit', async () => {
    const { act, rest, it, found, key } = await begun(
      agent(UNDOABLE, { SAID: { states: ['telling'], at: 'telling -> end', writes: ['said'] } }),
    );
    it.send('SKIP');
    act.resolve('text');
    rest.resolve('said');
    expect(await it.ending()).toMatchObject({ status: 'done', standing: [key] });
    expect(found).toMatchObject([{ effect: key }]);
    await it.sidecar.close();
  });

  test('is not named where its answer is received, where it has not happened, or where a person undid it', async () => {
    const wanted = await begun();
    wanted.act.resolve('text');
    wanted.rest.resolve('said');
    expect(await wanted.it.ending()).toEqual({ status: 'done', output: undefined });
    const failing = await begun();
    failing.it.send('SKIP');
    failing.act.reject(new Error('lost'));
    failing.rest.resolve('said');
    expect((await failing.it.ending()).status).toBe('parked');
    await failing.it.sidecar.settle(failing.key, 'failed');
    expect(await failing.it.ending()).toEqual({ status: 'done', output: undefined });
    const undone = await begun();
    undone.it.send('SKIP');
    undone.act.resolve('text');
    await until(() => undone.found.length > 0);
    await undone.it.sidecar.settle(undone.key, 'compensated');
    undone.rest.resolve('said');
    expect(await undone.it.ending()).toEqual({ status: 'done', output: undefined });
    expect([wanted.found, failing.found, undone.found.length]).toEqual([[], [], 1]);
  });

  test('is among what a cancelled run leaves', async () => {
    const { act, it, found, key } = await begun();
    it.send('SKIP');
    act.resolve('text');
    await until(() => found.length > 0);
    await it.sidecar.cancel({ by: 'ann' });
    expect(await it.ending()).toMatchObject({ status: 'cancelled', standing: [key] });
  });

  test('is named once, whichever append its process dies at', async () => {
    let deaths = 0;
    for (let append = 1; ; append += 1) {
      const { world, act, rest, machine, config } = agent();
      const store = new MortalStore([{ append, when: 'after' }]);
      let isDead = false;
      store.onDeath = () => {
        isDead = true;
      };
      const find = () => (world.count('translate') > 0 ? { is: 'applied', output: 'text' } : { is: 'not_applied' });
      const options = async () => {
        return { run: 'r', config, journal: await store.next('r'), undo: world.undo, reconcilers: { find } } as never;
      };
      const first = await Promise.race([attach(machine, await options()), until(() => isDead).then(() => null)]);
      if (first !== null) {
        first.actor.start();
        await until(() => isDead || world.count('translate') === 1);
        if (!isDead) first.actor.send({ type: 'SKIP' } as never);
        act.resolve('text');
        rest.resolve('said');
        await Promise.race([first.finished(), until(() => isDead)]);
        first.actor.stop();
      }
      if (!isDead) break;
      deaths += 1;
      const next = await resume(machine, await options());
      next.actor.start();
      const { value } = next.actor.getSnapshot() as { value: unknown };
      if (value === 'translating') next.actor.send({ type: 'SKIP' } as never);
      const ending = await unlessItHangs(next.finished(), () => `hangs after ${append}`);
      await next.durable();
      const findings = [...(await gathered((await store.next('r')).read('r')))].filter(({ kind }) => kind === 12);
      const named = findings.filter(({ body }) => body.includes('left_standing')).length;
      expect([append, 'standing' in ending ? 1 : 0]).toEqual([append, named]);
      await next.close().catch(() => {});
    }
    expect(deaths).toBeGreaterThan(4);
  });
});
