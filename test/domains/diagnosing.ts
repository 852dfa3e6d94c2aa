/** Runs of the diagnosis agent, each in a world of its own, with what was seen of it. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach } from 'vitest';
import { agents } from '../../domains/agents.ts';
import { instanceName } from '../../src/model/instance.ts';
import { attach, type SidecarOptions } from '../../src/sidecar/attach.ts';
import type { Report } from '../../src/sidecar/report.ts';
import { type Fault, withFault } from '../../src/xstate/faults.ts';

export const agent = agents.diagnosis;
const folders: string[] = [];
/** A folder of its own for a world; it is removed after the test. */
export const folder = () => {
  const made = mkdtempSync(join(tmpdir(), 'belay-diagnosis-'));
  folders.push(made);
  return made;
};
afterEach(() => {
  for (const each of folders.splice(0)) rmSync(each, { recursive: true, force: true });
});

/** Somebody finds earlier work wrong when a tool is called: the first call, or the nth. */
export interface Found {
  readonly during: string;
  readonly instance: readonly [skeleton: string, entity: string, ordinal: number];
  readonly key: string;
}

interface Given extends Partial<SidecarOptions> {
  /** What fails, in this order. */
  readonly faults?: readonly Fault[];
  readonly found?: Found;
}

/** Runs the agent in a world of its own until it ends or stands still. */
export async function run(input: object, { faults = [], found, ...options }: Given = {}) {
  const opened = await agent.open({ run: 'r', folder: folder(), input });
  let { machine } = opened;
  const governors = faults.map((fault) => {
    const faulty = withFault(machine, fault);
    machine = faulty.machine;
    return faulty.governor;
  });
  const reports: Report[] = [];
  const calls: string[] = [];
  const told: string[] = [];
  const sidecar = await attach(machine, {
    run: 'r',
    config: agent.config,
    input: opened.input,
    undo: opened.undo ?? {},
    reconcilers: opened.reconcilers ?? {},
    reviewed: true,
    onDecision: (report) => void reports.push(report),
    onFinding: ({ code, text }) => void told.push(`${code} ${text.split(' does not')[0]}`),
    governor: async ({ tool, instance }) => {
      calls.push(`${tool} ${instanceName(instance)}`);
      const nth = calls.filter((call) => call.startsWith(`${tool} `)).length;
      if (found?.during === `${tool}#${nth}`) {
        const [skeleton, entity, ordinal] = found.instance;
        await sidecar.fail('CONTRACT_VIOLATION', { instance: { skeleton, entity, ordinal }, key: found.key });
      }
      return governors.map((denies) => denies({ tool })).find((why) => why !== null) ?? null;
    },
    ...options,
  });
  sidecar.actor.start();
  const ending = await sidecar.finished();
  const world = (await opened.world?.()) ?? {};
  const { value, context } = sidecar.actor.getSnapshot() as { value: unknown; context: Record<string, unknown> };
  await sidecar.close();
  await opened.close();
  const verdicts = reports.map(({ decision }) => decision.verdict);
  const moved = reports.flatMap(
    ({ decision }) => decision.line?.moves.map((move) => instanceName(move.instance)) ?? [],
  );
  return { ending, world, value, context, reports, verdicts, moved, calls, findings: told };
}
