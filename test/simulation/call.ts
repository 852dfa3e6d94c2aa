/** The calls that generated machines make. */
import type { ToolCall } from 'belay-sidecar';
import type { Memory } from './places.ts';
import type { ToolSpec } from './scenario.ts';

/** The arguments of every call. */
export interface CallArgs {
  readonly at: string;
  readonly entity: string;
  readonly round: number;
  readonly cents: number;
  readonly in: Memory;
}

/** Carries a call out. */
export type Caller = (spec: ToolSpec, call: ToolCall<CallArgs>) => Promise<unknown>;
