/** An agent as a worker carries it: with the digests of its machine and its config. */
import { readConfig } from '../boundaries/directory.ts';
import type { Carried } from '../journal/work.ts';
import type { Guards } from '../predicates/compile.ts';
import type { Agent } from '../xstate/agent.ts';
import { machineShape } from '../xstate/shape.ts';

/** The digests of an agent. @throws Error where its config cannot be read. */
export function carried({ machine, config }: Agent, guards: Guards | undefined): Carried {
  const { config: loaded, findings } = readConfig(config, guards === undefined ? {} : { guards });
  if (loaded !== null) return { agent: machine.id, machine: machineShape(machine).digest, config: loaded.digest };
  const first = findings.find(({ severity }) => severity === 'error');
  const where =
    first === undefined ? config : `${first.file}:${first.line}:${first.column} ${first.code} ${first.message}`;
  throw new Error(`the config of ${machine.id} cannot be read: ${where}`);
}
