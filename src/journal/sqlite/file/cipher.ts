/**
 * Seals the bodies of an encrypted file: AES-256-GCM, a random nonce for each body. The key of a file is derived from
 * the caller's key and from the file's nonce, so one key may serve any number of files; the key's id stands in the file
 * and tells a wrong key from a damaged body. A body is bound to its place, so none can be moved to another. Numbers,
 * kinds, times, lengths and the names of runs are not hidden. Hashes are made over the sealed bodies, so a chain is
 * checked without the key.
 */
import { createCipheriv, createDecipheriv, createHmac, createSecretKey, hkdfSync, randomBytes } from 'node:crypto';
import type Database from 'better-sqlite3';
import { JournalError } from '../../journal.ts';

const ALGORITHM = 'aes-256-gcm';
const KEY = 32;
const NONCE = 12;
const TAG = 16;
const ID = 16;

/** Seals the bodies of one file, and opens them. `place` names where a body lies. */
export interface Cipher {
  /** True where a body cannot be read without a key. */
  readonly seals: boolean;
  seal(place: string, body: Buffer): Buffer;
  /** Null where the body was not sealed for that place. */
  open(place: string, sealed: Buffer): Buffer | null;
  /** A name that is looked for in the file: the same each time, and nothing can be guessed from it without the key. */
  hidden(name: string): string;
}

/** The cipher of a file without a key: it leaves bodies unchanged. */
const PLAIN: Cipher = { seals: false, seal: (_, body) => body, open: (_, sealed) => sealed, hidden: (name) => name };

/** The place of a row, of a message, and of the note of a run. */
export function rowPlace(run: number, seq: number, kind: number): string {
  return `row ${run} ${seq} ${kind}`;
}

/** The place of a message to people. */
export function noticePlace(channel: string, id: string): string {
  return `notice ${JSON.stringify([channel, id])}`;
}

/** The place of the input of a run that is left for workers. */
export function inputPlace(run: number): string {
  return `input ${run}`;
}

/** The place of the claims of a run. */
export function claimPlace(run: number): string {
  return `claim ${run}`;
}

/** The place of a part of the base of a run. */
export function basePlace(run: number, number: number): string {
  return `base ${run} ${number}`;
}

export function postPlace(run: number, number: number): string {
  return `post ${run} ${number}`;
}

export function notePlace(run: number, seq: number): string {
  return `note ${run} ${seq}`;
}

/** @throws JournalError `journal_key_bad` for anything but 32 bytes. */
export function checkKey(key: Uint8Array | undefined): void {
  if (key === undefined || (key instanceof Uint8Array && key.byteLength === KEY)) return;
  const given = key instanceof Uint8Array ? `${key.byteLength} bytes` : typeof key;
  const reason = `The key of an encrypted journal has ${KEY} bytes, and this one is ${given}. Make one with crypto.randomBytes(${KEY}).`;
  throw new JournalError('journal_key_bad', reason);
}

/** Marks a new file as sealed, if the caller gives a key. */
export function markSealed(db: Database.Database, key: Uint8Array | undefined): void {
  if (key !== undefined) db.prepare('INSERT INTO cipher (key_id) VALUES (?)').run(idOf(key, identityIn(db)));
}

/**
 * The cipher of a file, from the file's own mark and the caller's key.
 * @throws JournalError `journal_key_missing`, `journal_key_wrong`, `journal_not_encrypted`, `journal_corrupt`.
 */
export function cipherOf(
  db: Database.Database,
  path: string,
  { identity, key }: { readonly identity: Buffer; readonly key: Uint8Array | undefined },
): Cipher {
  const rows = db.prepare('SELECT key_id FROM cipher').all() as { key_id: unknown }[];
  const id = rows[0]?.key_id;
  if (id === undefined) {
    if (key === undefined) return PLAIN;
    const reason = `${path} was made without a key, and what it holds is not encrypted. Open it without one, or name a new file.`;
    throw new JournalError('journal_not_encrypted', reason);
  }
  if (rows.length > 1 || !Buffer.isBuffer(id) || id.length !== ID) {
    const reason = `${path}: the id of its key has no form. Nothing was repaired: restore the file from a backup.`;
    throw new JournalError('journal_corrupt', reason);
  }
  if (key === undefined) {
    const mend =
      'Give the key that it was made with: sqliteStore(file, { key }), belay --key-file FILE or BELAY_JOURNAL_KEY.';
    throw new JournalError('journal_key_missing', `${path} is encrypted. ${mend}`);
  }
  if (!idOf(key, identity).equals(id)) {
    const reason = `${path} is encrypted under another key. The file is not damaged: give the key that it was made with.`;
    throw new JournalError('journal_key_wrong', reason);
  }
  return sealing(key, identity);
}

function sealing(given: Uint8Array, identity: Buffer): Cipher {
  const key = createSecretKey(derived(given, identity, 'body', KEY));
  const names = createSecretKey(derived(given, identity, 'name', KEY));
  return {
    seals: true,
    hidden: (name) => createHmac('sha256', names).update(name).digest('hex'),
    seal(place, body) {
      const nonce = randomBytes(NONCE);
      const cipher = createCipheriv(ALGORITHM, key, nonce, { authTagLength: TAG }).setAAD(Buffer.from(place));
      return Buffer.concat([nonce, cipher.update(body), cipher.final(), cipher.getAuthTag()]);
    },
    open(place, sealed) {
      if (sealed.length < NONCE + TAG) return null;
      const nonce = sealed.subarray(0, NONCE);
      const end = sealed.length - TAG;
      const decipher = createDecipheriv(ALGORITHM, key, nonce, { authTagLength: TAG })
        .setAAD(Buffer.from(place))
        .setAuthTag(sealed.subarray(end));
      try {
        return Buffer.concat([decipher.update(sealed.subarray(NONCE, end)), decipher.final()]);
      } catch {
        return null;
      }
    },
  };
}

/** Names the key of a file without revealing it; the same key has another id in another file. */
function idOf(key: Uint8Array, identity: Buffer): Buffer {
  return derived(key, identity, 'id', ID);
}

function derived(key: Uint8Array, identity: Buffer, use: string, length: number): Buffer {
  return Buffer.from(hkdfSync('sha256', key, identity, `belay journal ${use}`, length));
}

function identityIn(db: Database.Database): Buffer {
  return (db.prepare('SELECT identity FROM file').get() as { identity: Buffer }).identity;
}
