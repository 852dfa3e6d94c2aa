/** The answers of the inspector's server: their headers, and the words of a refusal. */
import type { ServerResponse } from 'node:http';
import { type InspectorError, REFUSALS } from '../inspector-error.ts';
import { visibleJson } from './shown.ts';

/** Nothing but the page's own files is run, and nothing is asked of any other host. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

const HEADERS: Readonly<Record<string, string>> = {
  'Content-Security-Policy': POLICY,
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'no-referrer',
  'Cache-Control': 'no-store',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Embedder-Policy': 'require-corp',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Permissions-Policy': 'camera=(), geolocation=(), microphone=(), clipboard-read=()',
};

/** Sends bytes. */
export function send(response: ServerResponse, status: number, type: string, body: string | Uint8Array): void {
  if (response.headersSent || response.destroyed) return;
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  response.writeHead(status, { ...HEADERS, 'Content-Type': type, 'Content-Length': bytes.byteLength });
  response.end(bytes);
}

/** Sends a value as JSON, every text of it visible. */
export function sendJson(response: ServerResponse, value: unknown): void {
  send(response, 200, 'application/json; charset=utf-8', visibleJson(value));
}

/** Refuses a request, and reads no more from its connection. */
export function refuse(response: ServerResponse, { code, message }: InspectorError): void {
  response.shouldKeepAlive = false;
  send(response, REFUSALS[code], 'application/json; charset=utf-8', visibleJson({ code, message }));
}

/** Begins a stream of lines, each a JSON value. */
export function beginLines(response: ServerResponse): void {
  response.writeHead(200, { ...HEADERS, 'Content-Type': 'application/x-ndjson; charset=utf-8' });
  response.flushHeaders();
}
