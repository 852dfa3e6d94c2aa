/** The testing kit (`belay-sidecar/testing`): rehearsals, a driven clock, a world that records, faults and assertions. */
export type { Harm, HarmKind } from '../rehearsal/difference.ts';
export type { RehearsedFault } from '../rehearsal/faults/fault.ts';
export { type RehearsalOptions, type RehearsalWorld, rehearse } from '../rehearsal/in-code.ts';
export type { RehearsalVerdict } from '../rehearsal/judge.ts';
export { RehearsalError, type RehearsalErrorCode } from '../rehearsal/rehearsal-error.ts';
export {
  type MigrationPlan,
  type PlannedRun,
  type PlanOptions,
  planMigration,
} from '../rehearsal/replay/plan-migration.ts';
export type { ConfigDifference, IncomparableCode, Parting, VerifiedRun } from '../rehearsal/replay/verified-run.ts';
export { type VerifyOptions, verifyRuns } from '../rehearsal/replay/verify-runs.ts';
export type {
  ActAgain,
  Culprit,
  FewestSteps,
  RehearsalCell,
  RehearsalReport,
  RehearsalSettings,
  RehearsedMutation,
  RehearsedPath,
} from '../rehearsal/report.ts';
export type { AgentRehearsal, PathEvent, RehearsalPath } from '../xstate/agent.ts';
export {
  FAULT_SIGNALS,
  type Fault,
  FaultError,
  type FaultErrorCode,
  type FaultSignal,
  type Faulty,
  withFault,
} from '../xstate/faults.ts';
export { assertActedOnce, assertNeverActed } from './assertions.ts';
export { DrivenClock, StalledError } from './driven-clock.ts';
export {
  type Recorded,
  type RecordedAct,
  RecordingError,
  type RecordingOptions,
  RecordingWorld,
  recordingWorld,
} from './recording-world.ts';
export { type SandboxCase, type SandboxUnderTest, sandboxCases } from './sandbox-contract.ts';
export { wrapJournals } from './wrap-journals.ts';
