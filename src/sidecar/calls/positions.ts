/** Asks the staging areas for their positions before a call reads from them (semantics.md E4). */
import type { StagingArea } from '../../effects/counterparty.ts';
import { errorMessage, NotApplied } from '../../effects/signals.ts';
import { areasOver, readBy } from '../../effects/touched.ts';
import type { InstanceId } from '../../model/instance.ts';
import type { Call } from '../../runtime/runtime.ts';
import type { RunParts, Writer } from '../parts.ts';
import { broughtAs } from '../registered.ts';

/** Makes a call journal the positions of the areas that its tool reads, before the tool acts. */
export function positioned(
  call: Call,
  number: number,
  instance: InstanceId,
  { config, buffers }: RunParts,
  write: Writer,
): Call {
  const reads = readBy(config, { tool: call.tool, args: call.input, entity: instance.entity });
  const areas = reads.length === 0 ? [] : areasOver(config, reads).filter((name) => broughtAs(buffers, name)?.position);
  if (areas.length === 0) return call;
  const texts = reads.map(({ text }) => text);
  const act = async (key: string | undefined, own: AbortSignal, input: unknown, sandbox?: unknown) => {
    const said: Record<string, string> = {};
    for (const name of areas) said[name] = await positionOf(name, broughtAs(buffers, name), texts);
    if (own.aborted) throw new NotApplied('the call was stopped before it acted');
    const what = { actor: number, instance, ...(key !== undefined && { key }), reads: texts, areas: said };
    write.append([{ do: 'position', ...what }]);
    return call.act(key, own, input, sandbox);
  };
  return { ...call, act };
}

/**
 * The position of a staging area. @throws NotApplied if the area does not report one: no later check could tell whether
 * it has moved on.
 */
async function positionOf(name: string, area: StagingArea | undefined, reads: readonly string[]): Promise<string> {
  try {
    return (await area?.position?.(reads)) ?? '';
  } catch (error) {
    throw new NotApplied(`the staging area ${name} does not say where it is: ${errorMessage(error)}`);
  }
}
