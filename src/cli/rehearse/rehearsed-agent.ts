/** An agent of a module in the form that a rehearsal takes: each run has a world of its own, in a folder of its own. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { OpenSubject, Subject } from '../../rehearsal/trial/subject.ts';
import type { Agent } from '../../xstate/agent.ts';
import { killedRun } from './killed-run.ts';

/** The name of the run that agents are opened for. */
const RUN = 'rehearsal';

/** An agent under a config. */
export function subjectOf(
  agent: Agent,
  page: Pick<Subject, 'config' | 'document' | 'guards'>,
  files: { readonly machines: string | null; readonly config: string },
): Subject {
  const { machine, rehearsal: { outlives = false, replay = [] } = {} } = agent;
  return {
    machine,
    ...page,
    ...(outlives && {
      killed: (path, append, recorded) => killedRun({ ...files, agent: machine.id, path, replay, recorded }, append),
    }),
    async fresh(input) {
      const folder = mkdtempSync(join(tmpdir(), 'belay-rehearsal-'));
      return {
        open: () => openedIn(agent, folder, input),
        clear: async () => rmSync(folder, { recursive: true, force: true }),
      };
    },
  };
}

/** Opens an agent in a folder, for one process of a run. */
export async function openedIn(agent: Agent, folder: string, input: unknown): Promise<OpenSubject> {
  const open = await agent.open({ run: RUN, folder, input });
  const { machine, reconcilers, undo, buffers, checks, guards } = open;
  return {
    machine,
    ...('input' in open && { input: open.input }),
    ...(reconcilers !== undefined && { reconcilers }),
    ...(undo !== undefined && { undo }),
    ...(buffers !== undefined && { buffers }),
    ...(checks !== undefined && { checks }),
    ...(guards !== undefined && { guards }),
    snapshot: () => open.world?.(),
    close: () => open.close(),
  };
}
