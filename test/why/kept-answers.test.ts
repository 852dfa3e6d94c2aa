/** WH3, C10, C11: which answers of a tool that decides are kept for a replay of its unit, and what they stand in the way of. */
import { expect, test } from 'vitest';
import { memoryStore } from '../../src/index.ts';
import { entriesOf } from '../../src/journal/entries.ts';
import { gathered } from '../../src/journal/gathered.ts';
import { calm, until } from '../poll.ts';
import { calls, configOf, machineOf, run, World } from '../semantics/little.ts';
import { DECIDES } from './trip.ts';

/** An answer that is given by hand. */
function byHand() {
  let give = (_answer: string) => {};
  const answer = new Promise<string>((resolve) => {
    give = resolve;
  });
  return { answer, give: (value: string) => give(value) };
}

/** Look; then, as one unit, prepare, choose and book. Each answer of `prepare` is the same. */
function errand({
  prepare = [] as unknown[],
  choose = ['SQ1', 'TR9', 'LH3'] as unknown[],
  looks = ['look0', 'look0'],
} = {}) {
  const world = new World();
  const machine = machineOf(
    {
      look: world.tool('look', ({ nth }) => looks[nth]),
      prepare: world.tool('prepare', ({ nth }) => prepare[nth] ?? 'ready'),
      choose: world.tool('choose', ({ nth }) => choose[nth]),
      book: world.tool('book', ({ input, nth }) => `${String(input.choice)} booked ${nth}`),
    },
    {
      initial: 'looking',
      states: {
        looking: calls('look', 'asked', 'preparing'),
        preparing: calls('prepare', 'ready', 'choosing', ['asked']),
        choosing: calls('choose', 'choice', 'booking', ['asked', 'ready']),
        booking: calls('book', 'booking', 'resting', ['choice']),
        resting: { on: { close: 'end' } },
        end: { type: 'final' },
      },
    },
  );
  const config = configOf(
    {
      look: 'writes: [asked], effect: none',
      prepare: 'reads: [asked], writes: [ready], effect: none',
      choose: DECIDES.replace('[asked]', '[asked, ready]'),
      book: 'reads: [choice], writes: [booking], effect: reversible, undo: un, reconcile: find',
    },
    {
      LOOK: { states: ['looking'], at: 'looking -> preparing', writes: ['asked'], rollback: 'joint: [TRIP]' },
      TRIP: {
        states: ['preparing', 'choosing', 'booking'],
        at: 'booking -> resting',
        writes: ['booking', 'choice', 'ready'],
        reads: ['asked'],
      },
    },
  );
  const reconcilers = { find: () => ({ is: 'not_applied' }) as const };
  const store = memoryStore();
  const findings: string[] = [];
  const onFinding = ({ code, text }: { code: string; text: string }) => void findings.push(`${code}: ${text}`);
  const started = () => run(machine, config, { journal: store, undo: world.undo, reconcilers, onFinding } as never);
  return { world, started, findings, store };
}

test('WH3, C10: a second complaint about the unit, before it has asked again, finds the kept answer wrong, too', async () => {
  const again = byHand();
  const { world, started } = errand({ prepare: ['ready', again.answer] });
  const it = await started();
  await it.at('resting');
  await it.wrong('TRIP', 'booking');
  await until(() => world.count('prepare') === 2);
  await it.wrong('TRIP');
  again.give('ready');
  await until(() => world.count('book') === 2);
  await it.at('resting');
  expect([world.count('choose'), it.context().choice]).toEqual([2, 'TR9']);
});

test('WH3, C11: an answer that comes after its unit went back is kept for no replay', async () => {
  const [late, again] = [byHand(), byHand()];
  const { world, started, store } = errand({ prepare: ['ready', again.answer], choose: [late.answer, 'TR9'] });
  const it = await started();
  await until(() => world.count('choose') === 1);
  await it.wrong('TRIP');
  await until(() => world.count('prepare') === 2);
  late.give('SQ1');
  await calm();
  again.give('ready');
  await it.at('resting');
  expect([world.count('choose'), it.context().choice]).toEqual([2, 'TR9']);
  await it.sidecar.close();
  const rows = [...(await gathered(store.read('r')))];
  const answers = [...entriesOf(rows)].flatMap(({ entry }) =>
    entry.do === 'outcome' && 'output' in entry ? [entry.output] : [],
  );
  expect(answers).toEqual(['TR9', 'TR9 booked 0']);
});

test('WH3, E7: a decision that no replay takes over is no act that its unit would have to take over', async () => {
  const { world, started, findings } = errand({ looks: ['look0', 'look1'] });
  const it = await started();
  await it.at('resting');
  await it.wrong('LOOK', 'asked');
  await until(
    () => world.count('book') === 2,
    () => it.sidecar.status,
  );
  await it.at('resting');
  expect([world.count('choose'), it.context().booking, it.codes(), findings]).toEqual([2, 'TR9 booked 1', [], []]);
});

test('WH3, C10: a decision stands where another answer of its unit, of a tool that has no ledger, is found wrong', async () => {
  const { world, started } = errand();
  const it = await started();
  await it.at('resting');
  await it.wrong('TRIP', 'ready');
  await until(() => world.count('book') === 2);
  await it.at('resting');
  expect([world.count('prepare'), world.count('choose'), it.context().choice]).toEqual([2, 1, 'SQ1']);
});
