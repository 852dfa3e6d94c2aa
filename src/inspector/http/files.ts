/** The files of the page: a fixed table, read once when the server starts. No path of a request ever reaches the disk. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';

/** A file of the page, as it is sent. */
export interface PageFile {
  readonly type: string;
  readonly bytes: Uint8Array;
}

const TABLE = [
  ['/', 'index.html', 'text/html; charset=utf-8'],
  ['/page.js', 'page.js.gz', 'text/javascript; charset=utf-8'],
  ['/page.css', 'page.css', 'text/css; charset=utf-8'],
  ['/icon.svg', 'icon.svg', 'image/svg+xml'],
] as const;

/** Reads the files of the page, by the paths that they are asked for under. The package holds the script compressed. */
export function pageFiles(folder: string): ReadonlyMap<string, PageFile> {
  const read = (name: string): Uint8Array => {
    const bytes = readFileSync(join(folder, name));
    return name.endsWith('.gz') ? gunzipSync(bytes) : bytes;
  };
  return new Map(TABLE.map(([path, name, type]) => [path, { type, bytes: read(name) }]));
}
