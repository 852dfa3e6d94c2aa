/** C10 to C13 in graphs: answers that were wrong, calls in flight, complaints, and advice that the world has overtaken. */
import { describe, expect, test } from 'vitest';
import { graphOf, line, once } from './little.ts';

describe('C10: the answer that was found wrong is not served again', () => {
  test('an idempotent tool is asked again under the same key', async () => {
    const it = await graphOf({ look: { tool: 'effect: idempotent' }, tell: {} }, line('look', 'tell'), {
      held: ['tell'],
      answers: { look: once },
    });
    await it.world.at('tell');
    await it.wrong('look');
    expect(await it.ends()).toEqual({ look_is: 'good', tell_is: 'tell0' });
    const [first, ...others] = it.world.keys('look');
    expect(others).toEqual([first]);
  });
});

describe('C11: a call in flight whose control is undone is dropped', () => {
  test('a payment under way is aborted, its counterparty is asked, and it is made once', async () => {
    const pay = 'effect: irreversible, reconcile: find, timeout: 5s';
    const it = await graphOf({ look: {}, pay: { tool: pay, reads: ['look_is'] } }, line('look', 'pay'), {
      held: ['pay'],
      answers: { look: once },
    });
    await it.world.at('pay');
    await it.wrong('look');
    expect(await it.ends()).toEqual({ look_is: 'good', pay_is: 'pay0' });
    expect([it.world.asked.length, it.world.acts.at(-1)]).toEqual([
      1,
      expect.objectContaining({ input: { look_is: 'good' } }),
    ]);
  });
});

describe('C12: a complaint is about a version', () => {
  const looking = () =>
    graphOf({ look: {}, tell: {} }, line('look', 'tell'), { held: ['tell'], answers: { look: once } });

  test('one that is made twice is answered once, and what is right by now stays', async () => {
    const it = await looking();
    await it.world.at('tell');
    await Promise.all([it.wrong('look'), it.wrong('look')]);
    expect(await it.ends()).toEqual({ look_is: 'good', tell_is: 'tell0' });
    expect(it.world.count('look')).toBe(2);
  });

  test('one about a unit or a key that there is not is refused, and nothing goes back', async () => {
    const it = await looking();
    await it.world.at('tell');
    await expect(it.wrong('lok')).rejects.toMatchObject({ code: 'bad_failure' });
    await expect(it.wrong('tell')).rejects.toMatchObject({ code: 'bad_failure' });
    expect(await it.ends()).toEqual({ look_is: 'bad', tell_is: 'tell0' });
  });
});

describe('C13: an answer holds only at the journal head at which it was given', () => {
  /** The booking has read what is found wrong, and nobody may cross its promise: a rerun is advised. */
  async function advised() {
    const state = { moved: null as string | null, undone: [] as string[] };
    const un = { undo: ({ key }: { key: string }) => void state.undone.push(key), moved: () => state.moved };
    const book = { tool: 'effect: reversible, undo: un', reads: ['look_is'] };
    const it = await graphOf({ look: {}, book, tell: {} }, line('look', 'book', 'tell'), {
      held: ['tell'],
      answers: { look: once },
      undo: { un } as never,
    });
    await it.world.at('tell');
    await it.wrong('look');
    await expect(it.going).rejects.toMatchObject({ code: 'run_parked' });
    expect(it.verdicts()).toEqual(['rerun']);
    return { it, state };
  }

  test('advice that is still right is carried out', async () => {
    const { it, state } = await advised();
    await it.run.rerun();
    expect(await it.ends()).toMatchObject({ look_is: 'good', book_is: 'book1' });
    expect([state.undone.length, it.world.acts.findLast(({ tool }) => tool === 'book')?.input]).toEqual([
      1,
      { look_is: 'good' },
    ]);
  });

  test('advice that the world has overtaken is not: the other answer is shown, and nothing is done', async () => {
    const { it, state } = await advised();
    state.moved = 'the room was given to another guest';
    await it.run.rerun();
    expect([it.verdicts(), state.undone, it.world.count('look')]).toEqual([['rerun', 'escalate'], [], 1]);
    expect(await it.ends()).toMatchObject({ code: 'run_parked' });
  });
});
