/**
 * Machines of strangers with the configs that `belay init` writes for them, of which a person has answered nothing but the classes: each
 * ends as under xstate alone, without a fault, and killed at each append.
 */
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { createActor } from 'xstate';
import type { BoundaryConfig } from '../../src/boundaries/config.ts';
import { loadConfig } from '../../src/boundaries/load.ts';
import { initConfig } from '../../src/cli/init/init.ts';
import { attach, resume } from '../../src/xstate/attach.ts';
import { MortalStore } from '../simulation/mortal-store.ts';
import { VirtualTime } from '../virtual-time.ts';
import { STRANGERS } from './strangers/all.ts';
import { Shop } from './strangers/shop.ts';
import type { Stranger } from './strangers/stranger.ts';

const time = new VirtualTime();
/** A test whose timers fire when nothing else is left to do. */
const held =
  <Args extends unknown[]>(work: (...args: Args) => Promise<void>) =>
  (...args: Args) =>
    time.during(() => work(...args));
/** More than any run here needs: what is not over by then, hangs. */
const MOST_MOMENTS = 3_000;
const moment = () => new Promise((resolve) => setTimeout(resolve, 1));

interface Snapshot {
  readonly status: string;
  readonly value: unknown;
  readonly context: object;
  readonly children?: object;
}

/** The context without the references of actors, whose addresses are of a process. */
const plain = (context: object): unknown =>
  JSON.parse(
    JSON.stringify(context, (_, value) =>
      value?.xstate$$type !== undefined || value?.ref !== undefined ? undefined : value,
    ),
  );

/** A person, who does the next thing once the machine has come to rest where it is to be done; and again, where the process has lost it. */
class Person {
  readonly #words: Stranger['person'];
  /** What the machine showed as each word was said. */
  readonly #saw: string[] = [];

  constructor({ person }: Stranger) {
    this.#words = person;
  }

  act(snapshot: Snapshot, send: (event: { readonly type: string }) => void): void {
    const seen = JSON.stringify([snapshot.value, plain(snapshot.context)]);
    const lost = this.#saw.indexOf(seen);
    if (lost >= 0) this.#saw.length = lost;
    const next = this.#words[this.#saw.length];
    if (next === undefined || !JSON.stringify(snapshot.value).includes(next[0])) return;
    this.#saw.push(seen);
    send(next[1]);
  }
}

async function alone(stranger: Stranger) {
  const shop = new Shop();
  const actor = createActor(stranger.machine(shop), { input: stranger.input as never });
  actor.start();
  const person = new Person(stranger);
  let still = 0;
  let last: unknown = null;
  for (let moments = 0; actor.getSnapshot().status === 'active'; moments += 1) {
    if (moments > MOST_MOMENTS)
      throw new Error(`${stranger.name} does not end: ${JSON.stringify(actor.getSnapshot())}`);
    await moment();
    const now = actor.getSnapshot();
    still = now === last ? still + 1 : 0;
    last = now;
    if (still > 6) person.act(now, (event) => actor.send(event));
  }
  const { status, value, context } = actor.getSnapshot();
  return { status, value, context: plain(context), acts: shop.acts };
}

/** The config that `belay init` writes, with the class of each tool answered, and nothing else. */
async function drafted({ name, acts }: Stranger): Promise<BoundaryConfig> {
  const machines = fileURLToPath(new URL('./strangers/drafted.ts', import.meta.url));
  const made = await initConfig({ machine: name, machines, mcp: null, out: null, force: false, onModule: () => {} });
  if ('problem' in made) throw new Error(made.problem);
  let tool = '';
  const answered = made.config.split('\n').map((line) => {
    tool = /^ {2}(\w+):/.exec(line)?.[1] ?? tool;
    return line.replace(/^( {4}effect: )irreversible/, `$1${acts.includes(tool) ? 'idempotent' : 'none'}`);
  });
  const { config, findings } = loadConfig(answered.join('\n'), { file: `${name}.yaml` });
  if (config === null) throw new Error(JSON.stringify(findings));
  return config;
}

/** Runs it under Belay; its processes die at the appends. */
async function under(stranger: Stranger, config: BoundaryConfig, append: number, when: 'before' | 'after' | 'lost') {
  const shop = new Shop();
  const store = new MortalStore([{ append, when }]);
  let deaths = 0;
  let isDown = false;
  store.onDeath = () => {
    deaths += 1;
    isDown = true;
  };
  const findings: string[] = [];
  const decided: string[] = [];
  const person = new Person(stranger);
  const begin = async () => {
    isDown = false;
    const options = {
      run: 'r',
      config,
      journal: await store.next('r'),
      ...(stranger.input !== undefined && { input: stranger.input }),
      onFinding: ({ code, text }: { readonly code: string; readonly text: string }) =>
        void findings.push(`${code} ${text}`),
      onDecision: ({ decision: { verdict } }: { readonly decision: { readonly verdict: string } }) =>
        void decided.push(verdict),
    };
    const machine = stranger.machine(shop);
    const next = deaths === 0 ? await attach(machine, options as never) : await resume(machine, options as never);
    next.actor.start();
    return next;
  };
  let sidecar = await begin();
  let still = 0;
  let last: unknown = null;
  const endOf = () => {
    const { status, value, context } = sidecar.actor.getSnapshot();
    return {
      run: sidecar.status as string,
      status,
      value,
      context: plain(context),
      acts: shop.acts,
      findings,
      decided,
    };
  };
  const isOver = () => !['running', 'recovering', 'ending'].includes(sidecar.status);
  for (let moments = 0; !isOver() || isDown; moments += 1) {
    if (moments > MOST_MOMENTS) return { end: { ...endOf(), run: `hangs as ${sidecar.status}` }, deaths };
    await moment();
    if (isDown) {
      sidecar.actor.stop();
      sidecar = await begin();
    }
    const now = sidecar.actor.getSnapshot();
    still = now === last ? still + 1 : 0;
    last = now;
    if (still > 6 && !isDown && !isOver()) person.act(now as never, (event) => sidecar.actor.send(event as never));
  }
  const end = endOf();
  await sidecar.close();
  return { end, deaths };
}

const DRAFTED = await Promise.all(
  STRANGERS.map(async (stranger) => [stranger.name, stranger, await drafted(stranger)] as const),
);

describe.each(DRAFTED)('%s', (_, stranger, config) => {
  test(
    'ends under Belay as under xstate alone, with what belay init writes',
    held(async () => {
      const wanted = { ...(await alone(stranger)), run: 'done', findings: [], decided: [] };
      const { end } = await under(stranger, config, Number.POSITIVE_INFINITY, 'after');
      expect(end).toEqual(wanted);
    }),
  );

  test(
    'ends so wherever its process dies',
    held(async () => {
      const wanted = await alone(stranger);
      let killed = 0;
      for (const when of ['before', 'after', 'lost'] as const)
        for (let append = 2; ; append += 1) {
          const { end, deaths } = await under(stranger, config, append, when);
          if (deaths === 0) break;
          killed += 1;
          expect({ when, append, ...end }).toMatchObject({ when, append, ...wanted, run: 'done' });
        }
      expect(killed).toBeGreaterThan(10);
    }),
  );
});
