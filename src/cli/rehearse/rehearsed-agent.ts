/** An agent of a module in the form that a rehearsal takes: each run has a world of its own, in a folder of its own. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Subject } from '../../rehearsal/trial/subject.ts';
import type { Agent } from '../../xstate/agent.ts';
import { killedRun } from './killed-run.ts';
import { openedIn } from './opened-agent.ts';

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
