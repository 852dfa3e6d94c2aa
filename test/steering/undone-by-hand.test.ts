/** ST7, E8: calls that a person has undone by hand for an act on an event. */
import { describe, expect, test } from 'vitest';
import { memoryStore } from '../../src/index.ts';
import { workClient } from '../../src/workers/client.ts';
import { calm, until } from '../poll.ts';
import { context, Dying, value } from '../semantics/dying.ts';
import { calls, configOf, machineOf, run, World } from '../semantics/little.ts';
import { keeps, over, unit, writer } from './writers.ts';

const by = { by: 'ada' };
const find = () => ({ is: 'not_applied' as const });

/** look; wait BRIEF; draft reads words, or nothing; wait OK */
async function briefed(effect: string, reads: readonly string[] = ['words']) {
  const world = new World();
  const machine = machineOf(
    { look: world.tool('look'), draft: world.tool('draft', ({ input }) => `draft of ${String(input.words)}`) },
    {
      initial: 'look',
      states: {
        look: calls('look', 'seen', 'wait'),
        wait: { on: { BRIEF: { target: 'draft', actions: keeps('words') } } },
        draft: calls('draft', 'text', 'ready', [...reads]),
        ready: { on: { OK: { target: 'over', actions: keeps('ok') } } },
        over,
      },
    },
  );
  const undo = effect === 'reversible' ? ', undo: un' : '';
  const tools = {
    look: 'reads: [], writes: [seen], effect: irreversible',
    draft: `reads: [${reads.join(', ')}], writes: [text], effect: ${effect}, reconcile: find${undo}`,
  };
  const units = { Look: unit('look', 'wait', 'seen'), Draft: unit('draft', 'ready', 'text', reads) };
  const journal = memoryStore();
  const options = { journal, undo: world.undo, reconcilers: { find } } as never;
  const it = await run(machine, configOf(tools, units), options);
  await it.at('wait');
  await it.sidecar.send({ type: 'BRIEF', words: 6000 } as never, { id: 'brief', by: 'ada' });
  await it.at('ready');
  const rows = async () => {
    await it.sidecar.durable();
    return [...(await journal.read('r'))].length;
  };
  return { ...it, world, journal, rows, key: world.keys('draft')[0] as string };
}

describe('an act with what a person has undone by hand', () => {
  test.each(['irreversible', 'idempotent', 'reversible'])(
    'ST7: %s work is in nobody’s way, and is done again',
    async (effect) => {
      const it = await briefed(effect);
      const undone = { undoneByHand: [it.key] };
      const before = await it.rows();
      const act = { revise: 'brief', to: { words: 8000 } };
      expect(await it.sidecar.preview({ ...act, ...undone, ...by })).toMatchObject({ is: 'done', why: null });
      expect([await it.rows(), it.context().words]).toEqual([before, 6000]);
      expect(await it.sidecar.revise('brief', { words: 8000 }, { ...by, ...undone })).toMatchObject({ is: 'done' });
      await it.at('ready');
      expect([it.context(), it.world.undone]).toEqual([{ seen: 'look0', words: 8000, text: 'draft of 8000' }, []]);
      // It is another act, under a key of its own.
      const [, again] = it.world.keys('draft');
      expect([it.world.count('draft'), again === it.key]).toEqual([2, false]);
      it.send('OK');
      expect(await it.ending()).toMatchObject({ status: 'done' });
      await it.sidecar.close();
    },
  );

  test('ST7: work that would be given the same is done again, since its act is gone', async () => {
    const it = await briefed('irreversible', []);
    expect(await it.sidecar.revise('brief', { words: 8000 }, { ...by, undoneByHand: [it.key] })).toMatchObject({
      ...{ is: 'done' },
      answer: { aside: [] },
    });
    await it.at('ready');
    expect([it.world.count('draft'), it.context().words]).toEqual([2, 8000]);
    await it.sidecar.close();
  });

  test('ST7: a refusal names the key, the act with that key is carried out by a message, and the journal has both words', async () => {
    const it = await briefed('irreversible');
    const refused = await it.sidecar.retract('brief', by);
    expect([refused.is, refused.why]).toEqual(['refused', expect.stringContaining(`(--undone): ${it.key}`)]);
    const client = workClient(it.journal);
    const post = await client.steer('r', { retract: 'brief', undoneByHand: [it.key] }, { by: 'ada', why: 'refunded' });
    await it.at('wait');
    await until(async () => (await client.outcome('r', post))?.is === 'taken');
    expect([it.context(), it.world.count('draft')]).toEqual([{ seen: 'look0' }, 1]);
    await it.sidecar.close();
  });

  test('ST7: what the act does not take back, was never made, or would not move is refused, and nothing is taken of the word', async () => {
    const it = await briefed('irreversible');
    const looked = it.world.keys('look')[0] as string;
    const refusals = [
      [{ words: 8000 }, [it.key, looked], /^bad_settlement: look .* no work that the act takes back/],
      [
        { words: 8000 },
        ['belay-none'],
        /^bad_settlement: a call \(belay-none\) was not undone by hand: no call has that key/,
      ],
      [{ words: 6000 }, [it.key], /^bad_settlement: draft .* no work that the act takes back/],
    ] as const;
    for (const [to, undoneByHand, why] of refusals) {
      const before = await it.rows();
      const act = { revise: 'brief', to, undoneByHand };
      const ahead = await it.sidecar.preview({ ...act, ...by });
      const answer = await it.sidecar.revise('brief', to, { ...by, undoneByHand });
      expect([answer.is, answer.why]).toEqual(['refused', expect.stringMatching(why)]);
      expect([ahead.is, ahead.why]).toEqual([answer.is, answer.why]);
      expect([(await it.rows()) - before, it.value(), it.context().words]).toEqual([1, 'ready', 6000]);
    }
    await expect(it.sidecar.revise('brief', {}, { ...by, from: 'here', undoneByHand: [it.key] })).rejects.toThrow(
      TypeError,
    );
    it.send('OK');
    // Its act stands: the run ends with it.
    expect(await it.ending()).toMatchObject({ status: 'done' });
    await it.sidecar.close();
  });

  test.each(['before', 'after'] as const)(
    'ST10, E8: a process that dies %s any append leaves all of it to the next one, or nothing',
    async (when) => {
      let deaths = 0;
      for (let append = 1; append < 14; append += 1) {
        const { world, machine, config } = writer('irreversible');
        const dying = new Dying(machine, config);
        const first = await dying.attached();
        first.actor.start();
        await first.send({ type: 'BRIEF', words: 6000 } as never, { id: 'brief', by: 'ada' });
        await until(() => value(first) === 'ready');
        await first.durable();
        const how = { by: 'ada', id: 'r1', undoneByHand: [world.keys('draft')[0] as string] };
        dying.store.kill({ append: dying.store.appends + append, when });
        void first.revise('brief', { words: 8000 }, how).catch(() => {});
        await until(() => dying.isDead || (world.count('draft') === 2 && value(first) === 'ready'));
        await calm();
        const next = await dying.resumed(first);
        await until(() => value(next) === 'ready' || next.status === 'parked');
        if (next.status !== 'parked') await next.revise('brief', { words: 8000 }, how);
        await until(() => value(next) === 'ready' || next.status === 'parked');
        const parked = next.status === 'parked';
        expect([append, parked, context(next)]).toEqual([append, false, { words: 8000, text: 'draft of 8000' }]);
        await next.close();
        if (!dying.isDead) break;
        deaths += 1;
      }
      expect(deaths).toBeGreaterThan(3);
    },
  );
});
