/** The config of a machine of the zoo, and what the machine comes to without Belay. */
import { createActor } from 'xstate';
import type { BoundaryConfig } from '../../../src/boundaries/config.ts';
import { loadConfig } from '../../../src/boundaries/load.ts';
import type { Exhibit } from './parts.ts';
import type { ZooWorld } from './world.ts';

/** What can be done about what was sent. */
export type Class = 'compensable' | 'irreversible';

export function configOf({ name, units }: Exhibit, effect: Class): BoundaryConfig {
  const names = [...units.matchAll(/^ {2}(\w+):$/gm)].map(([, skeleton]) => skeleton);
  const { config, findings } = loadConfig(
    `belay: 1
agent: zoo
tools:
  look: { reads: [of, n, a], writes: [a], effect: none, timeout: 60 }
  peek: { reads: [], writes: [b], effect: none, timeout: 60 }
  send: { reads: [a, b], writes: [receipt], effect: ${effect}, reconcile: ask, timeout: 60${effect === 'compensable' ? ', undo: undo' : ''} }
skeletons:${units.replaceAll('EVERY', names.join(', '))}
`,
    { file: `${name}.yaml` },
  );
  if (config === null) throw new Error(JSON.stringify(findings));
  return config;
}

export async function until(is: () => boolean): Promise<void> {
  while (!is()) await new Promise((resolve) => setTimeout(resolve, 1));
}

/** True where it waits to be told that all is over. */
export const rests = (value: unknown) => JSON.stringify(value).includes('"rest"');

/** What the machine comes to by itself. */
export async function alone(exhibit: Exhibit, world: ZooWorld) {
  const actor = createActor(exhibit.machine(world)).start();
  await until(() => rests(actor.getSnapshot().value));
  actor.send({ type: 'over' });
  return { status: actor.getSnapshot().status, context: actor.getSnapshot().context, acts: world.standing };
}
