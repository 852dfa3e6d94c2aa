/** A folder served over HTTP, as a host of static pages does. */
import { existsSync, readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join, normalize } from 'node:path';

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
  '.json': 'application/json',
  '.txt': 'text/plain; charset=utf-8',
};

/** The file that an address within a folder is answered with; null where there is none. */
export function fileAt(folder: string, path: string): string | null {
  const named = join(folder, normalize(decodeURIComponent(path)));
  const asked = [named, `${named}.html`, join(named, 'index.html')];
  return asked.find((file) => existsSync(file) && statSync(file).isFile()) ?? null;
}

/** Serves a folder, and `pages` by their paths besides. */
export async function serving(folder: string, pages: Readonly<Record<string, string>> = {}) {
  const server = createServer((request, response) => {
    const path = new URL(request.url ?? '/', 'http://site').pathname;
    const file = fileAt(folder, path);
    const text = pages[path] ?? (file === null ? null : readFileSync(file));
    const type = pages[path] !== undefined ? TYPES['.html'] : TYPES[extname(file ?? '')];
    response.writeHead(text === null ? 404 : 200, { 'content-type': type ?? 'application/octet-stream' });
    response.end(text ?? '');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, stop: () => server.close() };
}
