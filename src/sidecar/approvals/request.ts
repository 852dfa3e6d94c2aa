/** An approval request as the program of a run is told of it: with the call, and the reason why a person is asked. */
import type { ApprovalRequest, GuardedRequest } from '../../effects/gates.ts';
import type { LedgerCall } from '../../effects/ledger-call.ts';
import { shownArgs } from '../../reports/ledger-effects.ts';
import type { RunParts } from '../parts.ts';

/** Adds to a request what it is about. */
export function requestOf(parts: RunParts, request: ApprovalRequest): GuardedRequest {
  const { runState } = parts;
  const { intent, error } = runState.ledger.get(request.key) as LedgerCall;
  const { tool, instance } = intent;
  const unknown = `it is unknown what became of it: ${error ?? 'no answer came'}`;
  const reason = request.asks === 'approval' ? heldText(parts, request, tool) : unknown;
  return { ...request, tool, args: shownArgs(intent, runState), instance, reason };
}

/** The reason why a call waits for its approval. */
function heldText({ config }: RunParts, { like }: ApprovalRequest, tool: string): string {
  const when = config.tools.get(tool)?.gate?.when ?? null;
  if (like !== undefined)
    return `${tool} has happened before, and the machine has not heard its answer: approve this call if it is another act, settle it as confirmed if it is the same`;
  return when === null
    ? `every call of ${tool} waits for an approval`
    : `${tool} waits for an approval where ${when.text}`;
}
