/** The public list of Belay: what a program may import. Everything else is the house's own. */
export type { BoundaryConfig } from './boundaries/config.ts';
export { readConfig } from './boundaries/directory.ts';
export { type Loaded, loadConfig } from './boundaries/load.ts';
export type { Finding as ConfigFinding } from './boundaries/page/finding.ts';
export { type Claim, type Claims, claimsInMemory } from './effects/claims.ts';
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
export { CommitRefused, Denied, NotApplied, type RefusedCall } from './effects/signals.ts';
export { History, HistoryError, type HistoryErrorCode } from './history/history.ts';
export { TraceError, type TraceErrorCode, type TraceLine, traceReader } from './history/trace.ts';
export {
  type Journal,
  JournalError,
  type JournalErrorCode,
  type JournalStore,
  type Posted,
  type StoredRow,
} from './journal/journal.ts';
export { memoryStore } from './journal/memory/store.ts';
export type { ValueCodec } from './journal/value-codec.ts';
export type { Aftermath, Circumstance, Replayed } from './model/aftermath.ts';
export type { BoundaryKind, Checkpoint } from './model/checkpoint.ts';
export type {
  Act,
  Counterparty,
  Decision,
  JointRule,
  Keep,
  Move,
  Policy,
  RecoveryLine,
  Rules,
  Unblock,
  Verdict,
} from './model/decision.ts';
export type { Effect, EffectClass, EffectStatus, EffectVeto } from './model/effect.ts';
export type { EffectEvent, HistoryEvent, WriteMode } from './model/event.ts';
export type { Failure, Signal } from './model/failure.ts';
export { type InstanceId, instanceName } from './model/instance.ts';
export { escapeSegment, type Key, KeyError, overlaps, parseKey } from './model/key.ts';
export type { Abstention, Dependence, Reason, Refusal, Veto, VetoCode } from './model/veto.ts';
export { decide } from './recovery/decide.ts';
export { explain, type Outline } from './recovery/explain.ts';
export { vetoes } from './recovery/vetoes.ts';
export {
  type Account,
  type AccountedCheckpoint,
  type AccountedDecision,
  type AccountedEffect,
  type AccountedInstance,
  accountOf,
} from './reports/account.ts';
export type { AnsweredGate, LedgerDecision, Relied } from './reports/ledger-decisions.ts';
export type { LedgerEffect, SpentBudget } from './reports/ledger-effects.ts';
export type { Obligation } from './reports/ledger-obligations.ts';
export { type Ledgers, ledgersOf } from './reports/ledgers.ts';
export type { RunStatus } from './reports/run-status.ts';
export { type TraceLineOut, traceOf } from './reports/trace.ts';
export type { ToolCall } from './runtime/tool-call.ts';
export type { Check, Suspect } from './sidecar/parts.ts';
export type { Ending, MovedInput, Report } from './sidecar/report.ts';
export { SidecarError, type SidecarErrorCode } from './sidecar/sidecar-error.ts';
export type { Agent, AgentRehearsal, AgentSetting, OpenAgent, PathEvent, RehearsalPath } from './xstate/agent.ts';
export { attach, resume, type Sidecar, type SidecarOptions } from './xstate/attach.ts';
export {
  FAULT_SIGNALS,
  type Fault,
  FaultError,
  type FaultErrorCode,
  type FaultSignal,
  type Faulty,
  withFault,
} from './xstate/faults.ts';
export { tool } from './xstate/tool.ts';
