/** The sidecar options of a rehearsed process: counterparties that behave as the fault says, and listeners. */
import { instanceName } from '../../model/instance.ts';
import { SECRET } from '../../sidecar/opening/options.ts';
import type { Report } from '../../sidecar/report.ts';
import type { SidecarOptions } from '../../xstate/attach.ts';
import { DELAYS, type Delays } from '../../xstate/delays.ts';
import { edgesTaken } from '../../xstate/edges-taken.ts';
import type { Delayed } from './delayed.ts';
import type { Observation } from './observation.ts';
import type { Life } from './passing.ts';
import type { People } from './people.ts';
import type { OpenSubject } from './subject.ts';
import type { Transport } from './transport.ts';
import type { TrialOptions } from './trial-options.ts';

/**
 * The name and the secret of every rehearsed run: idempotency keys are made from both, so each run has the same keys.
 */
const RUN = 'rehearsal';
const SHARED = 'rehearsal'.padEnd(64, '0');

/** A process, and the listeners of its acts. */
export interface Told {
  readonly life: Life;
  readonly open: OpenSubject;
  readonly transport: Transport;
  readonly people: People;
  readonly delayed: Delayed;
  readonly seen: Observation;
  readonly edges: Set<string>;
  readonly findings: Set<string>;
}

/** The options of one process. Reports of a dead process are dropped. */
export function sidecarOptions(
  { config, fault }: Pick<TrialOptions, 'config' | 'fault'>,
  { life, open, transport, people, delayed, seen, edges, findings }: Told,
): SidecarOptions {
  const named = fault?.kind === 'call' ? (config.tools.get(fault.tool)?.reconcile ?? null) : null;
  const options: SidecarOptions & { readonly [SECRET]: string; readonly [DELAYS]: Delays } = {
    [SECRET]: SHARED,
    [DELAYS]: delayed.delays(life),
    run: RUN,
    config,
    input: open.input as never,
    reconcilers: transport.reconcilers(life, open, named),
    undo: transport.undos(life, open),
    buffers: open.buffers ?? {},
    checks: open.checks ?? {},
    ...(open.mandate !== undefined && { mandate: open.mandate }),
    ...(open.guards !== undefined && { guards: open.guards }),
    onGate: (gate) => {
      if (life.isAlive) people.asked(gate);
    },
    inspect: (event) => {
      for (const edge of edgesTaken(event)) edges.add(edge);
      if (event.type === '@xstate.event' && event.sourceRef === undefined) people.came(event.event);
    },
    onFinding: ({ code, text }) => {
      if (life.isAlive) findings.add(`${code}: ${text}`);
    },
    onDecision: (report) => {
      if (!life.isAlive) return;
      seen.tell(decisionText(report));
      people.takenBack(report.takenBack);
    },
  };
  return options;
}

function decisionText({ signal, decision }: Report): string {
  const moves = decision.line?.moves.map(({ instance }) => instanceName(instance)) ?? [];
  return `${signal} is answered with ${decision.verdict}${moves.length === 0 ? '' : `: ${moves.join(', ')}`}`;
}
