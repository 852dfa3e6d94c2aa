/** C12: what a complaint would come to is told before it is made, and nothing moves for that. (Drawn runs: `test/commands/foreseeing.ts`.) */
import { describe, expect, test } from 'vitest';
import { type ComplaintPreview, instanceName, memoryStore, type PreviewedComplaint } from '../../src/index.ts';
import { workClient } from '../../src/workers/client.ts';
import { resume } from '../../src/xstate/index.ts';
import { entriesOf } from '../journal/entries-of.ts';
import { until } from '../poll.ts';
import { calls, configOf, type Given, machineOf, run, World } from './little.ts';

const TOOLS = {
  look: 'writes: [looked], effect: none',
  book: 'reads: [looked], writes: [booked], effect: compensable, undo: un, reconcile: find, timeout: 5s',
  pay: 'reads: [booked], writes: [paid], effect: irreversible',
};
const UNITS = {
  LOOK: { states: ['look'], at: 'look -> book', writes: ['looked'] },
  BOOK: {
    states: ['book'],
    at: 'book -> between',
    writes: ['booked'],
    reads: ['looked'],
    rollback: 'compensable: undo',
  },
  PAY: { states: ['pay'], at: 'pay -> rest', writes: ['paid'], reads: ['booked'] },
};

function parts(world: World) {
  const machine = machineOf(
    { look: world.tool('look'), book: world.tool('book'), pay: world.tool('pay') },
    {
      initial: 'look',
      states: {
        look: calls('look', 'looked', 'book'),
        book: calls('book', 'booked', 'between', ['looked']),
        between: { on: { GO: 'pay', END: 'over' } },
        pay: calls('pay', 'paid', 'rest', ['booked']),
        rest: { on: { END: 'over' } },
        over: { type: 'final' },
      },
    },
  );
  return { machine, config: configOf(TOOLS, UNITS) };
}

/** look; book, which is undone; between; pay, which is not; rest. */
async function shop() {
  const world = new World();
  const { machine, config } = parts(world);
  const journal = memoryStore();
  const brought = {
    undo: { un: (call: { key: string }) => world.undo.un(call) },
    reconcilers: { find: () => ({ is: 'not_applied' }) as const },
  };
  const it = await run(machine, config, { journal, ...brought });
  await it.at('between');
  await it.sidecar.durable();
  const rows = async () => JSON.stringify([...journal.read('r')]);
  return { ...it, world, machine, config, journal, brought, rows };
}

const complaint = (skeleton: string, key?: string): PreviewedComplaint => ({
  signal: 'CONTRACT_VIOLATION',
  instance: { skeleton, entity: 'it' },
  ...(key !== undefined && { key }),
});
const names = (ids: ComplaintPreview['answers'][number]['stands']) => ids.map(instanceName);
const only = ({ answers }: ComplaintPreview) => {
  expect(answers).toHaveLength(1);
  return answers[0] as ComplaintPreview['answers'][number];
};

