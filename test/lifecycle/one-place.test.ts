/** LC1: outside of `sidecar/lifecycle/` nothing keeps a state of the run; what looks like it is listed here, each with what it is. */
import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { QUESTIONS } from '../../src/sidecar/lifecycle/table.ts';

const ROOT = new URL('../../src/sidecar/', import.meta.url).pathname;
const FILES = readdirSync(ROOT, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));
const OUTSIDE = FILES.filter((name) => !name.startsWith('lifecycle'));
const textOf = (name: string) => readFileSync(`${ROOT}${name}`, 'utf8');

/** Fields that are yes or no, and controllers: each says of something smaller than the run that it is under way. */
const FLAGS: Readonly<Record<string, string>> = {
  'attempts/attempting.ts #isLooking': 'a loop in itself',
  'attempts/attempting.ts #isOwed': 'a loop in itself',
  'calls/calls.ts AbortController': 'one wait for one call',
  'calls/claiming.ts AbortController': 'the wait for keys of other runs, which the store makes',
  'calls/pooling.ts AbortController': 'the wait for room in a pool, which other runs make',
  'calls/under-way.ts AbortController': 'one call',
  'commits/announcing.ts #isOver': 'the last look at the end, a loop in itself',
  'commits/announcing.ts #isOwed': 'a loop in itself',
  'failures/losers.ts #isUnder': 'a place in the queue of recoveries',
  'failures/run-ending.ts #isTold': 'the promise of `finished()`',
  'mandates/mandates.ts #isTold': 'the promise of `finished()`',
  'reuse.ts #isBetween': 'a turn of others between two claims',
  'reuse.ts #isScheduled': 'a microtask',
  'run/cancelling.ts #isEnding': 'a loop in itself',
  'run/choosing.ts #isDue': 'a microtask',
  'run/deliveries.ts #isHandingOn': 'a loop in itself',
  'run/ending.ts #isOwed': 'the same',
  'run/ending.ts #isTrying': 'a loop in itself',
  'run/messages.ts #isSending': 'a loop in itself',
};

/** Files that read in the journal that a run has ended, or that a person ends or pauses it: what each makes of it. */
const READS: Readonly<Record<string, string>> = {
  'approvals/refusals.ts': 'the text of a refusal',
  'approvals/inbox.ts': 'listens no more',
  'bases/basing.ts': 'a run that has ended keeps no base',
  'commits/announcing.ts': 'tells nothing more',
  'run/owing.ts': 'tells of nothing more that is due',
  'failures/complaints.ts': 'the text of a refusal',
  'failures/ended-by-person.ts': 'who ends it, and why',
  'failures/retrying.ts': 'a message that comes to a run that has ended',
  'failures/told-outcomes.ts': 'the text of a refusal',
  'mandates/mandates.ts': 'the texts of refusals; a run that has ended loses no mandate',
  'opening/adopt-run.ts': 'a run that is not moved to another release',
  'opening/cancelled.ts': 'a run that is taken up only to be ended',
  'opening/commands.ts': 'the refusal of a preview',
  'opening/preview-run.ts': 'the refusal of a preview',
  'opening/fork-run.ts': 'the refusal of a fork',
  'opening/held-to-release.ts': 'a run that no release has to serve any more',
  'opening/open-run.ts': 'the way in which a run is taken up',
  'run/cancelling.ts': 'a cancel that was taken',
  'run/deliveries.ts': 'what comes to a machine at its end',
  'run/ending.ts': 'the end of a machine that comes after that of its run',
  'run/messages.ts': 'the text of a refusal',
  'run/pauses.ts': 'the texts of refusals',
  'run/rest.ts': 'what is left of a run that has ended',
  'run/run.ts': 'how it has ended; a cancel that goes on',
  'run/sent-complaints.ts': 'the text of a refusal',
  'run/sent-outcomes.ts': 'a message that comes to a run that has ended',
  'writing.ts': 'what a run that is over has in pools',
};

test('what the journal says of the end of a run is read outside where it is told, not where it is asked what may happen', () => {
  const reads =
    /asked\.(?:cancelled|paused)|runState\.ended|\{ asked, ended \}|ended \} = (?:this\.#port\.)?(?:parts\.)?runState/;
  const found = OUTSIDE.filter((name) => reads.test(textOf(name)));
  expect(found.toSorted()).toEqual(Object.keys(READS).toSorted());
});

test('no field outside says how the run stands', () => {
  const found = OUTSIDE.flatMap((name) => {
    const fields = [...textOf(name).matchAll(/^ {2}(?:readonly )?(#is[A-Z]\w*) ?[=:]/gm)].map(([, field]) => field);
    const controllers = textOf(name).includes('new AbortController') ? ['AbortController'] : [];
    return [...fields, ...controllers].map((one) => `${name} ${one}`);
  });
  expect([...new Set(found)].toSorted()).toEqual(Object.keys(FLAGS).toSorted());
});

test('each question of the table is asked in the product', () => {
  const asked = OUTSIDE.map(textOf).join('\n');
  const asks = (question: string) =>
    new RegExp(`\\b(?:may|waits|until|past|answer|whenever|mayAnswerItself)\\('${question}'`).test(asked);
  expect(Object.keys(QUESTIONS).filter((question) => !asks(question))).toEqual([]);
});
