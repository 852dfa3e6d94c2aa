/** Prebuilt agents under Belay: a model that says which tools it wants, and tools whose replies are lost, throw or are found wrong later. */
import type { BaseMessage } from '@langchain/core/messages';
import { describe, expect, test } from 'vitest';
import { CLERKS, RIGHT } from './clerk.ts';

describe.each(Object.entries(CLERKS))('an agent of %s', (_, clerk) => {
  test('books and mails once where nothing fails', async () => {
    const { run, desk, last, acts } = await clerk(() => 'answers');
    expect(last(await run.invoke())).toBe(RIGHT);
    expect([[...desk.values()], acts()]).toEqual([['book room', 'mail book room'], 2]);
    await run.close();
  });

  test('a tool whose reply is lost has acted once, and the model reads its answer and no error', async () => {
    const { run, desk, last, acts } = await clerk((name, nth) =>
      name === 'book' && nth === 0 ? 'loses its reply' : 'answers',
    );
    expect(last(await run.invoke())).toBe(RIGHT);
    expect([[...desk.values()], acts()]).toEqual([['book room', 'mail book room'], 2]);
    await run.close();
  });

  test('a tool that throws is called again, and the model reads no error', async () => {
    const { run, last, calls } = await clerk((name, nth) => (name === 'mail' && nth === 0 ? 'throws' : 'answers'));
    expect(last(await run.invoke())).toBe(RIGHT);
    expect(calls).toEqual(['book', 'mail', 'mail']);
    await run.close();
  });

  test('an answer that is found wrong takes the mail that rests on it back, and both are done again', async () => {
    const { run, desk, last, calls } = await clerk((name, nth) =>
      name === 'book' && nth === 0 ? 'is wrong' : 'answers',
    );
    let isTold = false;
    for await (const update of run.stream(null, { streamMode: 'updates' })) {
      const { tools } = update as { readonly tools?: { readonly messages: BaseMessage[] } };
      if (isTold || tools?.messages[0]?.text !== 'mail book something') continue;
      isTold = true;
      const instance = { skeleton: 'Tools', entity: 'it', ordinal: 0 };
      await run.fail('CONTRACT_VIOLATION', { instance, key: 'messages' });
    }
    expect(isTold).toBe(true);
    expect(last(await run.invoke())).toBe(RIGHT);
    expect([...desk.values()]).toEqual(['book room', 'mail book room']);
    expect(calls).toEqual(['book', 'mail', 'book', 'mail']);
    await run.close();
  });
});
