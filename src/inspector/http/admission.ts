/**
 * Admits a request to the inspector, or refuses it, by its line and its headers alone. Everything that is not listed here is refused: the page
 * is the only client.
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import { InspectorError } from '../inspector-error.ts';

/** The line and headers of a request. */
export interface Asking {
  readonly method: string;
  readonly url: string;
  /** Names and values in turn, as they came. */
  readonly rawHeaders: readonly string[];
}

/** The hosts, the token and the files of a server. */
export interface Admits {
  /** The values of `Host` that name this server. */
  readonly hosts: readonly string[];
  readonly token: string;
  /** The files of the page, by their paths. */
  readonly files: ReadonlySet<string>;
}

/** A request that may be served: a file of the page, or data. */
export interface Admitted {
  readonly is: 'file' | 'data';
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly query: URLSearchParams;
}

/** The longest target of a request, in characters. */
const LONGEST_URL = 1_024;
/** The largest body, in bytes. */
export const LARGEST_BODY = 64 * 1_024;
/** Headers that a request may have once only: of two, a server and a proxy may believe different ones. */
const ONCE = [
  'host',
  'origin',
  'authorization',
  'content-length',
  'content-type',
  'sec-fetch-site',
  'transfer-encoding',
];

/**
 * Admits a request.
 * @throws InspectorError for every other.
 */
export function admitted(asking: Asking, admits: Admits): Admitted {
  const headers = headersOf(asking.rawHeaders);
  const { method, url } = asking;
  const host = headers.get('host') ?? '';
  if (!admits.hosts.includes(host))
    throw new InspectorError('wrong_host', `This server answers as ${admits.hosts.join(' or ')} only.`);
  checkOrigin(headers, host);
  if (url.length > LONGEST_URL)
    throw new InspectorError('url_too_long', `A target has at most ${LONGEST_URL} characters.`);
  const [path = '', search = ''] = targetOf(url);
  if (method !== 'GET' && method !== 'POST') throw new InspectorError('wrong_method', 'Only GET and POST are served.');
  const query = new URLSearchParams(search);
  if (!path.startsWith('/api/')) {
    if (!admits.files.has(path)) throw new InspectorError('not_found', 'There is no such file.');
    if (method !== 'GET') throw new InspectorError('wrong_method', 'Files are read with GET.');
    checkNoBody(headers);
    return { is: 'file', method, path, query };
  }
  checkToken(headers.get('authorization') ?? '', admits.token);
  if (method === 'POST') checkBody(headers);
  else checkNoBody(headers);
  return { is: 'data', method, path, query };
}

function headersOf(raw: readonly string[]): Map<string, string> {
  const headers = new Map<string, string>();
  for (let index = 0; index + 1 < raw.length; index += 2) {
    const name = (raw[index] as string).toLowerCase();
    if (headers.has(name) && ONCE.includes(name))
      throw new InspectorError('bad_request', `The header ${name} comes once only.`);
    headers.set(name, raw[index + 1] as string);
  }
  return headers;
}

/** A page of another origin may send requests here; a browser says so in these headers. */
function checkOrigin(headers: ReadonlyMap<string, string>, host: string): void {
  const origin = headers.get('origin');
  if (origin !== undefined && origin !== `http://${host}`)
    throw new InspectorError(
      'wrong_origin',
      'Another origin is not served. Open the address that the command printed.',
    );
  const site = headers.get('sec-fetch-site');
  if (site !== undefined && site !== 'same-origin' && site !== 'none')
    throw new InspectorError('wrong_origin', 'Another site is not served. Open the address that the command printed.');
}

/** The path and the query: plain segments of plain characters, nothing that could be read in two ways. */
function targetOf(url: string): readonly string[] {
  const [, path, query] = /^((?:\/[\w-]+(?:\.[\w-]+)?)+|\/)(?:\?([\w=&-]*))?$/.exec(url) ?? [];
  if (path === undefined) throw new InspectorError('bad_request', 'The target is no path of this server.');
  return [path, query ?? ''];
}

function checkToken(authorization: string, token: string): void {
  const [, given] = /^Bearer ([\w-]{1,200})$/.exec(authorization) ?? [];
  // Digests have one length, and their comparison takes one time.
  if (given === undefined || !timingSafeEqual(digest(given), digest(token)))
    throw new InspectorError('no_token', 'The token is missing or wrong. Open the address that the command printed.');
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

function checkBody(headers: ReadonlyMap<string, string>): void {
  if (headers.get('content-type') !== 'application/json')
    throw new InspectorError('wrong_type', 'A body is application/json.');
  const length = headers.get('content-length');
  if (length === undefined || headers.has('transfer-encoding') || !/^\d{1,12}$/.test(length))
    throw new InspectorError('length_required', 'A body says its length in Content-Length.');
  if (Number(length) > LARGEST_BODY) throw new InspectorError('too_large', `A body has at most ${LARGEST_BODY} bytes.`);
}

function checkNoBody(headers: ReadonlyMap<string, string>): void {
  if (headers.has('transfer-encoding') || (headers.get('content-length') ?? '0') !== '0')
    throw new InspectorError('bad_request', 'A GET has no body.');
}
