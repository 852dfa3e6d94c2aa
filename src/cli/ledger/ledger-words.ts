/** Words that the ledgers of a run share: calls, values, instances, and an outline laid out. */
import { type InstanceId, instanceName, ROOT } from '../../model/instance.ts';
import { type Outline, quoted } from '../../recovery/explain.ts';
import { layOut, type Medium } from '../terminal/terminal.ts';
import { jsonText, shortened } from '../terminal/wording.ts';

/** The lengths of values and names shown in a text, in characters. */
const VALUE = 300;
export const NAME = 100;

/** An entry of a section, indented by two more columns. */
export function block(outline: Outline, medium: Medium): string {
  const told = layOut(null, outline, { ...medium, columns: medium.columns - 2 }).trimEnd();
  return `  ${told.replaceAll('\n', '\n  ')}\n`;
}

/** A call by its tool and its work. */
export function calledText({
  tool,
  instance,
}: {
  readonly tool: string | null;
  readonly instance: InstanceId | null;
}): string {
  return `${tool === null ? 'a call' : quoted(tool)}${ofText(instance)}`;
}

export function ofText(instance: InstanceId | null): string {
  const name = instance === null ? null : nameOf(instance);
  return name === null ? '' : ` of ${quoted(shortened(name, NAME))}`;
}

export function valueText(label: string, value: unknown): string {
  return `${label} ${shortened(jsonText(value), VALUE)}`;
}

/** An instance as it is shown; null for the root instance. */
export function nameOf(instance: InstanceId): string | null {
  return instance.skeleton === ROOT ? null : instanceName(instance);
}
