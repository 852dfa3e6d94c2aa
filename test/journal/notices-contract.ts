/** What every store must do with the messages to people: a part of the contract in contract.ts. */
import { expect, test } from 'vitest';
import type { JournalStore } from '../../src/journal/journal.ts';
import type { DueNotice, NoticeBoard, SeenCauses } from '../../src/journal/notices.ts';
import { refused } from './rows-of.ts';

const LEASE = 60_000;
const seen = (head: number, ids: readonly string[], more: Partial<SeenCauses> = {}): SeenCauses => {
  return { channel: 'ops', run: 'a', head, causes: ids.map((id) => ({ id, body: `{"about":"${id}"}` })), ...more };
};
const board = (store: JournalStore) => store.notices as NoticeBoard;
const taken = async (notices: NoticeBoard, lease = LEASE, channel = 'ops') =>
  (await notices.take(channel, 10, lease)).map(({ id, is, round }) => `${is} ${id} ${round}`);
const one = async (notices: NoticeBoard, lease = LEASE): Promise<DueNotice> => {
  const [notice] = await notices.take('ops', 1, lease);
  return notice as DueNotice;
};
const listed = async (notices: NoticeBoard, channel: string | null = 'ops') =>
  (await notices.list(channel)).map(({ id, told, due, over }) => [id, told, due === null, over === null]);

export function noticesContract({ newStore }: { readonly newStore: () => JournalStore }): void {
  test('a cause is told once, however often it is noted, and once that it is over', async () => {
    const notices = board(newStore());
    await notices.note(seen(5, ['x']));
    await notices.note(seen(6, ['x']));
    const needed = await one(notices);
    expect(needed).toMatchObject({ channel: 'ops', id: 'x', run: 'a', is: 'needed', body: '{"about":"x"}', tries: 0 });
    expect(await taken(notices)).toEqual([]);
    await notices.sent(needed);
    await notices.note(seen(7, ['x']));
    expect([await taken(notices), await listed(notices)]).toEqual([[], [['x', 'needed', true, true]]]);
    await notices.note(seen(8, []));
    const resolved = await one(notices);
    expect(resolved).toMatchObject({ id: 'x', is: 'resolved', body: '{"about":"x"}' });
    await notices.sent(resolved);
    expect([await taken(notices), await listed(notices)]).toEqual([[], []]);
  });

  test('what no one was told of, and is over, is not told', async () => {
    const notices = board(newStore());
    await notices.note(seen(5, ['x', 'y']));
    await notices.note(seen(6, ['y']));
    expect(await taken(notices)).toEqual(['needed y 0']);
  });

  test('what may have been delivered is resolved as well', async () => {
    const notices = board(newStore());
    await notices.note(seen(5, ['x']));
    const lost = await one(notices);
    await notices.note(seen(6, []));
    expect(await listed(notices)).toEqual([['x', null, false, false]]);
    await notices.putOff(lost, 0, 'it did not answer in time');
    const [next] = await notices.take('ops', 1, LEASE);
    expect(next).toMatchObject({ is: 'resolved', tries: 1 });
  });

  test('a cause that ends while its message is on its way is resolved behind it', async () => {
    const notices = board(newStore());
    await notices.note(seen(5, ['x']));
    const needed = await one(notices);
    await notices.note(seen(6, []));
    await notices.sent(needed);
    expect(await taken(notices)).toEqual(['resolved x 0']);
  });

  test('a look from before what is noted brings nothing back', async () => {
    const notices = board(newStore());
    await notices.note(seen(5, ['x']));
    await notices.sent(await one(notices));
    await notices.note(seen(9, []));
    await notices.note(seen(7, ['x', 'z']));
    expect(await taken(notices)).toEqual(['resolved x 0']);
    expect(await listed(notices)).toEqual([['x', 'needed', false, false]]);
  });

  test('a cause that comes again after it was over is told again, as another round', async () => {
    const notices = board(newStore());
    await notices.note(seen(5, ['x']));
    await notices.sent(await one(notices));
    await notices.note(seen(6, []));
    await notices.sent(await one(notices));
    await notices.note(seen(7, ['x']));
    expect(await taken(notices)).toEqual(['needed x 1']);
  });

  test('a message that is put off is sent again, and its error is kept', async () => {
    const notices = board(newStore());
    await notices.note(seen(5, ['x']));
    await notices.putOff(await one(notices), 3_600_000, `${'\0refused'.repeat(50)}\ud800`);
    const [row] = await notices.list('ops');
    expect(row).toMatchObject({ tries: 1, told: null });
    expect([row?.error?.includes('refused'), (row?.error?.length ?? 999) <= 200]).toEqual([true, true]);
    expect((row?.due ?? 0) > 3_000_000).toBe(true);
    expect(await taken(notices)).toEqual([]);
  });

  test('a process whose lease has ended changes nothing of the next one', async () => {
    const notices = board(newStore());
    await notices.note(seen(5, ['x']));
    const first = await one(notices, 0);
    const second = await one(notices);
    expect(second.lease > first.lease).toBe(true);
    await notices.sent(first);
    await notices.putOff(first, 0, 'late');
    expect([await listed(notices), await taken(notices)]).toEqual([[['x', null, false, true]], []]);
    await notices.sent(second);
    expect(await listed(notices)).toEqual([['x', 'needed', true, true]]);
  });

  test('channels and runs are apart, and a limit is kept', async () => {
    const notices = board(newStore());
    await notices.note(seen(5, ['x', 'y']));
    await notices.note(seen(1, ['x'], { channel: 'audit' }));
    await notices.note(seen(9, ['z'], { run: 'b' }));
    await notices.note(seen(6, ['x']));
    expect((await notices.take('ops', 1, LEASE)).length).toBe(1);
    expect((await taken(notices)).length).toBe(1);
    expect(await taken(notices, LEASE, 'audit')).toEqual(['needed x 0']);
    expect((await notices.list(null)).length).toBe(3);
  });

  test('a message has at most 64 KiB', async () => {
    const notices = board(newStore());
    const long = seen(5, [], { causes: [{ id: 'x', body: 'é'.repeat(40_000) }] });
    await refused(async () => notices.note(long), 'post_too_large');
    expect(await notices.list(null)).toEqual([]);
  });
}
