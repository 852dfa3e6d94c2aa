/** The verb `settle` with the key of a call: leaves the outcome for the run, and reports the run's answer. */
import type { SentOutcome } from '../../effects/messages/outcomes.ts';
import type { JournalStore } from '../../journal/journal.ts';
import type { RunMessage } from '../../reports/messages.ts';
import { workClient } from '../../workers/client.ts';
import { outputRefused } from '../approvals/answering.ts';
import { readRun } from '../reading/reading.ts';
import { parsed } from '../reading/typed-json.ts';
import type { Problem } from '../run/run.ts';
import { inStore, outcomeOf } from '../workers/leaving.ts';

/** Options of an outcome by a key. */
interface SettlingOptions {
  readonly journal: string;
  readonly run: string;
  readonly key: string;
  readonly status: SentOutcome['status'];
  /** The answer of the call, as JSON; null for none. */
  readonly output: string | null;
  readonly by: string;
  readonly why: string | null;
  readonly waits: boolean;
}

/** An outcome that was left. */
interface LeftOutcome {
  readonly post: number;
  /** The run's answer; null if no process has the run, or if the command did not wait. */
  readonly outcome: Pick<RunMessage, 'is' | 'why'> | null;
}

/**
 * The reason why the tool of a call cannot have given this output, by the schema in the question about the call; null
 * if it can.
 */
async function refusedOutput(
  store: JournalStore,
  run: string,
  key: string,
  output: { readonly value: unknown } | null,
): Promise<string | null> {
  const { runState, open } = await readRun(store, run);
  const call = runState.ledger.named(key);
  if (call === undefined) return null;
  const asked = open.flatMap(({ entry: { decision } }) => ('unblock' in decision ? decision.unblock.acts : []));
  const of = asked.find((act) => act.act === 'settle_outcome' && act.effect.id === call.key);
  const expects = (of?.act === 'settle_outcome' ? of.ask?.expects : undefined) ?? runState.asked.of(call.key)?.expects;
  return outputRefused({ expects, tool: call.intent.tool }, 'confirmed', output);
}

/** The key of the call that waits at a gate, by the id of the gate or its first characters; any other text as it is. */
async function keyAt(store: JournalStore, run: string, text: string): Promise<string> {
  const { runState } = await readRun(store, run);
  const gates = text.length < 4 ? [] : runState.asked.pending().filter(({ gate }) => gate.startsWith(text));
  return gates.length === 1 ? (gates[0]?.key ?? text) : text;
}

/** Leaves the outcome of a call, and waits for the answer of a living process. */
export async function settleByKey(options: SettlingOptions): Promise<LeftOutcome | Problem> {
  const { journal, run, key: named, status, by, why, waits } = options;
  const output = parsed('--output', options.output);
  if (output !== null && 'problem' in output) return output;
  return inStore(journal, async (store): Promise<LeftOutcome | Problem> => {
    const client = workClient(store);
    const key = status === 'supplied' ? await keyAt(store, run, named) : named;
    const wrong = status === 'confirmed' || status === 'supplied' ? await refusedOutput(store, run, key, output) : null;
    if (wrong !== null) return { problem: wrong, code: 1 };
    const told = { status, ...(output !== null && { output: output.value }) };
    const post = await client.settleKey(run, key, told, { by, ...(why !== null && { why }) });
    const isHeld = (await store.run(run))?.held === true;
    return { post, outcome: waits && isHeld ? await outcomeOf(store, run, post) : null };
  });
}
