/**
 * The counterparty: a mail server with a mailbox that outlives it. Mail comes in by SMTP; by HTTP a caller can ask
 * whether a message is here. It answers "no" only once no connection is open any more, so that a "no" is final.
 */
import { createServer } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import Database from 'better-sqlite3';
import PostalMime from 'postal-mime';
import { SMTPServer } from 'smtp-server';
import { portOf } from '../there.ts';

/**
 * The time that a server waits for the one before it to release the mailbox, and that a question waits for open
 * connections, in milliseconds.
 */
const PATIENCE = 10_000;

/** A server that listens. */
export interface Serving {
  readonly smtp: number;
  readonly http: number;
  /** Delivers what it has, and lets go of the mailbox. */
  close(): Promise<void>;
}

/** Serves the mailbox of a folder, once the one before it has let go of it. */
export async function serve(folder: string): Promise<Serving> {
  const mailbox = new Database(join(folder, 'mailbox.sqlite'), { timeout: PATIENCE });
  // One server at a time: what the one before it has accepted is in the mailbox before this one answers anything.
  mailbox.pragma('locking_mode = EXCLUSIVE', { simple: true });
  mailbox.exec('BEGIN EXCLUSIVE');
  mailbox.exec(
    'CREATE TABLE IF NOT EXISTS mail (message_id TEXT NOT NULL, recipient TEXT NOT NULL, meeting TEXT NOT NULL, subject TEXT NOT NULL, body TEXT NOT NULL)',
  );
  mailbox.exec('COMMIT');
  const deliver = mailbox.prepare('INSERT INTO mail VALUES (?, ?, ?, ?, ?)');
  const find = mailbox.prepare<[string], { recipient: string }>(
    'SELECT DISTINCT recipient FROM mail WHERE message_id = ? ORDER BY recipient',
  );
  const everything = mailbox.prepare(
    'SELECT message_id AS messageId, recipient, meeting, subject, body FROM mail ORDER BY rowid',
  );

  const sessions = new Set<string>();
  let closed: (() => void)[] = [];

  /** Waits until every present connection has closed. @returns true if they have. */
  async function alone(): Promise<boolean> {
    const here = [...sessions];
    const until = Date.now() + PATIENCE;
    while (here.some((id) => sessions.has(id))) {
      if (Date.now() > until) return false;
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, 50);
        closed.push(() => {
          clearTimeout(timer);
          resolve();
        });
      });
    }
    return true;
  }

  const smtp = new SMTPServer({
    // Every caller is of this machine.
    disableReverseLookup: true,
    authOptional: true,
    disabledCommands: ['AUTH', 'STARTTLS'],
    closeTimeout: PATIENCE,
    onConnect({ id }, callback) {
      sessions.add(id);
      callback();
    },
    onClose({ id }) {
      sessions.delete(id);
      for (const wake of closed) wake();
      closed = [];
    },
    onData(stream, { envelope }, callback) {
      accept(
        stream,
        envelope.rcptTo.map(({ address }) => address),
      ).then(
        (id) => callback(null, id),
        (error: Error) => callback(error),
      );
    },
  });

  /** All of its recipients get a message, or none. */
  async function accept(stream: NodeJS.ReadableStream, recipients: readonly string[]): Promise<string> {
    const raw = await text(stream);
    const { messageId, subject, text: body, headers } = await PostalMime.parse(raw);
    const meeting = headers.find(({ key }) => key === 'x-meeting')?.value;
    if (messageId === undefined || meeting === undefined)
      throw new Error('a message has a Message-ID and an X-Meeting');
    mailbox.exec('BEGIN IMMEDIATE');
    try {
      for (const recipient of recipients)
        deliver.run(messageId, recipient, meeting, subject ?? '', (body ?? '').trimEnd());
      mailbox.exec('COMMIT');
    } catch (error) {
      mailbox.exec('ROLLBACK');
      throw error;
    }
    return messageId;
  }

  const http = createServer((request, response) => {
    void (async () => {
      const { pathname } = new URL(request.url ?? '/', 'http://mailbox');
      const answer = (status: number, body: unknown) => {
        response.writeHead(status, { 'content-type': 'application/json' });
        response.end(JSON.stringify(body));
      };
      if (pathname === '/messages') return answer(200, everything.all());
      const id = decodeURIComponent(pathname.replace(/^\/messages\//, ''));
      const quiet = await alone();
      const recipients = find.all(id).map(({ recipient }) => recipient);
      if (recipients.length > 0) return answer(200, { recipients });
      return quiet ? answer(404, { recipients }) : answer(503, { problem: 'somebody is still sending' });
    })().catch(() => response.destroy());
  });

  await new Promise<void>((resolve) => void smtp.listen(0, '127.0.0.1', resolve));
  await new Promise<void>((resolve) => void http.listen(0, '127.0.0.1', resolve));
  return {
    smtp: portOf(smtp.server),
    http: portOf(http),
    close: () =>
      new Promise<void>((resolve) => {
        http.close();
        http.closeAllConnections();
        smtp.close(() => {
          mailbox.close();
          resolve();
        });
      }),
  };
}
