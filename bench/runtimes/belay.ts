/** Belay over xstate, in every store: a machine that is sent an event for each step, and one that calls a tool for each. Its built package runs. */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { type BoundaryConfig, type JournalStore, loadConfig, memoryStore } from 'belay-sidecar';
import { postgresStore } from 'belay-sidecar/postgres';
import { sqliteStore } from 'belay-sidecar/sqlite';
import { attach, tool } from 'belay-sidecar/xstate';
import { type AnyStateMachine, assign, setup } from 'xstate';
import { postgresPlace, schemaBytes } from './postgres.ts';
import { FIELDS, FIRST, type Opener, type Pace, type Place, type State, type Update } from './work.ts';

function configOf(agent: string, tools: string, states: string): BoundaryConfig {
  const text = `
belay: 1
agent: ${agent}
tools: ${tools}
skeletons:
  Chain:
    entity: '"it"'
    states: ${states}
    entry: [working]
    outputs: [${FIELDS.join(', ')}]
    commit: [{ id: stepped, at: working, when: 'memory.count >= 0' }]
    rollback: { anchors: [stepped] }
`;
  const { config, findings } = loadConfig(text, { file: `${agent}.yaml` });
  if (config === null) throw new Error(JSON.stringify(findings));
  return config;
}

const SENT = configOf('sent', '{}', '[working, other]');
const CALLED = configOf(
  'called',
  `{ work: { reads: [count], writes: [${FIELDS.join(', ')}], effect: idempotent } }`,
  '[working]',
);

/** A machine that takes a step for each event: two states by turns, and the update assigned. */
export function sentMachine(pace: Pace): AnyStateMachine {
  const step = assign<State, { type: 'step' }, undefined, { type: 'step' }, never>(({ context }) =>
    pace.step(context.count as number),
  );
  return setup({ types: { context: {} as State, events: {} as { type: 'step' } } }).createMachine({
    id: 'sent',
    context: FIRST,
    initial: 'working',
    states: {
      working: { on: { step: { target: 'other', actions: step as never } } },
      other: { on: { step: { target: 'working', actions: step as never } } },
    },
  });
}

/** A machine that calls a tool for each step, and enters its state anew with the answer. */
function calledMachine(pace: Pace): AnyStateMachine {
  const take = assign<State, { type: 'done'; output: Update }, undefined, never, never>(({ event }) => event.output);
  return setup({
    types: { context: {} as State },
    actors: { work: tool<Update, number>(async ({ input }) => pace.step(input)) },
    guards: { more: () => pace.more() },
  }).createMachine({
    id: 'called',
    context: FIRST,
    initial: 'working',
    states: {
      working: {
        invoke: {
          src: 'work',
          input: ({ context }) => context.count as number,
          onDone: [
            { guard: 'more', target: 'working', reenter: true, actions: take as never },
            { target: 'over', actions: take as never },
          ],
        },
      },
      over: { type: 'final' },
    },
  });
}

/** Makes what runs a chain in a store. */
type Way = (pace: Pace) => (run: string, journal: JournalStore) => Promise<void>;

/** Sends the events one after the other, and waits until each is durable where that is asked. */
function sending(durable: boolean): Way {
  return (pace) => {
    const machine = sentMachine(pace);
    return async (run, journal) => {
      const sidecar = await attach(machine, { run, config: SENT, journal });
      sidecar.actor.start();
      while (pace.more()) {
        sidecar.actor.send({ type: 'step' });
        if (durable) await sidecar.durable();
      }
      await sidecar.close();
    };
  };
}

const calling: Way = (pace) => {
  const machine = calledMachine(pace);
  return async (run, journal) => {
    const sidecar = await attach(machine, { run, config: CALLED, journal });
    sidecar.actor.start();
    const { status } = await sidecar.finished();
    if (status !== 'done') throw new Error(`the chain is ${status}`);
    await sidecar.close();
  };
};

/** A store that is open, and how it is opened again. */
interface Kept {
  open(): JournalStore;
  /** The bytes of a store that is closed, so that everything is where it stays. */
  bytes?(): Promise<number>;
}

function over(way: Way, keep: (place: Place) => Kept): Opener {
  return async (place, pace) => {
    const chain = way(pace);
    const { open, bytes } = keep(place);
    let journal = open();
    const measure = async () => {
      await journal.close();
      const size = await bytes?.();
      journal = open();
      return size as number;
    };
    return {
      chain: (run) => chain(run, journal),
      close: async () => journal.close(),
      ...(bytes === undefined ? {} : { bytes: measure }),
    };
  };
}

const inMemory = (): Kept => ({ open: memoryStore });

function inFile({ folder }: Place): Kept {
  const path = join(folder, 'belay.sqlite');
  return { open: () => sqliteStore(path), bytes: async () => statSync(path).size };
}

function inPostgres(place: Place): Kept {
  const { address, schema } = postgresPlace(place);
  return { open: () => postgresStore({ address, schema }), bytes: () => schemaBytes(address, schema) };
}

export const sentInMemory = over(sending(false), inMemory);
export const sentInFile = over(sending(true), inFile);
export const sentInPostgres = over(sending(true), inPostgres);
export const calledInMemory = over(calling, inMemory);
export const calledInFile = over(calling, inFile);
export const calledInPostgres = over(calling, inPostgres);
