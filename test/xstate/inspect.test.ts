/** `@statelyai/inspect` sees a machine that is attached as it sees any other: its actors, events and snapshots, after a restore too. */
import { createInspector, type StatelyInspectionEvent } from '@statelyai/inspect';
import { expect, test } from 'vitest';
import { type AnyStateMachine, createActor } from 'xstate';
import { memoryStore } from '../../src/journal/memory/store.ts';
import { attach, resume } from '../../src/xstate/attach.ts';
import { until } from '../poll.ts';
import { Line, type Station } from '../sidecar/stations.ts';

const SHOP: readonly Station[] = [
  { name: 'quote', reads: ['wanted'] },
  { name: 'pay', reads: ['quote'] },
];

/** An inspector whose adapter keeps what it is sent, as the text that a socket would carry. */
class Inspected {
  readonly #sent: string[] = [];
  readonly inspect = createInspector({ send: (event) => void this.#sent.push(JSON.stringify(event)) }).inspect;

  get events(): StatelyInspectionEvent[] {
    return this.#sent.map((text) => JSON.parse(text));
  }

  /** The actors, by the names that their page shows. */
  get actors(): string[] {
    return this.events.flatMap((event) => (event.type === '@xstate.actor' ? [event.name] : []));
  }

  /** The types of the events that the root took, without those by which xstate begins. */
  get taken(): string[] {
    const root = this.events[0]?.sessionId;
    const own = this.events.filter((event) => event.type === '@xstate.event' && event.sessionId === root);
    return own.flatMap((event) => ('event' in event && event.event.type !== 'xstate.init' ? [event.event.type] : []));
  }

  /** The states of the root, each as it was come to. */
  get states(): unknown[] {
    const root = this.events[0]?.sessionId;
    const values = this.events.flatMap((event) => {
      if (event.type !== '@xstate.snapshot' || event.sessionId !== root) return [];
      return [(event.snapshot as { readonly value?: unknown }).value];
    });
    return values.filter((value, index) => index === 0 || value !== values[index - 1]);
  }

  at(state: string): Promise<void> {
    return until(() => this.states.at(-1) === state);
  }
}

const options = (line: Line) => ({ run: 'r', config: line.config });
const machine = (line: Line) => line.machine as unknown as AnyStateMachine;

test('it is sent the actors, the events and the snapshots that it is sent of the bare machine', async () => {
  const bare = new Inspected();
  const actor = createActor(machine(new Line(SHOP)), { inspect: bare.inspect }).start();
  actor.send({ type: 'go' });
  await bare.at('rest');
  const attached = new Inspected();
  const line = new Line(SHOP);
  const sidecar = await attach(machine(line), { ...options(line), inspect: attached.inspect });
  sidecar.actor.start();
  sidecar.actor.send({ type: 'go' });
  await attached.at('rest');
  expect(attached.states).toEqual(['idle', 'quote', 'pay', 'rest']);
  expect([attached.states, attached.actors, attached.taken]).toEqual([bare.states, bare.actors, bare.taken]);
  const shape = (definition: unknown) => Object.keys(JSON.parse(String(definition)).states);
  const [[own], [other]] = [attached.events, bare.events] as [{ definition?: string }[], { definition?: string }[]];
  expect(shape(own?.definition)).toEqual(shape(other?.definition));
  await sidecar.close();
});

test('after a restore it is sent the restored state and what follows, by the actor that it knows', async () => {
  const seen = new Inspected();
  const line = new Line(SHOP, { pay: ({ nth }) => (nth === 0 ? Promise.reject(new Error('reset')) : 'paid') });
  const sidecar = await attach(machine(line), { ...options(line), inspect: seen.inspect });
  sidecar.actor.start();
  sidecar.actor.send({ type: 'go' });
  await seen.at('rest');
  expect(seen.actors).toEqual(['line', '0.line.quote', '0.line.pay', '0.line.pay']);
  expect(seen.taken).toEqual([
    'go',
    'xstate.done.actor.0.line.quote',
    '@belay.restore',
    'xstate.done.actor.0.line.pay',
  ]);
  const restored = seen.events.find(
    (event) => event.type === '@xstate.snapshot' && event.event.type === '@belay.restore',
  );
  expect(restored).toMatchObject({ snapshot: { value: 'pay', context: { quote: 'quote x' } } });
  expect(new Set(seen.events.map(({ rootId }) => rootId)).size).toBe(1);
  await sidecar.close();
});

test('in the next process it is sent the state that the run is taken up in', async () => {
  const journal = memoryStore();
  const line = new Line(SHOP);
  const first = await attach(machine(line), { ...options(line), journal });
  first.actor.start();
  first.actor.send({ type: 'go' });
  await until(() => first.actor.getSnapshot().value === 'rest');
  await first.close();
  const seen = new Inspected();
  const next = await resume(machine(line), { ...options(line), journal, inspect: seen.inspect });
  next.actor.start();
  await seen.at('rest');
  expect(seen.events[0]).toMatchObject({
    type: '@xstate.actor',
    name: 'line',
    snapshot: { status: 'active', value: 'rest', context: { quote: 'quote x', pay: 'pay quote x' } },
  });
  next.actor.send({ type: 'end' });
  await next.finished();
  await seen.at('over');
  expect([seen.taken.at(-1), seen.states.at(-1)]).toEqual(['end', 'over']);
  await next.close();
});
