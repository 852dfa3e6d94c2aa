/** A draft of `belay init`, by the command as it is built. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { ROOT } from '../root.ts';

/** Has a config drafted for a machine of the domains. @returns the page. */
export function draftOf(machine: string): string {
  const cli = join(ROOT, 'dist/cli/main.js');
  const modules = join(ROOT, 'build/domains/agents.js');
  return execFileSync(process.execPath, [cli, 'init', machine, '--machines', modules], { encoding: 'utf8' });
}
