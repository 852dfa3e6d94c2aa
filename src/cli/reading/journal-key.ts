/**
 * Opens journal files for the verbs, encrypted ones with the key that the person at the terminal names: a file
 * (`--key-file`), or the environment variable BELAY_JOURNAL_KEY. The key itself is never an argument: other users of a
 * machine see arguments.
 */
import { closeSync, openSync, readFileSync, readSync } from 'node:fs';
import { isArchive, SEEN } from '../../journal/archive/lines.ts';
import { archiveStore, exported } from '../../journal/archive/store.ts';
import { JournalError, type JournalStore } from '../../journal/journal.ts';
import { sqliteStore } from '../../journal/sqlite/store.ts';
import { KEY_VARIABLE, namedKeyFile } from './key-file.ts';
import { isAddress, openAddress } from './place.ts';

/** Opens a file, an archive of runs or a database. @throws JournalError, also where the key cannot be read or has no valid form. */
export async function openJournal(
  file: string,
  { readonly = false }: { readonly readonly?: boolean } = {},
): Promise<JournalStore> {
  const key = givenKey();
  if (isAddress(file)) {
    if (key === null) return openAddress(file, readonly);
    throw new JournalError('journal_not_encrypted', `${file}: a database takes no key. Leave it out, or use a file.`);
  }
  if (!isArchive(beginningOf(file))) return sqliteStore(file, { readonly, ...(key !== null && { key }) });
  if (!readonly) throw exported(file);
  return archiveStore(file);
}

/** The first bytes of a file; none where it cannot be read, which the store that opens it says. */
function beginningOf(file: string): Uint8Array {
  const bytes = Buffer.alloc(SEEN);
  try {
    const opened = openSync(file, 'r');
    try {
      return bytes.subarray(0, readSync(opened, bytes));
    } finally {
      closeSync(opened);
    }
  } catch {
    return bytes.subarray(0, 0);
  }
}

function givenKey(): Buffer | null {
  const file = namedKeyFile();
  if (file !== null) return keyIn(bytesOf(file), file);
  const text = process.env[KEY_VARIABLE];
  return text === undefined || text === '' ? null : keyIn(Buffer.from(text), KEY_VARIABLE);
}

function bytesOf(file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    throw new JournalError('journal_key_bad', `the key cannot be read: ${(error as Error).message}. Check --key-file.`);
  }
}

/** The key in some bytes: raw, or as hex or base64. Other contents are not shown. */
function keyIn(bytes: Buffer, where: string): Buffer {
  const text = bytes.toString('latin1').trim();
  // Random bytes are no text: 32 letters are half a key in hex, or a password, and neither counts as 32 bytes.
  if (bytes.length === 32 && !/^[ -~]*$/.test(text)) return bytes;
  if (/^[0-9a-f]{64}$/i.test(text)) return Buffer.from(text, 'hex');
  if (/^[\w+/-]{43}=?$/.test(text)) return Buffer.from(text, 'base64');
  const how = 'A key is 32 bytes, as they are or as 64 hex digits or base64: openssl rand -hex 32';
  throw new JournalError('journal_key_bad', `${where} holds no key. ${how}`);
}
