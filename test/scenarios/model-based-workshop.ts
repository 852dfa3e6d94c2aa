/**
 * A workshop: a machine that does nothing by itself and everything that it is told, region by region, so that a test can drive any
 * history through the real sidecar.
 */
import { type AnyStateMachine, assign, fromPromise, setup } from 'xstate';
import type { BoundaryConfig } from '../../src/boundaries/config.ts';
import { loadConfig } from '../../src/boundaries/load.ts';
import { tool } from '../../src/xstate/tool.ts';
import { ACTS, type Workworld } from './model-based-world.ts';

/** The regions of the workshop. */
export const REGIONS = ['r0', 'r1', 'r2'] as const;
export type RegionName = (typeof REGIONS)[number];

/** The reviewed config. `tries` is a part of what certificates rest on, and nothing else here: a key that is named after it. */
export function workshopConfig(tries = 40, joint: readonly string[] = []): BoundaryConfig {
  const skeletons = REGIONS.map(
    (region) => `
  ${region.toUpperCase()}:
    entity: memory.who.${region}
    states: [${region}.working]
    entry: [${region}.working]
    outputs: ["cells/**", "asked/${region}"]
    commit:
      - { id: kept, at: ${region}.working.committing, when: 'true', outputs: ["cells/**"] }
    exit:
      - { id: left, at: ${region}.working.open -> ${region}.idle, when: 'true', outputs: ["cells/**"] }
    rollback: { anchors: [kept, left], resume: ${region}.working.open, compensable: undo, tries: 5, joint: ${JSON.stringify(joint)} }`,
  );
  const acts = ACTS.map(
    (name) =>
      `  ${name}: { reads: [], writes: ["cells/{args.at}"], effect: ${name}, reconcile: ask, timeout: 40, output: { type: string }${name === 'compensable' ? ', undo: take_back' : ''} }`,
  );
  // Whoever sends an event has seen nothing: each command is a fact of its own.
  const types = ['begin', 'write', 'read', ...ACTS, 'break', 'commit', 'exit', 'go'];
  const events = REGIONS.flatMap((region) => types.map((type) => `  ${type}.${region}: { reads: [] }`));
  const text = `belay: 1
agent: workshop
tries: 40
keys: { blind: [tried/${tries}] }
events:
${events.join('\n')}
tools:
  look: { reads: ["cells/{args.key}"], writes: [], effect: none }
${acts.join('\n')}
skeletons:${skeletons.join('')}
`;
  const { config, findings } = loadConfig(text, { file: 'workshop.yaml' });
  if (config === null) throw new Error(JSON.stringify(findings));
  return config;
}

interface Asked {
  readonly tag: string;
  readonly at: string;
  readonly key: string;
}

interface Told {
  readonly type: string;
  readonly entity?: string;
  readonly key?: string;
  readonly tag?: string;
}

interface Context {
  readonly who: Record<string, string>;
  readonly cells: Record<string, string>;
  readonly asked: Record<string, Asked>;
}

/** The machine, in a world. */
export function workshop(world: Workworld): AnyStateMachine {
  const set = (part: keyof Context, name: string, value: (told: Told) => unknown) =>
    assign(({ context, event }) => ({
      [part]: { ...(context as Context)[part], [name]: value(event as unknown as Told) },
    }));
  const region = (name: RegionName) => {
    const asking = set('asked', name, ({ tag = '', key = '' }) => ({ tag, key, at: `t-${name}` }));
    const input = ({ context }: { context: Context }) => context.asked[name];
    const acting = (src: string) => ({
      invoke: {
        src,
        input,
        onDone: {
          target: 'open',
          actions: assign(({ context, event }) => ({
            cells: { ...(context as Context).cells, [`t-${name}`]: (event as unknown as { output: string }).output },
          })),
        },
      },
    });
    return {
      initial: 'idle',
      states: {
        idle: {
          on: { [`begin.${name}`]: { target: 'working', actions: set('who', name, ({ entity }) => entity) } },
        },
        working: {
          initial: 'open',
          states: {
            open: {
              on: {
                [`write.${name}`]: {
                  actions: assign(({ context, event }) => {
                    const { key = '', tag = '' } = event as unknown as Told;
                    return { cells: { ...(context as Context).cells, [key]: tag } };
                  }),
                },
                [`read.${name}`]: { target: 'looking', actions: asking },
                ...Object.fromEntries(
                  ACTS.map((act) => [`${act}.${name}`, { target: `acting_${act}`, actions: asking }]),
                ),
                [`break.${name}`]: {
                  actions: assign(() => {
                    world.trip();
                    return {};
                  }),
                },
                [`commit.${name}`]: 'committing',
                [`exit.${name}`]: { target: `#workshop.${name}.idle` },
              },
            },
            looking: { invoke: { src: 'look', input, onDone: 'open' } },
            ...Object.fromEntries(ACTS.map((act) => [`acting_${act}`, acting(act)])),
            committing: { on: { [`go.${name}`]: 'open' } },
          },
        },
      },
    };
  };
  const acts = ACTS.map((name) => [
    name,
    tool(({ input, key }: { input: Asked; key: string | undefined }) => world.act(name, key, input.tag)),
  ]);
  return setup({
    actors: { look: fromPromise(async () => 'seen'), ...Object.fromEntries(acts) } as never,
  }).createMachine({
    id: 'workshop',
    context: { who: {}, cells: {}, asked: {} },
    type: 'parallel',
    states: Object.fromEntries(REGIONS.map((name) => [name, region(name)])),
  } as never) as never;
}
