/** `belay steer --dry`: the answer that an act on an event would have, from the journal, the machine and the config of the run. */
import { type SteerAnswer, workClient } from '../../workers/client.ts';
import { actIn, type SteerOptions } from '../messages/steering.ts';
import type { Problem } from '../run/run.ts';
import { layOut, type Medium } from '../terminal/terminal.ts';
import { type AgentOptions, answerAsObject, answerOutline, type Placed, section, withAgent } from './preview.ts';

/** Makes the preview of an act on an event. A run that takes no such act is a problem of code 1. */
export async function previewSteer(said: SteerOptions, of: AgentOptions): Promise<Placed<SteerAnswer> | Problem> {
  const { journal, run, by, why } = said;
  const act = actIn(said);
  if ('problem' in act) return act;
  return withAgent({ journal, run, ...of }, (store, agent) =>
    workClient(store).preview(run, { ...act.act, by, ...(why !== null && { why }) }, agent),
  );
}

/** A preview of an act as one object. */
export function steerFields(run: string, { answer, waits, place: _, ...more }: Placed<SteerAnswer>): object {
  const names = waits.map(({ name, type, by }) => ({ name, type, by }));
  return { run, dry: true, ...more, answer: answer === null ? null : answerAsObject(answer), waits: names };
}

/** A preview of an act in words. */
export function steerText(
  run: string,
  { event, act, is, why, answer, waits, place }: Placed<SteerAnswer>,
  medium: Medium,
): string {
  const text = {
    done: 'nothing was left for the run; this is what the act would come to',
    same: 'nothing was left for the run; the act changes nothing',
    refused: `nothing was left for the run; the act would be refused: ${why}`,
  }[is];
  const waiting = waits.map(({ name, type, by }) => `${name} (${type}${by === null ? '' : `, ${by}`})`);
  const head = { label: run, text, under: section('Events that wait for their senders by now', waiting) };
  const texts = answer === null ? [] : [layOut(`${act} ${event}`, answerOutline(answer, place), medium)];
  return [layOut(null, head, medium), ...texts].join('\n');
}
