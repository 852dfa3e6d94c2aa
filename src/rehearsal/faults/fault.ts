/** The faults of a rehearsal: what goes wrong in a run, once. */

/** The ways in which a call goes wrong. */
export const CALL_FAULTS = ['before', 'lost', 'timeout', 'refused', 'late'] as const;

/** One of them. */
export type CallFaultKind = (typeof CALL_FAULTS)[number];

/** The answer of the counterparty of a tool when it is asked: the truth, that it does not know, or there is none. */
export const RECONCILERS = ['knows', 'silent', 'absent'] as const;

/** One of them. */
export type ReconcilerKind = (typeof RECONCILERS)[number];

/** The nth call of a tool in a run, from 1. */
export interface CallSite {
  readonly tool: string;
  readonly nth: number;
}

/** A call that goes wrong. */
export interface CallFault extends CallSite {
  readonly kind: 'call';
  readonly how: CallFaultKind;
  /** Null where the config names no reconciler for the tool. */
  readonly reconciler: ReconcilerKind | null;
}

/** An answer that is wrong, and is found wrong after a certified boundary rests on it. */
export interface WrongFault extends CallSite {
  readonly kind: 'wrong';
  readonly instance: { readonly skeleton: string; readonly entity: string; readonly ordinal: number };
  readonly boundary: string;
  /** The key that the complaint names; null where it names the instance alone. */
  readonly key: string | null;
  /** At the next call or event, at the last one before a call that cannot be taken back, or at the last of all. */
  readonly found: 'soon' | 'in-time' | 'last';
  /** The number of moments (calls that leave, events) between the wrong answer and the complaint. */
  readonly after: number;
}

/** A person who denies a call, or does not answer in time. */
interface ApprovalFault extends CallSite {
  readonly kind: 'approval';
  readonly answer: 'denied' | 'expired';
}

/** An event of the path that comes late, twice or never; `index` counts from 0. */
interface EventFault {
  readonly kind: 'event';
  readonly index: number;
  readonly type: string;
  readonly how: 'late' | 'doubled' | 'missing';
}

/** The words that a person says otherwise: an event of the path, `index` from 0, has another content from its beginning, or was never sent. */
export interface RehearsedAct {
  readonly act: 'revise' | 'retract';
  readonly index: number;
  readonly type: string;
}

/** An act on an event of the path, or two of them at once, at a moment (a call leaves, or an event is sent), from 1. */
export interface SteerFault {
  readonly kind: 'steer';
  readonly acts: readonly RehearsedAct[];
  readonly moment: number;
}

/** The process is closed as a call leaves, and another one takes the run up. */
interface RestartFault extends CallSite {
  readonly kind: 'restart';
}

/** The process is killed: after so many appends its journal takes no more. */
interface KillFault {
  readonly kind: 'kill';
  readonly append: number;
  /** True where a real process is sent SIGKILL at the append. */
  readonly isReal: boolean;
}

/** The ways in which a delayed event goes wrong. That one comes twice is impossible: a timer is taken away as it rings. */
type TimerFaultKind = 'late' | 'lost' | 'never' | 'timer-first' | 'reply-first';

/** The nth delayed event of its name that is armed: it comes wrongly, or at the same time as the reply of a call. */
export interface TimerFault {
  readonly kind: 'timer';
  /** Its state and delay, or its type. */
  readonly timer: string;
  readonly nth: number;
  readonly how: TimerFaultKind;
  /** The call whose reply it meets; null where it meets none. */
  readonly call: CallSite | null;
}

/** The fault of one run. */
export type RehearsedFault =
  | CallFault
  | WrongFault
  | ApprovalFault
  | EventFault
  | SteerFault
  | TimerFault
  | RestartFault
  | KillFault;

const CALL_TEXTS: Readonly<Record<CallFaultKind, string>> = {
  before: 'fails before it acts',
  lost: 'acts, and its reply is lost',
  timeout: 'acts and never answers',
  refused: 'acts and answers what its schema refuses',
  late: 'times out and acts later',
};

