/** The page's one way to its server: the token, requests, and the stream of events. */
import { signal } from '@preact/signals';
import type { WireTick } from '../../src/inspector/page-data.ts';

/** What the server has refused, in its words. */
export class Refused extends Error {}

/** The head of each run, as the stream has told them; a run whose head moves is read again. */
export const heads = signal<Readonly<Record<string, number>>>({});
/** Counts the changes of any run. */
export const changes = signal(0);
/** True while the stream of events is open. */
export const live = signal(false);
/** The reason why nothing can be read; null where it can. */
export const lost = signal<string | null>(null);

const KEPT = 'belay-inspector-token';
let token = '';

/** Takes the token out of the address, so that it stands in no history and on no screen. */
export function takeToken(): void {
  const [, given] = /^#token=([\w-]+)$/.exec(location.hash) ?? [];
  if (given !== undefined) {
    sessionStorage.setItem(KEPT, given);
    history.replaceState(null, '', '#/');
  }
  token = sessionStorage.getItem(KEPT) ?? '';
  if (token === '') lost.value = 'This page needs the address that belay inspect has printed, with its token.';
}

/** Reads something. */
export async function read<T>(path: string): Promise<T> {
  return (await asked(path, {})).json() as Promise<T>;
}

/** Sends something, and reads the answer. */
export async function sent<T>(path: string, body: object): Promise<T> {
  const told = await asked(path, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
  return told.json() as Promise<T>;
}

async function asked(path: string, init: RequestInit): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(path, {
      ...init,
      cache: 'no-store',
      credentials: 'omit',
      redirect: 'error',
      headers: { ...init.headers, Authorization: `Bearer ${token}` },
    });
  } catch {
    throw new Refused('The inspector does not answer. Is belay inspect still running?');
  }
  if (response.ok) return response;
  const told = (await response.json().catch(() => null)) as { code?: string; message?: string } | null;
  if (response.status === 401) lost.value = told?.message ?? 'The token is wrong.';
  throw new Refused(told?.message ?? `The inspector answers ${response.status}.`);
}

/** Listens to the events for as long as the page is open; a stream that breaks is opened again. */
export async function listen(): Promise<void> {
  for (let wait = 500; lost.value === null; wait = Math.min(wait * 2, 10_000)) {
    try {
      const response = await asked('/api/events', {});
      live.value = true;
      wait = 500;
      await follow(response.body as ReadableStream<Uint8Array>);
    } catch {
      // It is said by `live`, and tried again.
    }
    live.value = false;
    await new Promise((resolve) => setTimeout(resolve, wait));
  }
}

async function follow(body: ReadableStream<Uint8Array>): Promise<void> {
  const reader = body.pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>).getReader();
  let rest = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const lines = `${rest}${value}`.split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) take(JSON.parse(line) as WireTick);
  }
}

function take({ heads: moved }: WireTick): void {
  if (Object.keys(moved).length === 0) return;
  heads.value = { ...heads.value, ...moved };
  changes.value += 1;
}
