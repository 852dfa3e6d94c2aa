/** Wording that the verbs about runs share: the status of a run, a time, and a command to type. */

import { instanceName } from '../../model/instance.ts';
import { quoted } from '../../recovery/explain.ts';
import { compensatedText, leftText } from '../../reports/ended-text.ts';
import type { LeftAtEnd } from '../../reports/left-at-end.ts';
import type { RunStatus } from '../../reports/run-status.ts';
import { handleText, type SandboxReport } from '../../reports/sandboxes.ts';
import type { Wait } from '../../reports/waits.ts';
import { keyWords } from '../reading/key-file.ts';
import { JOURNAL, placeWords } from '../reading/place.ts';
import { printable } from './printable.ts';

/** The status of a run, in few words. `held` is true if a living process holds it. */
export function statusText(standing: RunStatus, held: boolean): string {
  switch (standing.is) {
    case 'done': {
      const left = leftText(standing);
      return left === null ? 'done' : `done, ${left}`;
    }
    case 'cancelled':
      return 'cancelled';
    case 'compensated':
      return compensatedText(standing);
    case 'paused':
      return `paused by ${standing.by}`;
    case 'parked':
      return `parked (${standing.verdict})`;
    case 'stuck':
      return 'stuck';
    case 'recovering':
      return held ? 'recovering' : 'recovery unfinished';
    case 'waiting':
      return `${held ? 'running' : 'at rest'}, waits for ${count(standing.approvals, 'approval')}`;
    case 'open':
      return held ? 'running' : 'at rest';
  }
}

/** The same for a program. */
export function statusFields(standing: RunStatus, held: boolean): object {
  return {
    standing: standing.is,
    ...('verdict' in standing && { verdict: standing.verdict }),
    ...('approvals' in standing && { approvals: standing.approvals }),
    ...(standing.is === 'done' && leftCounts(standing)),
    held,
  };
}

function leftCounts({ unpublished, unanswered, untaken }: Extract<RunStatus, { is: 'done' }>): object {
  return { ...(unpublished && { unpublished }), ...(unanswered && { unanswered }), ...(untaken && { untaken }) };
}

/** Says in words which held calls a run has not made, which complaints it has not answered, and which events it has not taken: a sentence for each. */
export function leftSentences(left: LeftAtEnd): string[] {
  const { unpublished = [], standing = [], unanswered = [], untaken = [], unannounced = [], broken = [] } = left;
  const calls = unpublished.map((key) => `${quoted(key)} was held back for a commit that never came, and was not made`);
  const acts = standing.map((key) => `${quoted(key)} stands, and the run went on without its answer`);
  const complaints = unanswered.map(({ instance, key, by, refused }) => {
    const { skeleton, entity, ordinal } = instance;
    const about = `${key === null ? '' : `${quoted(key)} of `}${skeleton} about ${quoted(entity)}`;
    const which = ordinal === undefined ? about : `${about} (${ordinal})`;
    return `the complaint of ${JSON.stringify(by)} about ${which} was not answered: ${refused}`;
  });
  const events = untaken.map(({ event, by, post }) => {
    const of = `${by === null ? '' : ` of ${JSON.stringify(by)}`}${post === null ? '' : ` (message ${post})`}`;
    return `the event ${quoted(event)}${of} came and was never taken`;
  });
  const commits = unannounced.map(({ instance, boundary }) => {
    return `the program was not told of the commit ${quoted(boundary)} of ${quoted(instanceName(instance))}`;
  });
  const owed = broken.map(({ name, tool, keptBy }) => {
    return `${quoted(name)}, which ${quoted(tool)} took on, is not kept: no call of ${quoted(keptBy)} has kept it`;
  });
  return [...calls, ...acts, ...complaints, ...events, ...commits, ...owed];
}

/** The time that has passed since a time, in its two largest units: `3d 4h`, `12m`, `5s`. */
export function ageText(since: number, now: number): string {
  const seconds = Math.max(0, Math.floor((now - since) / 1_000));
  const [days, hours, minutes] = [
    Math.floor(seconds / 86_400),
    Math.floor(seconds / 3_600) % 24,
    Math.floor(seconds / 60) % 60,
  ];
  if (days > 0) return hours === 0 ? `${days}d` : `${days}d ${hours}h`;
  if (hours > 0) return minutes === 0 ? `${hours}h` : `${hours}h ${minutes}m`;
  return minutes > 0 ? `${minutes}m` : `${seconds}s`;
}

/** The waits of a run, for a program. */
export function waitFields(waits: readonly Wait[]): object[] {
  return waits.map((wait) => ({ ...wait, since: wait.since === null ? null : new Date(wait.since).toISOString() }));
}

/** A time to the second, in UTC. */
export function timeText(time: number): string {
  return `${new Date(time).toISOString().slice(0, 19)}Z`;
}

/** A command about a run, or about a gate, ready to type. A name that looks like an option stands last, behind `--`. */
export function command(verb: string, run: string, journal: string, ...more: readonly string[]): string {
  const options = [...more, ...placeWords(journal, JOURNAL), ...keyWords()];
  return typed(verb, ...(run.startsWith('-') ? [...options, '--', run] : [run, ...options]));
}

/** A command about all runs of a journal, ready to type. */
export function commandOfAll(verb: string, journal: string, ...more: readonly string[]): string {
  return typed(verb, ...more, ...placeWords(journal, JOURNAL), ...keyWords());
}

function typed(...words: readonly string[]): string {
  return ['belay', ...words].map(word).join(' ');
}

/** A word of a command line, quoted where a shell would change it. */
function word(text: string): string {
  return /^[\w.:@%+=,/-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

/** A number and a noun in the right form. */
export function count(number: number, one: string, many = `${one}s`): string {
  return `${number.toLocaleString('en')} ${number === 1 ? one : many}`;
}

/** A value as JSON; a value without a JSON form as its text or content. */
export function jsonText(value: unknown): string {
  return JSON.stringify(value, plain) ?? 'nothing';
}

/** The text or content of a value that JSON has no form for. */
export function plain(_name: string, value: unknown): unknown {
  if (typeof value === 'bigint') return value.toString();
  if (value instanceof Map) return [...value];
  return value instanceof Set ? [...value] : value;
}

/** Text within a number of characters. */
export function shortened(text: string, most: number): string {
  const characters = [...text];
  return characters.length <= most ? text : `${characters.slice(0, most - 3).join('')}...`;
}

/** Says what became of a sandbox that was due. */
export function sweptText(run: string, name: string, why: string | null): string {
  return why === null ? `${run}: its sandbox ${name} is destroyed` : `${run}: its sandbox ${name} stays: ${why}`;
}

/** The handles of sandboxes, each on a line that is not wrapped: a path is there to be copied. */
export function handleLines(reports: readonly SandboxReport[]): string {
  const known = reports.filter(({ handle }) => handle !== undefined);
  return known.map(({ name, handle }) => `${printable(`  ${name}: ${handleText(handle)}`)}\n`).join('');
}
