/** The verb `notify`: tells a webhook which runs of a store need a person, until it is told to stop. */
import { readFileSync } from 'node:fs';
import type { JournalStore } from '../../journal/journal.ts';
import type { ListedNotice } from '../../journal/notices.ts';
import { CodedError } from '../../model/coded-error.ts';
import { type Looking, lookingFor, type NotifyingOptions, type NotifyTold } from '../../workers/notifying.ts';
import { webhook } from '../../workers/webhook.ts';
import { movesOn } from '../explain/moves.ts';
import { openJournal } from '../reading/journal-key.ts';
import { journalProblem, reading, type Told } from '../reading/reading.ts';
import type { Problem } from '../run/run.ts';
import { note } from '../terminal/console.ts';
import { printable } from '../terminal/printable.ts';
import { stopSignal } from '../terminal/stopping.ts';
import { table } from '../terminal/table.ts';
import type { Medium } from '../terminal/terminal.ts';
import { ageText, count } from '../terminal/wording.ts';

/** The environment variable that may hold the secret of the signatures. */
export const SECRET_VARIABLE = 'BELAY_WEBHOOK_SECRET';

/** Options of `notify`. */
export interface NotifyOptions {
  readonly journal: string;
  readonly url: string;
  /** The file of the secret; null for the environment variable. */
  readonly secretFile: string | null;
  /** True to send messages without a signature. */
  readonly unsigned: boolean;
  readonly channel: string;
  readonly queue: string;
  readonly poll: number;
  /** True to look once, to send what is due, and to end. */
  readonly once: boolean;
  readonly json: boolean;
}

/** The counts of a process that has stopped. `left`: the messages that wait to be sent again. */
export interface Notified {
  readonly sent: number;
  readonly failed: number;
  readonly left: number;
}

/** Tells a webhook, until the process is told to stop. @returns a problem where it cannot begin. */
export async function notify(options: NotifyOptions): Promise<Problem | Notified> {
  const { journal, url, channel, queue, poll, once, json } = options;
  const secret = secretOf(options);
  if (secret !== null && 'problem' in secret) return secret;
  const counts = { sent: 0, failed: 0 };
  const say = (told: object, text: string) =>
    process.stdout.write(json ? `${JSON.stringify(told)}\n` : `${printable(text)}\n`);
  const onTold = (told: NotifyTold) => {
    if (told.is === 'sent') counts.sent += 1;
    if (told.is === 'put_off') counts.failed += 1;
    tell(told, say);
  };
  let store: JournalStore | null = null;
  try {
    const send = webhook({ url, secret: secret?.secret ?? null });
    // A place that is not there is a name that was typed wrong: nothing is made there.
    await (await openJournal(journal, { readonly: true })).close();
    store = await openJournal(journal);
    const commands: NotifyingOptions['commands'] = (cause, timeline, held) =>
      movesOn({ run: cause.run, held, ...timeline }, journal).map((move) => move.command);
    const looking = lookingFor({ store, notify: send, channel, queue, pollMs: poll, commands, onTold });
    if (once) return await onceOf(looking, counts);
    looking.start();
    say({ is: 'notifying', pid: process.pid, channel }, `process ${process.pid} tells channel ${channel}`);
    await stopSignal();
    await looking.stop();
    const left = (await store.notices?.list(channel)) ?? [];
    return { ...counts, left: left.filter(({ due }) => due !== null).length };
  } catch (error) {
    if (error instanceof CodedError && error.code === 'bad_argument') return { problem: error.message };
    return { problem: journalProblem(journal, error) };
  } finally {
    await store?.close().catch((error: unknown) => note(journalProblem(journal, error)));
  }
}

/** Looks once. */
async function onceOf(looking: Looking, counts: Omit<Notified, 'left'>): Promise<Notified> {
  const left = await looking.once().finally(() => looking.stop());
  return { ...counts, left };
}

function tell(told: NotifyTold, say: (told: object, text: string) => void): void {
  switch (told.is) {
    case 'sent': {
      const { id, type, data, text } = told.notice;
      say({ is: 'sent', id, type, run: data.run, code: data.code }, `told: ${text}`);
      break;
    }
    case 'put_off': {
      const { id, type, data } = told.notice;
      const again = Math.ceil(told.again / 1_000);
      const text = `${data.run}: not told: ${told.why}; again in ${count(again, 'second')}`;
      say({ is: 'put_off', id, type, run: data.run, code: data.code, why: told.why, again }, text);
      break;
    }
    case 'unread':
      note(`${told.run}: cannot be read: ${told.code}`);
      break;
    case 'store_failed': {
      const why = told.error instanceof Error ? told.error.message : String(told.error);
      note(`the store cannot be asked, and is asked again: ${why.split('\n')[0]}`);
    }
  }
}

/** The secret that was given; null for messages without a signature. */
function secretOf({ secretFile, unsigned }: NotifyOptions): { readonly secret: string } | Problem | null {
  const given = secretFile === null ? (process.env[SECRET_VARIABLE] ?? '') : null;
  if (unsigned) {
    if (secretFile === null) return null;
    return { problem: '--unsigned sends no signature, and --secret-file is for one: name one of the two' };
  }
  if (given === '')
    return {
      problem: `no secret: --secret-file FILE or ${SECRET_VARIABLE} signs the messages, and --unsigned sends them without a signature`,
    };
  try {
    return { secret: given ?? readFileSync(secretFile as string, 'utf8') };
  } catch (error) {
    return { problem: `the secret cannot be read: ${(error as Error).message}` };
  }
}

/** Lists the causes that are open, or whose messages wait. */
export async function listNotices(
  journal: string,
  { channel, json, medium, now }: { channel: string | null; json: boolean; medium: Medium; now: number },
): Promise<Told> {
  return reading(journal, async (store) => {
    const all = (await store.notices?.list(channel)) ?? [];
    if (json) return all.map((each) => `${JSON.stringify(fields(each, now))}\n`);
    if (all.length === 0) return ['no run that anyone was told of needs a person\n'];
    const rows = all.map((each) => [
      each.channel,
      each.run,
      standsText(each),
      ageText(each.since, now),
      each.error ?? '',
    ]);
    return [table(COLUMNS, rows, medium)];
  });
}

const COLUMNS = ['CHANNEL', 'RUN', 'STANDS', 'SINCE', 'LAST ERROR'].map((name) => ({ name, cut: true }));

function standsText({ over, told, due, tries }: ListedNotice): string {
  const is = over === null ? 'open' : 'over';
  if (due === null) return `${is}, told`;
  const message = over === null ? 'not told yet' : 'its end is not told yet';
  return `${is}, ${told === null || over !== null ? message : 'told'}${tries === 0 ? '' : `, ${count(tries, 'try', 'tries')}`}`;
}

function fields({ since, over, due, ...notice }: ListedNotice, now: number): object {
  const iso = (time: number | null) => (time === null ? null : new Date(time).toISOString());
  return { ...notice, since: iso(since), over: iso(over), due: iso(due === null ? null : now + due) };
}
