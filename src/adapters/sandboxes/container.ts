/** Sandboxes that are containers, by the command of docker or podman. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { SandboxAsk, SandboxProvider } from '../../effects/sandbox.ts';
import { listOf, NAME, optional, refuseOther, shape, TEXT } from '../../model/argument.ts';
import { nameOf } from './folder.ts';

const run = promisify(execFile);

/** The handle of a sandbox that is a container. */
export interface ContainerHandle {
  /** The name of the container, for `docker exec`. */
  readonly container: string;
}

/** The options of {@link containerSandboxes}. */
export interface ContainerOptions {
  readonly image: string;
  /** `docker` or `podman`, or the path of either; `docker` if left out. */
  readonly command?: string;
  /** Further arguments of `run`, before the image: limits, networks, mounts. */
  readonly args?: readonly string[];
  /** The program in it, which has to stay; `sleep infinity` if left out. */
  readonly program?: readonly string[];
}

const OPTIONS = shape<ContainerOptions>('options such as { image }', {
  image: NAME,
  command: optional(NAME),
  args: optional(listOf(TEXT)),
  program: optional(listOf(TEXT)),
});

/**
 * Makes each sandbox a container of its own: stopped and started in place, kept as an image by a snapshot.
 * @example
 * import { containerSandboxes } from 'belay-sidecar/adapters';
 *
 * const boxes = containerSandboxes({ image: 'debian:stable-slim', args: ['--network', 'none'] });
 * assert.ok(boxes.snapshot);
 */
export function containerSandboxes(options: ContainerOptions): Required<SandboxProvider> {
  refuseOther('containerSandboxes', { options: [options, OPTIONS] });
  const { image, command = 'docker', args = [], program = ['sleep', 'infinity'] } = options;
  const engine = async (...given: readonly string[]) => (await run(command, given)).stdout.trim();
  const container = ({ key }: SandboxAsk) => `belay-${nameOf(key).toLowerCase().replace(/_/g, '-')}`;
  const make = (ask: SandboxAsk, from: string) =>
    engine('run', '--detach', '--name', container(ask), ...args, from, ...program);
  /** The state of a container; null where there is none. An engine that does not answer is no answer. */
  const stateOf = async (ask: SandboxAsk): Promise<string | null> => {
    const all = await engine('ps', '--all', '--filter', `name=^${container(ask)}$`, '--format', '{{.State}}');
    return all === '' ? null : (all.split('\n')[0] as string).toLowerCase();
  };
  const destroy = async (ask: SandboxAsk) => {
    if ((await stateOf(ask)) !== null) await engine('rm', '--force', '--volumes', container(ask));
  };
  return {
    start: async (ask): Promise<ContainerHandle> => {
      const state = await stateOf(ask);
      if (state === null) await make(ask, image);
      else if (state !== 'running') await engine('start', container(ask));
      return { container: container(ask) };
    },
    probe: async (ask) => {
      const state = await stateOf(ask);
      if (state === null || state === 'dead' || state === 'removing') return { is: 'gone' };
      if (state === 'running') return { is: 'running', handle: { container: container(ask) } };
      return { is: state === 'restarting' ? 'starting' : 'stopped' };
    },
    stop: async (ask) => {
      if ((await stateOf(ask)) === 'running') await engine('stop', '--time', '5', container(ask));
    },
    destroy,
    snapshot: (ask) => engine('commit', container(ask)),
    restore: async (ask, snapshot) => {
      await destroy(ask);
      await make(ask, String(snapshot));
    },
  };
}
