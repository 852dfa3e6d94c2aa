/** What the tests of the agents share: an agent as its reviewer sees it, and runs of it, each in a world of its own. */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readConfig } from '../../src/boundaries/directory.ts';
import { lintConfig } from '../../src/boundaries/lint/lint.ts';
import { type InstanceId, instanceName } from '../../src/model/instance.ts';
import type { Report } from '../../src/sidecar/report.ts';
import type { Agent } from '../../src/xstate/agent.ts';
import { attach, type SidecarOptions } from '../../src/xstate/attach.ts';
import { type Fault, withFault } from '../../src/xstate/faults.ts';
import { machineShape } from '../../src/xstate/shape.ts';

/** A folder of its own for a world. */
export function folder(): string {
  return mkdtempSync(join(tmpdir(), 'belay-world-'));
}

/** An agent as its reviewer sees it: its shape and its config, counted, and what the lint says of them. */
export function reviewed({ machine, config: file }: Agent) {
  const shape = machineShape(machine);
  const { config, document, findings } = readConfig(file);
  if (config === null) throw new Error(JSON.stringify(findings));
  const kinds = [...config.skeletons.values()].flatMap(({ boundaries, rollback }) =>
    boundaries.map(({ kind, id }) => (rollback.pending.includes(id) ? 'pending' : kind)),
  );
  const size = {
    states: shape.states.filter(({ path }) => path !== '').length,
    edges: new Set(shape.edges.map(({ from, to }) => `${from} -> ${to}`)).size,
    skeletons: config.skeletons.size,
    commits: kinds.filter((kind) => kind === 'commit').length,
    exits: kinds.filter((kind) => kind === 'exit').length,
    pending: kinds.filter((kind) => kind === 'pending').length,
  };
  const lint = lintConfig(config, document, shape);
  const warnings = lint.filter(({ severity }) => severity !== 'note');
  /** The edges that leave a skeleton, this one or any, and are no boundary. */
  const notRecoverable = (skeleton = '') =>
    lint
      .filter(({ code, message }) => code === 'not_recoverable' && message.includes(`leaves ${skeleton}`))
      .map(({ message }) => message.split(' (')[0]);
  /** Where the exits of a skeleton lie. */
  const exitsOf = (skeleton: string) =>
    (config.skeletons.get(skeleton)?.boundaries ?? []).flatMap(({ kind, site }) =>
      kind === 'exit' ? ['from' in site ? `${site.from} -> ${site.to}` : site.at] : [],
    );
  return { shape, config, size, lint, warnings, notRecoverable, exitsOf };
}

/** Somebody finds earlier work wrong while a tool is called: the first time, or the nth. */
export interface Found {
  readonly during: string;
  readonly nth?: number;
  readonly instance: InstanceId;
  readonly key: string;
}

/** Runs of an agent, each until it ends or stands still: calls fail in this order, or something is found wrong. */
export function runsOf(agent: Agent) {
  return async (
    input: object,
    failing: Fault | readonly Fault[] | Found = [],
    options: Partial<SidecarOptions> = {},
  ) => {
    const opened = await agent.open({ run: 'r', folder: folder(), input });
    const found = 'during' in failing ? failing : null;
    let { machine } = opened;
    const governors = ('during' in failing ? [] : [failing].flat()).map((fault) => {
      const faulty = withFault(machine, fault);
      machine = faulty.machine;
      return faulty.governor;
    });
    const reports: Report[] = [];
    const calls: string[] = [];
    const named: string[] = [];
    const findings: string[] = [];
    const sidecar = await attach(machine, {
      run: 'r',
      config: agent.config,
      reviewed: true,
      input: opened.input,
      undo: opened.undo ?? {},
      reconcilers: opened.reconcilers ?? {},
      onDecision: (report) => void reports.push(report),
      onFinding: ({ code, text }) => void findings.push(`${code} ${text}`),
      governor: async ({ tool, instance }) => {
        calls.push(tool);
        named.push(`${tool} ${instanceName(instance)}`);
        const nth = calls.filter((call) => call === tool).length;
        if (found?.during === tool && nth === (found.nth ?? 1))
          await sidecar.fail('CONTRACT_VIOLATION', { instance: found.instance, key: found.key });
        return governors.map((denies) => denies({ tool })).find((why) => why !== null) ?? null;
      },
      ...options,
    });
    sidecar.actor.start();
    const { status } = await sidecar.finished();
    const world = (await opened.world?.()) ?? {};
    const { value, context } = sidecar.actor.getSnapshot() as { value: unknown; context: Record<string, unknown> };
    await sidecar.close();
    await opened.close?.();
    const verdicts = reports.map(({ decision }) => decision.verdict);
    const moved = reports.flatMap(
      ({ decision }) => decision.line?.moves.map(({ instance }) => instanceName(instance)) ?? [],
    );
    const decision = reports[0]?.decision;
    return { status, value, context, world, reports, decision, verdicts, moved, calls, named, findings };
  };
}
