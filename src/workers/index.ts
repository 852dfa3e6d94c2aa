/** Runs that are handed out: the client that leaves them in a store, and the worker that takes them (`belay-sidecar/workers`). */

export type { GuardedRequest, UnansweredComplaint } from '../effects/gates.ts';
export type { SentEvent } from '../effects/messages/sent-events.ts';
export { archiveLines } from '../journal/archive/lines.ts';
export type { DueNotice, ListedNotice, NotedCause, NoticeBoard, SeenCauses } from '../journal/notices.ts';
export type { SandboxDesk, SandboxName, SandboxRow } from '../journal/sandboxes.ts';
export type {
  Carried,
  LeftRun,
  Rest,
  StartRequest,
  WorkAsked,
  WorkDigests,
  WorkOrder,
  WorkQueue,
} from '../journal/work.ts';
export type { CauseCall } from '../reports/causes.ts';
export type { LeftAtEnd } from '../reports/left-at-end.ts';
export type { EnteredProgram } from '../sidecar/opening/handed-out.ts';
export {
  type Answerer,
  type AttemptGroup,
  type Attempts,
  type AttemptsRequest,
  type FollowedRow,
  type FollowOptions,
  type Fork,
  type ForkRequest,
  type Kept,
  type LaterFailure,
  QUEUE,
  type RunRequest,
  type SteerAct,
  type SteerAnswer,
  type WorkClient,
  type WorkResult,
  workClient,
} from './client.ts';
export type { Archive } from './deleting.ts';
export type { Left } from './going-on.ts';
export {
  type Notice,
  type NoticeData,
  type Notifying,
  type NotifyingOptions,
  type NotifyTold,
  startNotifying,
} from './notifying.ts';
export type { AnyAgent, OpenProgram, ProgramAgent } from './program-agent.ts';
export { type SweptSandbox, sweepSandboxes } from './sweep-sandboxes.ts';
export type { WorkCounts, WorkTold } from './told.ts';
export { type WebhookOptions, WebhookRefused, webhook } from './webhook.ts';
export { startWorker, type Worker, type WorkerOptions } from './worker.ts';
