/** The raw ways in which a call can fail, and the signal that each of them is (semantics.md §7). */
import type { FaultSignal } from 'belay-sidecar/testing';

/** Every raw failure. `denied` is the governor's; the others are what a tool throws or answers. */
export const RAW = {
  exception: 'TOOL_EXCEPTION',
  type_error: 'TOOL_EXCEPTION',
  not_an_error: 'TOOL_EXCEPTION',
  http_503: 'TOOL_EXCEPTION',
  connection_reset: 'TOOL_EXCEPTION',
  timeout: 'TIMEOUT',
  abort: 'TIMEOUT',
  connect_timeout: 'TIMEOUT',
  nothing: 'INVALID_OUTPUT',
  denied: 'GOVERNOR_DENIED',
} as const satisfies Record<string, FaultSignal>;

/** One of them. */
export type Raw = keyof typeof RAW;

/** Fails as a tool does. `nothing` answers with nothing, which the tool's schema refuses, and a plain machine's next step. */
export function raise(raw: Raw, tool: string): undefined {
  const said = `rehearsed: ${tool} failed`;
  switch (raw) {
    case 'nothing':
      return undefined;
    case 'type_error':
      throw new TypeError(`${said}: it is not a function`);
    case 'not_an_error':
      throw said;
    case 'http_503':
      throw Object.assign(new Error(`${said}: 503 Service Unavailable`), { status: 503 });
    case 'connection_reset':
      throw Object.assign(new Error(`${said}: read ECONNRESET`), { code: 'ECONNRESET' });
    case 'timeout':
      throw new DOMException(`${said}: it took too long`, 'TimeoutError');
    case 'abort':
      throw new DOMException(`${said}: it was aborted`, 'AbortError');
    case 'connect_timeout':
      throw Object.assign(new Error(`${said}: connect ETIMEDOUT`), { code: 'ETIMEDOUT' });
    case 'exception':
    case 'denied':
      throw new Error(said);
  }
}
