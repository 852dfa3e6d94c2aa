/** The published status of a run, and the party that it waits for: functions of its state (semantics.md LC3, LC4). */
import type { Configuration } from './table.ts';

/** The published state of a run. */
export type RunStatus =
  | 'opening'
  | 'running'
  | 'recovering'
  | 'paused'
  | 'parked'
  | 'stuck'
  | 'ending'
  | 'cancelling'
  | 'tried'
  | 'leaving'
  | 'waits'
  | 'broken'
  | 'over';

/** The word for a run: of those that fit, the first. */
export function statusOf({ hold, will, question, machine, commit, pause, attempt, mandate }: Configuration): RunStatus {
  const words: readonly (readonly [boolean, RunStatus])[] = [
    [hold === 'broken', 'broken'],
    [will === 'finishing' || will === 'over', 'over'],
    [pause === 'on', 'paused'],
    [question === 'stuck', 'stuck'],
    [question === 'parked' || commit === 'owed', 'parked'],
    [hold === 'none', 'waits'],
    [hold === 'leaving', 'leaving'],
    [question !== 'clear', 'recovering'],
    [attempt === 'waiting', 'tried'],
    [will === 'cancelling' || will === 'aborting', 'cancelling'],
    [mandate === 'wanted', 'parked'],
    [will === 'ending', 'ending'],
    [hold === 'opening' || machine === 'asleep', 'opening'],
  ];
  return words.find(([fits]) => fits)?.[1] ?? 'running';
}

/** The party that a run waits for. `isNext`: once a process holds it again. */
export interface Waited {
  readonly for: 'worker' | 'process' | 'program' | 'person' | 'counterparty' | 'area' | 'choice' | 'verdict' | 'event';
  readonly what: string;
  readonly isNext?: true;
}

/** The parties that a run waits for where nothing of it moves by itself. */
export function waitsFor(configuration: Configuration): readonly Waited[] {
  const { hold, will, question, machine, commit, pause, verdict } = configuration;
  if (will === 'over') return [];
  const asked = askedOf(configuration);
  if (hold === 'none') {
    const next = asked.map((one) => ({ ...one, isNext: true as const }));
    return [{ for: 'worker', what: 'that takes it' }, ...next];
  }
  if (hold === 'broken') return [{ for: 'process', what: 'another one, which takes the run' }];
  const waited = [...asked];
  if (machine === 'asleep' && (will === 'unbegun' || will === 'going'))
    waited.push({ for: 'program', what: 'start()' });
  if (commit === 'publishing' && question !== 'carrying' && question !== 'stuck')
    waited.push({ for: 'area', what: 'the commit becomes visible' });
  const isStill =
    question === 'clear' && commit === 'quiet' && machine === 'awake' && pause === 'off' && verdict === 'none';
  if (waited.length === 0 && hold === 'held' && isStill)
    waited.push({ for: 'event', what: 'a call, a timer or an event' });
  return waited;
}

function askedOf({ question, commit, pause, attempt, mandate, verdict, will }: Configuration): Waited[] {
  const waited: Waited[] = [];
  if (pause === 'on') waited.push({ for: 'person', what: 'unpause' });
  if (question === 'stuck') waited.push({ for: 'person', what: 'the undo, or reconcile' });
  if (question === 'parked') waited.push({ for: 'person', what: 'the acts of the decision' });
  if (question === 'asking') waited.push({ for: 'counterparty', what: 'asked at its time' });
  if (commit === 'owed') waited.push({ for: 'person', what: 'settle the commit' });
  if (mandate === 'wanted' && will !== 'cancelling' && will !== 'aborting')
    waited.push({ for: 'person', what: 'another mandate' });
  if (verdict === 'awaited') waited.push({ for: 'verdict', what: 'of a judge, or of a person who reviews' });
  if (attempt === 'waiting') waited.push({ for: 'choice', what: 'keep' });
  return waited;
}
