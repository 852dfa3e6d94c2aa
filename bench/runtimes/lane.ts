/**
 * One runtime in a process of its own, so that its time of the processor is its own too: `lane.ts MODULE EXPORT`. Asked over the channel of
 * `fork`, it runs chains and answers with what they took.
 */
import { cpuOf } from '../comparison/processor.ts';
import { answering } from './answering.ts';
import { type Opener, type Pace, type Place, type Runtime, updateOf } from './work.ts';

/** A request to a lane. */
export type Asked =
  | { readonly do: 'open'; readonly place: Place }
  /** One chain of so many steps. */
  | { readonly do: 'chain'; readonly steps: number }
  /** So many chains at once, which go on; answered once each has taken a step. */
  | { readonly do: 'begin'; readonly runs: number }
  /** Their steps in so many milliseconds. */
  | { readonly do: 'measure'; readonly time: number }
  /** Their end. */
  | { readonly do: 'end' }
  | { readonly do: 'bytes' }
  | { readonly do: 'close' };

/** What one chain took: microseconds from step to step, and of the processor for all of it, here and in servers beside. */
export interface Chained {
  readonly times: readonly number[];
  readonly cpu: number;
  readonly server: number | null;
}

/** What a load came to. */
export interface Loaded {
  readonly steps: number;
  /** Microseconds of the processor, in this process. */
  readonly cpu: number;
  /** Milliseconds that were measured. */
  readonly time: number;
}

const [module = '', name = ''] = process.argv.slice(2);
let runtime: Runtime;
let runs = 0;

const nameOf = () => {
  runs += 1;
  return `${process.pid}-${runs}`;
};

const used = () => {
  const { user, system } = process.cpuUsage();
  return user + system;
};

/** What the chains of this process obey; there is another one for each chain and each load. */
let current: Pace;
const pace: Pace = { step: (count) => current.step(count), more: () => current.more() };

/** A pace of so many steps, which keeps the time of each. */
function counted(steps: number, times: number[]): Pace {
  let taken = 0;
  let last = 0;
  return {
    step: (count) => {
      const now = performance.now();
      if (taken > 0) times.push((now - last) * 1_000);
      last = now;
      taken += 1;
      return updateOf(count);
    },
    more: () => taken < steps,
  };
}

async function chain(steps: number): Promise<Chained> {
  const times: number[] = [];
  const servers = (await runtime.servers?.()) ?? [];
  current = counted(steps, times);
  const [cpu, server] = [used(), cpuOf(servers)];
  await runtime.chain(nameOf());
  return { times, cpu: used() - cpu, server: servers.length === 0 ? null : cpuOf(servers) - server };
}

/** The chains of a load, and the steps that they have taken. */
interface Load {
  steps: number;
  over: boolean;
  all: Promise<unknown>;
}

let load: Load = { steps: 0, over: true, all: Promise.resolve() };

async function begin(count: number): Promise<null> {
  const own: Load = { steps: 0, over: false, all: Promise.resolve() };
  load = own;
  let waiting = count;
  const begun = new Promise<void>((resolve) => {
    current = {
      step: (done) => {
        own.steps += 1;
        if (done === 0) waiting -= 1;
        if (waiting === 0) resolve();
        return updateOf(done);
      },
      more: () => !own.over,
    };
  });
  own.all = Promise.all(Array.from({ length: count }, () => runtime.chain(nameOf())));
  await Promise.race([own.all, begun]);
  return null;
}

async function measure(time: number): Promise<Loaded> {
  // A chain that fails is told at once, and not after the time.
  const [from, begun, cpu] = [performance.now(), load.steps, used()];
  await Promise.race([load.all, new Promise((resolve) => setTimeout(resolve, time))]);
  return { steps: load.steps - begun, cpu: used() - cpu, time: performance.now() - from };
}

async function end(): Promise<null> {
  load.over = true;
  await load.all;
  return null;
}

async function answer(asked: Asked): Promise<unknown> {
  switch (asked.do) {
    case 'open': {
      const opener = (await import(`../${module}`))[name] as Opener;
      runtime = await opener(asked.place, pace);
      return null;
    }
    case 'chain':
      return chain(asked.steps);
    case 'begin':
      return begin(asked.runs);
    case 'measure':
      return measure(asked.time);
    case 'end':
      return end();
    case 'bytes':
      return (await runtime.bytes?.()) ?? null;
    case 'close':
      await runtime.close();
      return null;
  }
}

answering<Asked>(answer);
