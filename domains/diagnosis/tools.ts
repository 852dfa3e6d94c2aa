/** The agent's tools on a world, who can be asked about them, and what takes them back; by the names that the config uses. */
import type { Inverse, ReconcileResult, Reconciler, Undo } from 'belay-sidecar';
import { tool } from 'belay-sidecar/xstate';
import { ask, decided, type Planner } from '../planner/planner.ts';
import { there } from '../there.ts';
import type { Ended, Judged, ToolTypes, Verified } from './calls.ts';
import {
  type Change,
  type Hypothesis,
  type Incident,
  LOOKS,
  type Notice,
  type Probe,
  type Reading,
  type Repair,
  type Symptom,
  type Verdict,
  type Verification,
} from './incident.ts';
import * as questions from './planner.ts';
import type { Service } from './service.ts';

/** The parts of the world that the tools act on. */
export interface World {
  readonly service: Service;
  readonly planner: Planner;
}

/** The tools. */
export function toolsOn({ service, planner }: World) {
  return {
    collect_symptoms: tool<readonly Symptom[], ToolTypes['collect_symptoms']['input']>(({ signal }) =>
      service.symptoms(signal),
    ),
    plan_checks: tool<readonly Hypothesis[], ToolTypes['plan_checks']['input']>(({ input, signal }) =>
      ask(planner, questions.plan, input, signal),
    ),
    run_check: tool<Reading, ToolTypes['run_check']['input']>(({ input, signal }) =>
      service.look(input.hypothesis, input.look, signal),
    ),
    probe_queue: tool<Probe, ToolTypes['probe_queue']['input']>(async ({ key }) => service.probe(key)),
    judge_hypothesis: tool<Verdict, Judged>(({ input: { hypothesis, readings, probe, before }, signal }) =>
      ask(
        planner,
        questions.judge,
        { hypothesis, ...(readings && { readings }), ...(probe && { probe }), before },
        signal,
      ),
    ),
    plan_repair: tool<readonly Repair[], ToolTypes['plan_repair']['input']>(({ input, signal }) =>
      ask(planner, questions.repair, input, signal),
    ),
    apply_repair: tool<Change, Repair>(async ({ input, key, signal }) => {
      signal.throwIfAborted();
      return service.repair(input, key);
    }),
    verify_service: tool<Verification, Verified>(async ({ input, signal }) => {
      for (const { cause, now } of input.repairs) if (now === null) await shows(service, cause, signal);
      const symptoms = await service.symptoms(signal);
      const agenda = await ask(planner, questions.plan, { symptoms }, signal);
      return { after: input.repairs, symptoms, agenda };
    }),
    notify_customers: tool<Notice, Ended & { to: readonly string[] }>(async ({ input, key, signal }) => {
      const { to, service: name, causes } = input;
      const text = await decided(ask(planner, questions.word, { service: name, causes }, signal));
      signal.throwIfAborted();
      return service.tell({ to, text }, key);
    }),
    close_incident: tool<Incident, Ended>(async ({ input }) => service.record(input)),
  };
}

/** Checks if a repair whose outcome is unknown was made. @throws where it was not. */
async function shows(service: Service, cause: Hypothesis, signal: AbortSignal): Promise<void> {
  const { fine, says } = await service.look(cause, there(LOOKS[cause][0], 'part to look at'), signal);
  if (fine !== true) throw new Error(`nothing shows that ${cause} was repaired: ${says}`);
}

/**
 * The counterparties that can be asked whether a call happened. Customers are not asked whether they have read a
 * notice.
 */
export function reconcilersOn({ service }: World): Record<string, Reconciler> {
  const said = (output: unknown): ReconcileResult =>
    output === null ? { is: 'not_applied' } : { is: 'applied', output };
  return {
    // Rows and files change in the same moment as they are asked: what they do not show will not happen later.
    find_probe: ({ key }) => said(service.probed(key)),
    find_repair: ({ key }) => said(service.repaired(key)?.output ?? null),
  };
}

/**
 * The undos of the calls. For a probe no reconciler is asked first: the repair that has moved its message on is undone
 * first.
 */
export function undoOn({ service }: World): Record<string, Undo | Inverse> {
  return {
    release: ({ key }) => service.release(key),
    take_back: {
      undo: ({ key, undoKey }) => service.takeBack(key, undoKey),
      moved: ({ key }) => service.repairMoved(key),
    },
  };
}
