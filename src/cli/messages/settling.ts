/** The verb `settle` with the key of a call: it leaves the outcome for the run, and tells what the run made of it. */
import type { RunMessage } from '../../reports/messages.ts';
import { workClient } from '../../workers/client.ts';
import { parsed } from '../reading/typed-json.ts';
import type { Problem } from '../run/run.ts';
import { inStore, outcomeOf } from '../workers/leaving.ts';

/** Options of an outcome by a key. */
interface SettlingOptions {
  readonly journal: string;
  readonly run: string;
  readonly key: string;
  readonly status: 'confirmed' | 'failed' | 'compensated' | 'stands';
  /** The answer of the call, as JSON; null for none. */
  readonly output: string | null;
  readonly by: string;
  readonly why: string | null;
  readonly waits: boolean;
}

/** An outcome that was left. */
interface LeftOutcome {
  readonly post: number;
  /** The result; null where no process has the run, or it was not waited for. */
  readonly outcome: Pick<RunMessage, 'is' | 'why'> | null;
}

/** Leaves the outcome of a call, and waits for what a living process makes of it. */
export async function settleByKey(options: SettlingOptions): Promise<LeftOutcome | Problem> {
  const { journal, run, key, status, by, why, waits } = options;
  const output = parsed('--output', options.output);
  if (output !== null && 'problem' in output) return output;
  return inStore(journal, async (store) => {
    const client = workClient(store);
    const told = { status, ...(output !== null && { output: output.value }) };
    const post = await client.settleKey(run, key, told, { by, ...(why !== null && { why }) });
    const isHeld = (await store.run(run))?.held === true;
    return { post, outcome: waits && isHeld ? await outcomeOf(store, run, post) : null };
  });
}
