/** Random commands in random order, in every state of a run: nothing is done twice or lost, and no command is ignored. */
import { expect, test } from 'vitest';
import { campaign } from './campaign.ts';

const RUNS = 200;

/** What has to be met so often, so that the sequences say something about each command. */
const MET: Readonly<Record<string, number>> = {
  'fail taken': 100,
  'fail refused: bad_failure': 20,
  'fail refused: closed journal_closed': 5,
  'fail refused: run_finished': 5,
  'misname refused: bad_failure': 50,
  'settle taken': 40,
  'settle already so': 10,
  'settle refused: bad_settlement': 50,
  'undo taken': 40,
  'answer taken': 20,
  'answer refused: answered': 40,
  'rerun taken': 3,
  'rerun refused: not_advised': 40,
  'reconcile taken': 20,
  'resume taken': 100,
  'given while parked': 100,
  'given while recovering': 10,
  'given while done': 20,
  'ended done': 150,
};

test(`${RUNS} runs under random commands do nothing twice, lose nothing and ignore no command`, {
  timeout: 300_000,
}, async () => {
  const { tally, failure } = await campaign(RUNS, 15);
  expect(failure).toBeNull();
  const seldom = Object.entries(MET).filter(([what, least]) => (tally.counts[what] ?? 0) < least);
  expect(seldom.map(([what]) => [what, tally.counts[what] ?? 0])).toEqual([]);
});