describe('C12: the preview of a complaint', () => {
  test('says what goes back, what is undone in the world and what is kept, and the complaint then does that', async () => {
    const it = await shop();
    const before = await it.rows();
    const foreseen = await it.sidecar.preview({ fail: complaint('BOOK', 'booked') });
    const { is, decision, back, undo, stands, blocks, acts } = only(foreseen);
    expect([is, decision?.verdict, foreseen.waitsFor, blocks, acts]).toEqual(['decided', 'restore', null, [], []]);
    expect(back.map(({ instance }) => instance.skeleton)).toContain('BOOK');
    expect(undo.map(({ tool }) => tool)).toEqual(['book']);
    expect(names(stands)).toEqual(['LOOK::it::0']);
    expect([await it.rows(), it.world.undone, it.reports, it.sidecar.status]).toEqual([before, [], [], 'running']);
    await it.wrong('BOOK', 'booked');
    expect(it.reports[0]?.decision).toEqual(decision);
    expect(it.world.undone).toEqual(it.world.keys('book').slice(0, 1));
  });

  test('says what blocks, with its witness, and the smallest act that would unblock it', async () => {
    const it = await shop();
    it.send('GO');
    await it.at('rest');
    const { decision, blocks, acts, back, stands } = only(await it.sidecar.preview({ fail: complaint('PAY', 'paid') }));
    expect([decision?.verdict, back]).toEqual(['escalate', []]);
    expect(blocks.map(({ code }) => code)).toContain('irreversible_effect_policy');
    expect(acts).toMatchObject([{ act: 'undo_by_hand', effect: { tool: 'pay' } }]);
    expect(names(stands)).toEqual(['LOOK::it::0', 'BOOK::it::0', 'PAY::it::0']);
    // It is not parked: nothing was said.
    expect(it.sidecar.status).toBe('running');
    await it.wrong('PAY', 'paid');
    expect(it.reports[0]?.decision).toEqual(decision);
  });

  test('of a parked run counts what else is found wrong, and names the complaint whose place it takes', async () => {
    const it = await shop();
    it.send('GO');
    await it.at('rest');
    await it.wrong('PAY', 'paid');
    expect(it.sidecar.status).toBe('parked');
    const again = await it.sidecar.preview({ fail: { ...complaint('LOOK', 'looked'), instead: true } });
    expect(again.replaces).toEqual([{ skeleton: 'PAY', entity: 'it' }]);
    expect((await it.sidecar.preview({ fail: complaint('LOOK', 'looked') })).replaces).toEqual([]);
    expect((await it.sidecar.preview({ fail: complaint('PAY', 'paid') })).replaces).toHaveLength(1);
    expect(it.sidecar.status).toBe('parked');
    await it.sidecar.fail('CONTRACT_VIOLATION', { instance: again.replaces[0] as never, key: 'paid', instead: true });
    expect(it.reports).toHaveLength(2);
  });

  test('of work that is undone already says that nothing moves, and takes no answer out of service', async () => {
    const world = new World();
    const journal = memoryStore();
    const machine = machineOf(
      { look: world.tool('look'), note: world.tool('note') },
      {
        initial: 'look',
        states: {
          look: calls('look', 'looked', 'which'),
          which: {
            always: [{ guard: ({ context }: Given<string>) => context.looked === 'look0', target: 'note' }, 'rest'],
          },
          note: calls('note', 'noted', 'rest', ['looked']),
          rest: {},
        },
      },
    );
    const config = configOf(
      { look: TOOLS.look, note: 'reads: [looked], writes: [noted], effect: idempotent' },
      {
        LOOK: { states: ['look'], at: 'look -> which', writes: ['looked'], rollback: 'joint: [NOTE]' },
        NOTE: { states: ['note'], at: 'note -> rest', writes: ['noted'], reads: ['looked'] },
      },
    );
    const it = await run(machine, config, { journal });
    await it.at('rest');
    await it.wrong('LOOK', 'looked');
    await until(
      () => it.context().looked === 'look1',
      () => JSON.stringify([it.context(), it.codes()]),
    );
    await it.sidecar.durable();
    const rows = () => [...journal.read('r')];
    const before = rows();
    const fail = complaint('NOTE');
    expect((await it.sidecar.preview({ fail })).answers).toEqual([]);
    expect((await workClient(journal).preview('r', { fail }, { machine, config })).answers).toEqual([]);
    expect(rows()).toEqual(before);
    await it.wrong('NOTE');
    await it.sidecar.durable();
    const written = entriesOf(rows()).slice(entriesOf(before).length);
    expect(written).toMatchObject([{ do: 'dismissed', why: 'undone_before', wrong: world.keys('note') }]);
  });

  test('of a paused run says that the complaint is answered behind the pause', async () => {
    const it = await shop();
    await it.sidecar.pause({ by: 'ann' });
    const { waitsFor, answers } = await it.sidecar.preview({ fail: complaint('BOOK', 'booked') });
    expect([waitsFor, answers[0]?.decision?.verdict]).toEqual(['the end of the pause', 'restore']);
    await it.sidecar.unpause({ by: 'ann' });
    expect((await it.sidecar.preview({ fail: complaint('BOOK', 'booked') })).waitsFor).toBeNull();
  });

  test.each([
    ['a skeleton that the config does not have', complaint('BUY'), 'bad_failure'],
    ['work that never began', complaint('PAY'), 'bad_failure'],
    ['a key that it never wrote', complaint('BOOK', 'looked'), 'bad_failure'],
    ['a signal that is none', { ...complaint('BOOK'), signal: 'OUCH' as never }, 'bad_failure'],
    ['the place of a complaint where none waits', { ...complaint('BOOK'), instead: true }, 'bad_failure'],
  ])('of %s is refused as the complaint is', async (_, fail, code) => {
    const it = await shop();
    await expect(it.sidecar.preview({ fail })).rejects.toMatchObject({ code });
    await expect(it.sidecar.fail(fail.signal, fail)).rejects.toMatchObject({ code });
    const client = workClient(it.journal);
    await expect(client.preview('r', { fail }, it)).rejects.toMatchObject({ code });
  });

  test('of a run that is over, stuck or given back is refused as the complaint is', async () => {
    const over = await shop();
    over.send('END');
    await over.ending();
    await over.sidecar.durable();
    const fail = complaint('BOOK', 'booked');
    const finished = { code: 'run_finished' };
    await expect(over.sidecar.preview({ fail })).rejects.toMatchObject(finished);
    await expect(workClient(over.journal).preview('r', { fail }, over)).rejects.toMatchObject(finished);
    await over.sidecar.close();
    await expect(over.sidecar.preview({ fail })).rejects.toMatchObject({ code: 'journal_closed' });

    const stuck = await shop();
    stuck.world.undo.un = () => {
      throw new Error('the desk is closed');
    };
    await stuck.wrong('BOOK', 'booked');
    expect(stuck.sidecar.status).toBe('stuck');
    await expect(stuck.sidecar.preview({ fail })).rejects.toMatchObject({ code: 'stuck' });
    await stuck.sidecar.durable();
    await expect(workClient(stuck.journal).preview('r', { fail }, stuck)).rejects.toMatchObject({ code: 'stuck' });
  });
});

