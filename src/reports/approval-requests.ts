/** Approval requests as programs receive them: with the call, its arguments, and the reason why a person is asked. */
import type { ApprovalRequest, GuardedRequest } from '../effects/gates.ts';
import { alternativesAsked, type Shown } from '../model/choice-entries.ts';
import type { EffectStatus } from '../model/effect.ts';
import { instanceName, ROOT } from '../model/instance.ts';
import { regionName } from '../model/region.ts';
import { judgedWork } from '../projection/open-judgments.ts';
import type { RunState } from '../projection/run-state.ts';
import { callsOfBranch } from './choices.ts';
import { shownArgs } from './ledger-effects.ts';

/**
 * Adds to a request what it is about; null where its call is not in the journal. Of a choice, the tool is the name of
 * the alternatives, and the arguments are the branches.
 * @param when the condition under which a tool waits for an approval; null where every call does, undefined where no
 * config is at hand.
 */
export function guardedRequest(
  runState: RunState,
  request: ApprovalRequest,
  when?: (tool: string) => string | null,
): GuardedRequest | null {
  const { candidates } = request;
  if (candidates !== undefined) return choiceRequest(runState, { ...request, candidates });
  if (request.review !== undefined) return reviewRequest(runState, { ...request, review: request.review });
  const call = runState.ledger.get(request.key);
  if (call === undefined) return null;
  const { tool, instance } = call.intent;
  const unknown = `it is unknown what became of it: ${call.error ?? 'no answer came'}`;
  const reason = request.asks === 'approval' ? heldText(request, tool, when) : unknown;
  return { ...request, tool, args: shownArgs(call.intent, runState), instance, reason };
}

/** The request for a branch. */
function choiceRequest(
  runState: RunState,
  request: ApprovalRequest & { readonly candidates: readonly Shown[] },
): GuardedRequest {
  const [first] = request.candidates;
  const alternatives = alternativesAsked(request.key);
  const by = runState.actors[first?.actor ?? 0]?.parent ?? 0;
  return {
    ...request,
    tool: alternatives,
    args: shownBranches(runState, request.candidates),
    instance: { skeleton: ROOT, entity: regionName(by, ''), ordinal: 0 },
    reason: `the branches of ${alternatives} are over: approve one of them by its name, or deny all of them`,
  };
}

/** The request for a review: the tool is the judge, and the arguments are what was judged, without what is redacted. */
function reviewRequest(
  runState: RunState,
  request: ApprovalRequest & { readonly review: NonNullable<ApprovalRequest['review']> },
): GuardedRequest {
  const { redaction, judgments } = runState;
  const { instance, boundary, tool } = request.review;
  const verdict = judgments.verdictOn(request.key);
  const said = verdict?.pass == null ? 'has no verdict' : `says ${verdict.pass ? 'yes' : 'no'}, and is not sure`;
  const why = verdict?.why == null ? '' : `: ${redaction.text(verdict.why)}`;
  const reason = `${tool} ${said}${why}: approve it and ${boundary} of ${instanceName(instance)} stands, deny it and it is rejected`;
  return { ...request, tool, args: redaction.value(judgedWork(runState, request.key)), instance, reason };
}

/** A call of a branch as a person is shown it who chooses. */
interface ShownCall {
  readonly tool: string;
  readonly args: unknown;
  /** `held`: it leaves once the branch is chosen. */
  readonly is: 'made' | 'held' | 'failed' | 'undone' | 'unknown';
}

/** The branches of a choice with their calls, without redacted values. */
export function shownBranches(
  runState: RunState,
  candidates: readonly Shown[],
): readonly (Omit<Shown, 'actor'> & { readonly calls: readonly ShownCall[] })[] {
  const { redaction } = runState;
  return candidates.map(({ actor, output, why, ...shown }) => ({
    ...shown,
    ...(why !== undefined && { why: redaction.text(why) }),
    ...(output !== undefined && { output: redaction.value(output) }),
    calls: callsOfBranch(runState, actor).map(({ intent, status }) => ({
      tool: intent.tool,
      args: shownArgs(intent, runState),
      is: CALLS[status] ?? 'unknown',
    })),
  }));
}

const CALLS: Readonly<Partial<Record<EffectStatus, ShownCall['is']>>> = {
  confirmed: 'made',
  buffered: 'held',
  failed: 'failed',
  compensated: 'undone',
};

/** The requests of a run that wait for a person, in the order in which they were asked; none of a run that is over. */
export function pendingRequests(runState: RunState, when?: (tool: string) => string | null): GuardedRequest[] {
  if (runState.ended !== null) return [];
  return runState.asked.pending().flatMap((request) => guardedRequest(runState, request, when) ?? []);
}

/** The reason why a call waits for its approval. */
function heldText({ like, kin }: ApprovalRequest, tool: string, when?: (tool: string) => string | null): string {
  if (like !== undefined)
    return `${tool} has happened before, and the machine has not heard its answer: approve this call if it is another act, settle it as confirmed if it is the same`;
  if (kin !== undefined) return kinText(kin, tool);
  if (when === undefined) return `${tool} waits for an approval`;
  const condition = when(tool);
  return condition === null
    ? `every call of ${tool} waits for an approval`
    : `${tool} waits for an approval where ${condition}`;
}

/** The reason why a call of a fork waits: the run that it was forked from may have made it. */
export function kinText({ run, key }: NonNullable<ApprovalRequest['kin']>, tool: string): string {
  if (key === null)
    return `what ${run} did after this run was forked from it cannot be read: approve this call of ${tool} if ${run} has not made it`;
  return `${run} has called ${tool} after this run was forked from it (${key}): approve this call if it is another act, deny it if that one is enough`;
}
