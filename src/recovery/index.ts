/** The decision alone (`belay-sidecar/decision`): from a history and a failure to a verdict. Pure: no clock, no chance, no IO. */
export { History, HistoryError, type HistoryErrorCode } from '../history/history.ts';
export { TraceError, type TraceErrorCode, type TraceLine, traceReader } from '../history/trace.ts';
export type { Aftermath, Circumstance, Replayed } from '../model/aftermath.ts';
export type { BoundaryKind, Checkpoint } from '../model/checkpoint.ts';
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
} from '../model/decision.ts';
export type { Effect, EffectClass, EffectStatus, EffectVeto } from '../model/effect.ts';
export type { EffectEvent, HistoryEvent, WriteMode } from '../model/event.ts';
export type { Failure } from '../model/failure.ts';
export { type InstanceId, instanceName } from '../model/instance.ts';
export { escapeSegment, type Key, KeyError, overlaps, parseKey } from '../model/key.ts';
export type { Abstention, Dependence, Reason, Refusal, Veto, VetoCode } from '../model/veto.ts';
export { decide } from './decide.ts';
export { explain, type Outline } from './explain.ts';
export { vetoes } from './vetoes.ts';
