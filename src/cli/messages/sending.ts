/** The verb `send`: leaves an event for a run, and reports its outcome. */
import type { RunMessage } from '../../reports/messages.ts';
import { workClient } from '../../workers/client.ts';
import type { Problem } from '../run/run.ts';
import { inStore, outcomeOf, turnOutcome } from '../workers/leaving.ts';

/** Options of `send`. */
export interface SendOptions {
  readonly journal: string;
  readonly run: string;
  /** The type of an event, or an event as a JSON object. */
  readonly event: string;
  readonly at: string | null;
  readonly by: string | null;
  readonly id: string | null;
  /** The values that the sender was shown, as a JSON object by their keys; null for none. */
  readonly seen: string | null;
  /** True to wait for what becomes of it, where a process has the run. */
  readonly waits: boolean;
}

/** An event that is left for a run. */
export interface LeftEvent {
  readonly run: string;
  readonly event: string;
  /** The number of the message. */
  readonly post: number;
  readonly held: boolean;
  /** The outcome; left out where it was not waited for. */
  readonly outcome?: Pick<RunMessage, 'is' | 'why' | 'turn'>;
}

/** Leaves an event for a run. */
export async function sendEvent(options: SendOptions): Promise<LeftEvent | Problem> {
  const { journal, run, at, by, id, waits } = options;
  const parsed = eventIn(options.event);
  if ('problem' in parsed) return parsed;
  const seen = options.seen === null ? null : seenIn(options.seen);
  if (seen !== null && 'problem' in seen) return seen;
  return inStore(journal, async (store) => {
    const named = { ...(id !== null && { id }), ...(seen !== null && { seen: seen.values }) };
    const how = { ...(at !== null && { at }), ...(by !== null && { by }), ...named };
    const client = workClient(store);
    const post = await client.send(run, parsed.event, how);
    const held = (await store.run(run))?.held ?? false;
    const read = parsed.event.type === 'turn' ? turnOutcome : outcomeOf;
    const outcome = waits ? await read(store, run, post) : null;
    return { run, event: parsed.event.type, post, held, ...(outcome !== null && { outcome }) };
  });
}

function seenIn(text: string): { readonly values: Readonly<Record<string, unknown>> } | Problem {
  try {
    const values: unknown = JSON.parse(text);
    if (typeof values === 'object' && values !== null && !Array.isArray(values))
      return { values: values as Readonly<Record<string, unknown>> };
    return { problem: `--seen is a JSON object, by the keys of the context: {"price":500}` };
  } catch (error) {
    return { problem: `--seen is not JSON: ${(error as Error).message}` };
  }
}

function eventIn(text: string): { readonly event: { readonly type: string } } | Problem {
  if (!text.trimStart().startsWith('{')) return { event: { type: text } };
  try {
    const event = JSON.parse(text) as { type?: unknown };
    if (typeof event.type === 'string') return { event: event as { type: string } };
    return { problem: `the event has no "type": {"type":"PAID","amount":5}` };
  } catch (error) {
    return { problem: `the event is not JSON: ${(error as Error).message}` };
  }
}
