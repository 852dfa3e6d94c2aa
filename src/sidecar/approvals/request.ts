/** An approval request as the program of a run receives it: with the call, and the reason why a person is asked. */
import type { ApprovalRequest, GuardedRequest } from '../../effects/gates.ts';
import { guardedRequest, pendingRequests } from '../../reports/approval-requests.ts';
import type { RunParts } from '../parts.ts';

/** Adds to a request what it is about. */
export function requestOf(parts: RunParts, request: ApprovalRequest): GuardedRequest {
  return guardedRequest(parts.runState, request, whenOf(parts)) as GuardedRequest;
}

/** The requests of a run that wait for a person. */
export function requestsOf(parts: RunParts): readonly GuardedRequest[] {
  return pendingRequests(parts.runState, whenOf(parts));
}

/** Finds the condition under which a tool waits for an approval. */
function whenOf({ config }: RunParts): (tool: string) => string | null {
  return (tool) => config.tools.get(tool)?.gate?.when?.text ?? null;
}
