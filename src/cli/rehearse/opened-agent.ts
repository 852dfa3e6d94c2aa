/** An agent that is opened for one process of a rehearsed run. */
import type { OpenSubject } from '../../rehearsal/trial/subject.ts';
import { type Agent, letGo, openedFor } from '../../xstate/agent.ts';

/** The name of the run that agents are opened for. */
const RUN = 'rehearsal';

/** Opens an agent in a folder, for one process of a run. */
export async function openedIn(agent: Agent, folder: string, input: unknown): Promise<OpenSubject> {
  const open = await openedFor(agent, { run: RUN, folder, input });
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
    close: () => letGo(open),
  };
}
