/** What the runs of this folder share: a sidecar from the text of its config, and waits that end. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { AnyStateMachine } from 'xstate';
import type { BoundaryConfig } from '../../../src/index.ts';
import { loadConfig } from '../../../src/index.ts';
import type { SidecarOptions } from '../../../src/xstate/index.ts';
import { attach } from '../../../src/xstate/index.ts';
import { calm, HANG } from '../../poll.ts';

/** A sidecar as far as these waits look at it. */
interface Watched {
  readonly actor: { getSnapshot(): { readonly value: unknown } };
  readonly status: string;
}

/** Loads the config of a test; one with errors fails the test. */
export function configOf(text: string): BoundaryConfig {
  const { config, findings } = loadConfig(text, { file: 'page.yaml' });
  if (config === null) throw new Error(findings.map(({ line, message }) => `${line}: ${message}`).join('\n'));
  return config;
}

/** Attaches a machine and starts it. The sidecar is closed when the test is over. */
export async function begin<TMachine extends AnyStateMachine>(
  machine: TMachine,
  config: string,
  options: Omit<Partial<SidecarOptions<TMachine>>, 'config'> = {},
) {
  const sidecar = await attach(machine, { run: 'r', config: configOf(config), ...options });
  onTestFinished(() => sidecar.close());
  sidecar.actor.start();
  return sidecar;
}

/** Resolves with the ending of a run, and throws if it neither ends nor parks within the limit. */
export async function ended<TEnding>(
  sidecar: Watched & { finished(): Promise<TEnding> },
  within = HANG,
): Promise<TEnding> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const hang = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      const { value } = sidecar.actor.getSnapshot();
      reject(new Error(`the run hangs at ${JSON.stringify(value)}, ${sidecar.status}`));
    }, within);
  });
  try {
    return await Promise.race([sidecar.finished(), hang]);
  } finally {
    clearTimeout(timer);
  }
}

/** Resolves once the machine stands in a state. A run that is over or parked throws, and so does one that takes too long. */
export async function reached(sidecar: Watched, state: string, within = HANG): Promise<void> {
  const end = Date.now() + within;
  while (sidecar.actor.getSnapshot().value !== state) {
    const { value } = sidecar.actor.getSnapshot();
    if (sidecar.status !== 'running' || Date.now() > end) {
      throw new Error(`never came to ${state}: at ${JSON.stringify(value)}, ${sidecar.status}`);
    }
    await calm(2);
  }
}

/** Makes an empty folder that is removed when the test is over. */
export function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'belay-control-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}
