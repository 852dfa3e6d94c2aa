/** Reports on a run (`belay-sidecar/reports`): views of its journal, for people and for other programs. They act on nothing. */

export type { UnansweredComplaint } from '../effects/gates.ts';
export {
  type Account,
  type AccountedCheckpoint,
  type AccountedDecision,
  type AccountedEffect,
  type AccountedInstance,
  accountOf,
} from './account.ts';
export { type AuditLine, auditOf } from './audit.ts';
export type { AnsweredGate, BecauseOf, LedgerDecision, Relied } from './ledger-decision.ts';
export type { LedgerEffect, SpentBudget } from './ledger-effects.ts';
export type { Obligation } from './ledger-obligations.ts';
export { type Ledgers, ledgersOf } from './ledgers.ts';
export type { LeftAtEnd } from './left-at-end.ts';
export { type PrimerOptions, primerOf } from './primer.ts';
export type { RunStatus } from './run-status.ts';
export { type TraceLineOut, traceOf } from './trace.ts';
export { type Why, type WhyCall, type WhyOf, type WhySource, type WhyVersion, whyOf } from './why.ts';
