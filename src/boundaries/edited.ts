/** The arguments of a call as the person who approves it has changed them (semantics.md PE1). Pure. */
import { isTable } from '../predicates/own.ts';
import { misfitOf, withComputed } from './computed.ts';
import type { BoundaryConfig } from './config.ts';

/** Why a change of arguments is refused. */
interface BadEdit {
  readonly code: 'edit_not_allowed' | 'bad_arguments';
  readonly reason: string;
}

/** The arguments after a change, or why the change is refused. */
export type Edited = { readonly args: unknown } | BadEdit;

/**
 * Changes the arguments of a call: a change has the form of the arguments, with the new values in their places. What the config computes is
 * computed anew, and all of it has to be what the tool takes.
 */
export function edited(config: Pick<BoundaryConfig, 'tools'>, tool: string, args: unknown, change: unknown): Edited {
  const places = config.tools.get(tool)?.gate?.edits ?? [];
  if (places.length === 0) return notAllowed(`the config lists no arguments of ${tool} that a person may change`);
  const made = changed('args', args, change, places);
  if ('code' in made) return made;
  const all = withComputed(config, tool, made.args);
  const reason = misfitOf(config, tool, all);
  return reason === null ? { args: all } : { code: 'bad_arguments', reason };
}

function notAllowed(reason: string): BadEdit {
  return { code: 'edit_not_allowed', reason };
}

function changed(at: string, before: unknown, change: unknown, places: readonly string[]): Edited {
  if (places.includes(at)) return { args: change };
  const may = `only ${places.join(', ')} may be changed`;
  if (!places.some((place) => place.startsWith(`${at}.`))) return notAllowed(`${at} may not be changed: ${may}`);
  if (!isTable(change)) return notAllowed(`the change of ${at} is no map: ${may}`);
  if (!isTable(before)) return notAllowed(`${at} is no map in the arguments of the call: nothing in it can be changed`);
  const names = Object.keys(change);
  if (names.length === 0) return notAllowed(`the change of ${at} changes nothing`);
  const members: [string, unknown][] = [];
  for (const name of names) {
    const member = changed(`${at}.${name}`, before[name], change[name], places);
    if ('code' in member) return member;
    members.push([name, member.args]);
  }
  return { args: Object.fromEntries([...Object.entries(before), ...members]) };
}
