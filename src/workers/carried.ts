/** An agent as a worker carries it: by the digests of its machine and its config, and the version of its code. */
import { readConfig } from '../boundaries/directory.ts';
import type { Carried } from '../journal/work.ts';
import type { Guards } from '../predicates/compile.ts';
import type { Agent } from '../xstate/agent.ts';
import { machineShape } from '../xstate/shape.ts';

/** @param named the version of all agents of the worker, in place of their own. @throws Error where its config cannot be read. */
export function carried(
  { machine, config, version }: Agent,
  guards: Guards | undefined,
  named: string | undefined,
): Carried {
  const { config: loaded, findings } = readConfig(config, guards === undefined ? {} : { guards });
  if (loaded !== null) {
    const digests = { machine: machineShape(machine).digest, config: loaded.digest };
    return { agent: machine.id, ...digests, version: named ?? version ?? null };
  }
  const first = findings.find(({ severity }) => severity === 'error');
  const where =
    first === undefined ? config : `${first.file}:${first.line}:${first.column} ${first.code} ${first.message}`;
  throw new Error(`the config of ${machine.id} cannot be read: ${where}`);
}
