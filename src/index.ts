/** The public list of Belay: what a program may import, whatever executes its runs. Everything else is the house's own. */
export type { BoundaryConfig } from './boundaries/config.ts';
export { readConfig } from './boundaries/directory.ts';
export { type Loaded, loadConfig } from './boundaries/load.ts';
export type { Finding as ConfigFinding } from './boundaries/page/finding.ts';
export type { Claims, StoreClaims } from './effects/claims/claims.ts';
export { claimsIn, claimsInMemory } from './effects/claims/kept.ts';
export type {
  Inverse,
  Publication,
  ReconcileResult,
  Reconciler,
  Reliance,
  StagedCall,
  StagingArea,
  Undo,
  UndoCall,
} from './effects/counterparty.ts';
export type { ApprovalRequest, ApprovalStatus, GuardedRequest } from './effects/gates.ts';
export type { SandboxAsk, SandboxProvider, SandboxState } from './effects/sandbox.ts';
export { CommitRefused, Denied, NotApplied, type RefusedCall } from './effects/signals.ts';
export { History, HistoryError } from './history/history.ts';
export { TraceError, traceReader } from './history/trace.ts';
export type { Claim } from './journal/claims.ts';
export { gathered } from './journal/gathered.ts';
export {
  type Journal,
  JournalError,
  type JournalErrorCode,
  type JournalStore,
  type LocalStore,
  type Posted,
  type StoredRow,
} from './journal/journal.ts';
export { memoryStore } from './journal/memory/store.ts';
export type { ValueCodec } from './journal/value-codec.ts';
export { ArgumentError } from './model/argument.ts';
export type { Decision, Policy, Verdict } from './model/decision.ts';
export type { EffectClass } from './model/effect.ts';
export type { Failure, Signal } from './model/failure.ts';
export { type InstanceId, instanceName } from './model/instance.ts';
export { escapeSegment, type Key, KeyError, overlaps, parseKey } from './model/key.ts';
export type { Veto, VetoCode } from './model/veto.ts';
export { decide } from './recovery/decide.ts';
export { explain } from './recovery/explain.ts';
export { vetoes } from './recovery/vetoes.ts';
export { accountOf } from './reports/account.ts';
export type { RunEvent } from './reports/events.ts';
export { ledgersOf } from './reports/ledgers.ts';
export { traceOf } from './reports/trace.ts';
export type { ToolCall } from './runtime/tool-call.ts';
export type { SteerAnswer } from './sidecar/failures/steering.ts';
export type { Check, Suspect } from './sidecar/parts.ts';
export type { PreviewedAnswer } from './sidecar/queries/answer-in-full.ts';
export type { Commit, Ending, MovedInput, Report } from './sidecar/report.ts';
export type { ComplaintPreview, PreviewedComplaint } from './sidecar/run/preview.ts';
export { SidecarError, type SidecarErrorCode } from './sidecar/sidecar-error.ts';
