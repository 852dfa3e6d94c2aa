/** Random commands in random order, in every state of a run: nothing is done twice or lost, and no command is ignored. */
import { expect, test } from 'vitest';
import { campaign } from './campaign.ts';

const RUNS = 120;

/** What has to be met so often, so that the sequences say something about each command. */
const MET: Readonly<Record<string, number>> = {
  'fail taken': 60,
  'fail refused: bad_failure': 15,
  'fail refused: closed journal_closed': 3,
  'fail refused: run_finished': 2,
  'misname refused: bad_failure': 20,
  'settle taken': 12,
  'settle already so': 5,
  'settle refused: bad_settlement': 30,
  'undo taken': 25,
  'answer taken': 15,
  'answer refused: answered': 50,
  'rerun taken': 1,
  'rerun refused: not_advised': 40,
  'reconcile taken': 15,
  'resume taken': 40,
  'given while parked': 50,
  'given while recovering': 5,
  'given while done': 8,
  'ended done': 80,
  // What a preview has said of a complaint has come.
  'foreseen: restore': 12,
  'foreseen: restore_joint': 5,
  'foreseen: escalate': 4,
  'foreseen: rerun': 1,
  'foreseen: refused bad_failure': 8,
  'foreseen: refused stuck': 1,
};

test(`${RUNS} runs under random commands do nothing twice, lose nothing and ignore no command`, async () => {
  const { tally, failure } = await campaign(RUNS, 15);
  expect(failure).toBeNull();
  const seldom = Object.entries(MET).filter(([what, least]) => (tally.counts[what] ?? 0) < least);
  expect(seldom.map(([what]) => [what, tally.counts[what] ?? 0])).toEqual([]);
});
