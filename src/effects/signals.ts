/** Raw errors as signals: the closed vocabulary that a decision sees (semantics.md §7). */
import type { Signal } from '../model/failure.ts';

/** To be thrown by a tool that knows that nothing has happened in the world (E2). */
export class NotApplied extends Error {
  /** Names the error. */
  override readonly name: string = 'NotApplied';
}

/** A call of a commit that can never become visible as it was staged, and why. */
export interface RefusedCall {
  /** The key of the call; left out where no single one is to blame. */
  readonly call?: string;
  /** True where what the call relies on was changed since it was read: reading it again may help. */
  readonly moved?: boolean;
}

/**
 * To be thrown by `prepare` or `publish` of a staging area: nothing is visible, and asking again with the same calls cannot help. The
 * commit is withdrawn, and its instance has failed (E4). A `NotApplied` that is none of these is asked again.
 */
export class CommitRefused extends NotApplied implements RefusedCall {
  /** Names the error. */
  override readonly name = 'CommitRefused';
  readonly call?: string;
  readonly moved: boolean;

  constructor(message: string, { call, moved = false }: RefusedCall = {}) {
    super(message);
    if (call !== undefined) this.call = call;
    this.moved = moved;
  }
}

/** A person said no to a call, no person said yes in time, or a budget does not allow it: it never left. A machine can handle it on the path of its errors. */
export class Denied extends Error {
  /** Names the error. */
  override readonly name = 'Denied';
  /** The person who said no; null where no person answered in time, or a budget said no. */
  readonly by: string | null;

  constructor(message: string, by: string | null) {
    super(message);
    this.by = by;
  }
}

/** The act that a call would have repeated, and the run that made it. */
export interface RepeatedAct {
  readonly run: string;
  /** The key of its call; null where it is another run's. */
  readonly key: string | null;
}

/**
 * The call would repeat an act that was made before, and cannot be answered with it: it has other arguments, or another run of the store has the
 * act (ON3, ON6). It never left. A machine can handle it on the path of its errors, like a denial.
 */
export class ActRepeated extends Error {
  /** Names the error. */
  override readonly name = 'ActRepeated';
  readonly code = 'act_repeated';
  /** The act that was made first. */
  readonly first: RepeatedAct;

  constructor(tool: string, first: RepeatedAct) {
    const { run, key } = first;
    const what = key === null ? `run ${JSON.stringify(run)} has this act` : `${key} is this act, with other arguments`;
    super(`act_repeated: ${what}, and ${tool} makes it once`);
    this.first = first;
  }
}

/**
 * The arguments of a call are none that its tool takes: the input schema of the tool refuses them, an argument cannot be computed (CS1), or they take
 * on obligations that are none, or that are due already (OB5). The call never left. A machine can handle it on the path of its errors, like a denial.
 */
export class BadArguments extends Error {
  /** Names the error. */
  override readonly name = 'BadArguments';
  readonly code: 'bad_arguments' | 'bad_obligation' | 'obligation_past_due';
  /** The place in the arguments, and what is wrong there. */
  readonly reason: string;

  constructor(tool: string, reason: string, code: BadArguments['code'] = 'bad_arguments') {
    super(`${code}: ${tool}: ${reason}`);
    this.reason = reason;
    this.code = code;
  }
}

const TIMEOUTS = new Set([
  'TimeoutError',
  'AbortError',
  'ETIMEDOUT',
  'ESOCKETTIMEDOUT',
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_BODY_TIMEOUT',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/** The signal that stands for what a tool threw. */
export function toolSignal(error: unknown): Signal {
  if (typeof error !== 'object' || error === null) return 'TOOL_EXCEPTION';
  const { name, code } = error as { name?: unknown; code?: unknown };
  return TIMEOUTS.has(String(name)) || TIMEOUTS.has(String(code)) ? 'TIMEOUT' : 'TOOL_EXCEPTION';
}

/** The message of an error, in one line and no more than is useful. */
export function errorMessage(error: unknown): string {
  let text: string;
  try {
    text = error instanceof Error ? error.message : String(error);
  } catch {
    text = 'an error that cannot be told';
  }
  return text.length > 500 ? `${text.slice(0, 497)}...` : text;
}