const RECONCILER_TEXTS: Readonly<Record<ReconcilerKind, string>> = {
  knows: 'its reconciler knows',
  silent: 'its reconciler does not know',
  absent: 'no reconciler is there',
};

const TIMER_TEXTS: Readonly<Record<TimerFault['how'], string>> = {
  late: 'comes a day late',
  lost: 'is lost with its process as it is due, and another process takes the run up',
  never: 'never comes',
  'timer-first': 'comes just before the reply of',
  'reply-first': 'is due just after the reply of',
};

const FOUND_TEXTS: Readonly<Record<WrongFault['found'], string>> = {
  soon: 'at the next call or event',
  'in-time': 'before the next irreversible call',
  last: 'at the last call or event',
};

/** The place of a fault: the call, the boundary, the event or the append. */
export function siteText(fault: RehearsedFault): string {
  switch (fault.kind) {
    case 'call':
    case 'approval':
    case 'restart':
      return `${fault.tool}#${fault.nth}`;
    case 'wrong':
      return `${fault.instance.skeleton} ${fault.instance.entity} ${fault.boundary}`;
    case 'event':
      return `${fault.type}#${fault.index + 1}`;
    case 'steer':
      return [...new Set(fault.acts.map(({ type, index }) => `${type}#${index + 1}`))].join(' and ');
    case 'timer':
      return `${fault.timer}#${fault.nth}`;
    case 'kill':
      return `append ${fault.append}`;
  }
}

/** The fault, in words. */
export function faultText(fault: RehearsedFault): string {
  const site = siteText(fault);
  switch (fault.kind) {
    case 'call': {
      const asked = fault.reconciler === null ? '' : `; ${RECONCILER_TEXTS[fault.reconciler]}`;
      return `${site} ${CALL_TEXTS[fault.how]}${asked}`;
    }
    case 'wrong': {
      const named = fault.key === null ? 'the complaint names no key' : `the complaint names ${fault.key}`;
      return `${fault.tool}#${fault.nth} answers wrongly, which is found ${FOUND_TEXTS[fault.found]} after ${site}; ${named}`;
    }
    case 'approval':
      return fault.answer === 'denied' ? `a person denies ${site}` : `nobody answers for ${site} in time`;
    case 'event':
      return { late: `${site} comes a day late`, doubled: `${site} comes twice`, missing: `${site} never comes` }[
        fault.how
      ];
    case 'steer': {
      const acts = fault.acts.map(
        ({ act, type, index }) => `${type}#${index + 1} is ${act}${act === 'revise' ? 'd' : 'ed'}`,
      );
      return `${acts.join(', and ')}${acts.length > 1 ? ' at once' : ''}, at call or event ${fault.moment}`;
    }
    case 'timer': {
      const meets = fault.call === null ? '' : ` ${fault.call.tool}#${fault.call.nth}`;
      return `the delay ${site} ${TIMER_TEXTS[fault.how]}${meets}`;
    }
    case 'restart':
      return `the process is closed as ${site} leaves, and another one takes the run up`;
    case 'kill':
      return `the process is ${fault.isReal ? 'sent SIGKILL' : 'killed'} at ${site}, and another one takes the run up`;
  }
}

/** The identity of a fault within its path. */
export function faultId(fault: RehearsedFault): string {
  return [fault.kind, siteText(fault), ...details(fault)].join('/');
}

function details(fault: RehearsedFault): readonly string[] {
  switch (fault.kind) {
    case 'call':
      return [fault.how, ...(fault.reconciler === null ? [] : [fault.reconciler])];
    case 'wrong':
      return [`${fault.tool}#${fault.nth}`, fault.found, fault.key ?? 'unnamed'];
    case 'approval':
      return [fault.answer];
    case 'event':
      return [fault.how];
    case 'steer':
      return [fault.acts.map(({ act }) => act).join('+'), String(fault.moment)];
    case 'timer':
      return [fault.how, ...(fault.call === null ? [] : [`${fault.call.tool}#${fault.call.nth}`])];
    case 'kill':
      return fault.isReal ? ['process'] : [];
    case 'restart':
      return [];
  }
}
