/** The file of the key that the person at the terminal names for encrypted journals, and the environment variable beside it. */

/** The environment variable that may hold the key. */
export const KEY_VARIABLE = 'BELAY_JOURNAL_KEY';

/** The name and description of the key option of the verbs. */
export const KEY_FILE = ['--key-file <file>', `the key of an encrypted file; left out, ${KEY_VARIABLE}`] as const;

/** The file of the key that this process was given; null where none was named. One process answers one command. */
let keyFile: string | null = null;

/** Makes every later opening use the key in a file. */
export function useKeyFile(file: string | null): void {
  keyFile = file;
}

/** The file of the key; null if none was named. */
export function namedKeyFile(): string | null {
  return keyFile;
}

/** The words of a printed command that name the same key. */
export function keyWords(): readonly string[] {
  return keyFile === null ? [] : ['--key-file', keyFile];
}

/** True where a key was given, valid or not. */
export function hasKey(): boolean {
  return keyFile !== null || (process.env[KEY_VARIABLE] ?? '') !== '';
}
