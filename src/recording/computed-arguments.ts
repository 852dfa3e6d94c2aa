/** A microstep whose calls have their computed arguments, before anything is read of it (semantics.md CS2, CS3). */
import { withComputed } from '../boundaries/computed.ts';
import { isEqual } from '../projection/set-aside/records.ts';
import type { Child, Microstep } from '../runtime/microstep.ts';
import type { Entering } from './entering.ts';
import type { StepView } from './step-view.ts';

/** The most characters of a value in a finding. */
const LONGEST = 100;

/** An argument whose value was given otherwise than it is computed. */
export interface Replaced {
  readonly child: Child;
  readonly given: object;
  readonly name: string;
}

/** The microstep with the computed arguments of its calls in place, and the arguments that were given otherwise. */
export function computedIn(
  config: StepView['config'],
  seen: Microstep,
): { readonly seen: Microstep; readonly replaced: readonly Replaced[] } {
  if (seen.started.length === 0) return { seen, replaced: [] };
  const replaced: Replaced[] = [];
  const started = seen.started.map((child) => {
    const input = child.kind === 'promise' ? withComputed(config, child.src, child.input) : child.input;
    if (input === child.input) return child;
    const [now, given] = [{ ...child, input }, child.input as object];
    for (const name of config.tools.get(child.src as string)?.computed?.texts.keys() ?? []) {
      const said = (given as Record<string, unknown>)[name];
      if (Object.hasOwn(given, name) && said !== undefined && !isEqual(said, memberOf(input, name)))
        replaced.push({ child: now, given, name });
    }
    return now;
  });
  const isSame = started.every((child, index) => child === seen.started[index]);
  return { seen: isSame ? seen : { ...seen, started }, replaced };
}

/** Tells of the arguments that were given otherwise than they are computed, with both values as they may be shown. */
export function tellReplaced(view: StepView, { parties, entered }: Entering, replaced: readonly Replaced[]): void {
  const { redaction } = view.runState;
  const acting = () => [...parties.map(({ instance }) => instance), ...entered.map(({ id }) => id)];
  for (const { child, given, name } of replaced) {
    const tool = child.src as string;
    const [said, is] = [given, child.input].map((args) => shown(memberOf(redaction.args(tool, args), name)));
    const text = `${tool}: ${name} was given as ${said}, and is computed as ${is}, which counts`;
    const caller = acting().find((instance) => view.toolsOf(instance).some(({ args }) => args === child.input));
    view.find('computed_differs', caller ?? null, text);
  }
}

function memberOf(args: unknown, name: string): unknown {
  return (args as Record<string, unknown>)[name];
}

function shown(value: unknown): string {
  let text: string;
  try {
    text = JSON.stringify(value) ?? String(value);
  } catch {
    text = 'a value that cannot be shown';
  }
  return text.length > LONGEST ? `${text.slice(0, LONGEST - 3)}...` : text;
}