describe('C12: the preview of a run that another process has, or none', () => {
  test('is that of the process, and leaves nothing for the run', async () => {
    const it = await shop();
    const client = workClient(it.journal);
    const before = await it.rows();
    for (const fail of [complaint('BOOK', 'booked'), complaint('LOOK', 'looked'), complaint('LOOK')])
      expect(await client.preview('r', { fail }, it)).toEqual(await it.sidecar.preview({ fail }));
    expect([await it.rows(), await client.messages('r')]).toEqual([before, []]);
    await it.sidecar.close();
    const fail = complaint('BOOK', 'booked');
    const foreseen = only(await client.preview('r', { fail }, it));
    const reports: unknown[] = [];
    const next = await resume(it.machine, {
      run: 'r',
      config: it.config,
      journal: it.journal,
      ...it.brought,
      onDecision: ({ decision }) => void reports.push(decision),
    });
    next.actor.start();
    await next.fail(fail.signal, fail);
    expect(reports).toEqual([foreseen.decision]);
    await next.close();
  });

  test('is refused where the machine or the config is another one, and where there is no such run', async () => {
    const it = await shop();
    const client = workClient(it.journal);
    const what = { fail: complaint('BOOK') };
    const config = configOf({ ...TOOLS, pay: 'writes: [paid], effect: irreversible' }, UNITS);
    await expect(client.preview('r', what, { ...it, config })).rejects.toMatchObject({ code: 'config_changed' });
    const machine = machineOf({}, { initial: 'look', states: { look: {} } });
    await expect(client.preview('r', what, { ...it, machine })).rejects.toMatchObject({ code: 'machine_changed' });
    await expect(client.preview('q', what, it)).rejects.toMatchObject({ code: 'run_unknown' });
  });
});
