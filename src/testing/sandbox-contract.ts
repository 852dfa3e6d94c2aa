/** The contract of providers of sandboxes, as cases that any runner of tests can run. */
import { PROCESS } from '../clock/clock.ts';
import type { SandboxAsk, SandboxProvider, SandboxState } from '../effects/sandbox.ts';
import { CODE, refuseOther } from '../model/argument.ts';

/** What the cases of {@link sandboxCases} need beside the provider. */
export interface SandboxUnderTest {
  readonly provider: SandboxProvider;
  /** Writes something into a sandbox, by its handle. */
  write(handle: unknown, text: string): Promise<void>;
  /** Reads it; null where nothing was written. */
  read(handle: unknown): Promise<string | null>;
  /** Destroys a sandbox, as an accident would. */
  lose(handle: unknown): Promise<void>;
}

/** One case, which throws if the provider breaks the contract. */
export interface SandboxCase {
  readonly name: string;
  run(): Promise<void>;
}

/**
 * The cases: each makes a provider of its own, and destroys what it has started.
 * @example
 * import { sandboxCases } from 'belay-sidecar/testing';
 *
 * // for (const { name, run } of sandboxCases(() => underTest())) test(name, run);
 * assert.ok(sandboxCases(() => Promise.reject(new Error('none'))).length > 5);
 */
export function sandboxCases(make: () => Promise<SandboxUnderTest>): readonly SandboxCase[] {
  refuseOther('sandboxCases', { make: [make, CODE] });
  return Object.entries(CASES).map(([name, body]) => ({ name, run: () => within(make, body) }));
}

interface Given extends SandboxUnderTest {
  ask(nth?: number): SandboxAsk;
  up(nth?: number): Promise<unknown>;
}

const CASES: Readonly<Record<string, (given: Given) => Promise<void>>> = {
  'a key that was never started is gone': async ({ provider, ask }) => holds(await provider.probe(ask()), 'gone'),
  'a sandbox that was started runs, and holds what is written': async (given) => {
    const handle = await given.up();
    await given.write(handle, 'a');
    is(await given.read(handle), 'a');
  },
  'a key that is started twice is one sandbox': async (given) => {
    await given.write(await given.up(), 'a');
    is(await given.read(await given.up()), 'a');
  },
  'a sandbox that is stopped is started again in place': async (given) => {
    const handle = await given.up();
    await given.write(handle, 'a');
    await given.provider.stop({ ...given.ask(), handle });
    is(await given.read(await given.up()), 'a');
  },
  'a stop finds a sandbox that is being started, or none': async (given) => {
    await given.provider.stop(given.ask());
    await given.provider.start(given.ask());
    await given.provider.stop(given.ask());
    await given.up();
  },
  'two keys are two sandboxes': async (given) => {
    await given.write(await given.up(), 'a');
    is(await given.read(await given.up(1)), null);
  },
  'a sandbox that is lost is gone': async (given) => {
    await given.lose(await given.up());
    holds(await settled(() => given.provider.probe(given.ask()), 'gone'), 'gone');
  },
  'a sandbox is destroyed by its key alone, once or twice': async (given) => {
    await given.up();
    await given.provider.destroy(given.ask());
    await given.provider.destroy(given.ask());
    holds(await settled(() => given.provider.probe(given.ask()), 'gone'), 'gone');
  },
  'a snapshot is what the sandbox held then, in another one too': async (given) => {
    const { provider } = given;
    if (!provider.snapshot || !provider.restore) return;
    const handle = await given.up();
    await given.write(handle, 'a');
    const snapshot = await provider.snapshot({ ...given.ask(), handle });
    await given.write(handle, 'b');
    await given.lose(handle);
    const other = await given.up(1);
    await provider.restore({ ...given.ask(1), handle: other }, snapshot);
    is(await given.read(other), 'a');
  },
};

async function within(make: () => Promise<SandboxUnderTest>, body: (given: Given) => Promise<void>): Promise<void> {
  const made = await make();
  const ask = (nth = 0): SandboxAsk => ({
    key: `r/box${nth === 0 ? '' : `~${nth}`}`,
    run: 'r',
    name: 'box',
    handle: undefined,
  });
  const up = async (nth = 0) => {
    const handle = await made.provider.start(ask(nth));
    const state = await settled(() => made.provider.probe({ ...ask(nth), handle }), 'running');
    holds(state, 'running');
    return handle;
  };
  try {
    await body({ ...made, ask, up });
  } finally {
    for (const nth of [0, 1]) await made.provider.destroy(ask(nth));
  }
}

/** Asks until a state is there, a few seconds at most. */
async function settled(ask: () => Promise<SandboxState>, wanted: SandboxState['is']): Promise<SandboxState> {
  for (let round = 0; ; round += 1) {
    const state = await ask();
    if (state.is === wanted || round === 200) return state;
    await PROCESS.pause(50);
  }
}

function holds({ is: state }: SandboxState, wanted: SandboxState['is']): void {
  is(state, wanted);
}

function is(found: unknown, wanted: unknown): void {
  if (found !== wanted) throw new Error(`it is ${JSON.stringify(found)}, and has to be ${JSON.stringify(wanted)}`);
}
