/**
 * The rules of calls that an older version of a tool has made: the tool `book@2` of a config says them of version 2 of
 * `book` (semantics.md CO7).
 */
import { type ToolVersion, takesVersion, versioned } from '../model/tool-version.ts';
import type { BoundaryConfig, Tool } from './config.ts';

/** A call that was made. */
interface Made {
  readonly tool: string;
  readonly intent: { readonly version?: string };
}

/** True for the name of a tool that no state calls: it says the rules of an older version. */
export function isOfVersion(name: string): boolean {
  return name.includes('@');
}

/**
 * The rules of a call: the rules of its tool if the tool takes the call's version, else the rules of the version.
 * Undefined if the config has neither.
 * @param versions the versions that tools of the program name; undefined for a program that shows no versions.
 */
export function rulesOf(
  { tools }: Pick<BoundaryConfig, 'tools'>,
  versions: ReadonlyMap<string, ToolVersion> | undefined,
  { tool, intent: { version } }: Made,
): Tool | undefined {
  const [own, older] = [tools.get(tool), tools.get(versioned(tool, version))];
  if (versions === undefined) return older ?? own;
  return own !== undefined && takesVersion(versions.get(tool), version) ? own : older;
}

/** The tool of a config that says what a call touches; a name that the config does not have may touch anything (E6). */
export function touchesAs(
  config: Pick<BoundaryConfig, 'tools'>,
  versions: ReadonlyMap<string, ToolVersion> | undefined,
  call: Made,
): string {
  return rulesOf(config, versions, call)?.name ?? versioned(call.tool, call.intent.version);
}
