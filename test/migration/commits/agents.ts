/** The agents that commits are made to: the five domains on their worlds, and the examples on a recording world. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { recordingWorld } from 'belay-sidecar/testing';
import type { Agent } from 'belay-sidecar/xstate';
import type { AnyActorLogic, AnyStateMachine } from 'xstate';
import { diagnosis } from '../../../domains/diagnosis/agent.ts';
import { scripted as diagnosing } from '../../../domains/diagnosis/planner.ts';
import { etlPipeline } from '../../../domains/etl-pipeline/agent.ts';
import { navigation } from '../../../domains/navigation/agent.ts';
import { scripted as navigating } from '../../../domains/navigation/planner.ts';
import { scheduleForm } from '../../../domains/schedule-form/agent.ts';
import { scripted as scheduling } from '../../../domains/schedule-form/planner.ts';
import { travelPlanning } from '../../../domains/travel-planning/agent.ts';
import { machine as coding } from '../../../examples/coding/machine.ts';
import { machine as research } from '../../../examples/research/machine.ts';
import { machine as scraper } from '../../../examples/scraper/machine.ts';
import { machine as support } from '../../../examples/support/machine.ts';
import type { BoundaryConfig } from '../../../src/boundaries/config.ts';
import { loadConfig } from '../../../src/boundaries/load.ts';
import type { Reconciler } from '../../../src/effects/counterparty.ts';
import type { RunOptions } from '../../../src/sidecar/opening/options.ts';

/** A world of one run: its tools act there, whichever release calls them. */
export interface World {
  /** A release with the tools of this world. */
  connect(machine: AnyStateMachine, config: BoundaryConfig): AnyStateMachine;
  readonly input: unknown;
  readonly undo: NonNullable<RunOptions['undo']>;
  readonly reconcilers: Readonly<Record<string, Reconciler>>;
  /** What stands in it. */
  standing(): Promise<unknown>;
  close(): Promise<void>;
}

/** An agent of the repository. */
export interface Subject {
  readonly machine: AnyStateMachine;
  /** The text of its config. */
  readonly page: string;
  /** The event that each of its states waits for. */
  readonly events: Readonly<Record<string, string>>;
  /** The paths of the context that two runs of one world differ in. */
  readonly ignore: readonly string[];
  open(config: BoundaryConfig): Promise<World>;
}

const own = (path: string) => fileURLToPath(new URL(`../../../${path}`, import.meta.url));

/** The text of a config, whose counterparties know at once what became of a call. */
function pageAt(path: string): string {
  return readFileSync(path, 'utf8').replaceAll(/settles_within: \w+/g, 'settles_within: 1s');
}

/** The config of a text. @throws Error where it has errors. */
export function pageOf(text: string): BoundaryConfig {
  const { config, findings } = loadConfig(text, { file: 'page.yaml' });
  if (config === null) throw new Error(findings.map(({ message }) => message).join('\n'));
  return config;
}

/** @param named the paths that have the name of a call in them. */
function domain(agent: Agent, named: readonly string[] = [], input: object = {}): Subject {
  return {
    machine: agent.machine as AnyStateMachine,
    page: pageAt(agent.config as string),
    events: {},
    ignore: [...(agent.rehearsal?.ignore ?? []), ...named],
    async open() {
      const folder = mkdtempSync(join(tmpdir(), 'belay-commits-'));
      const opened = await agent.open({ run: 'r', folder, input });
      const { actors } = (opened.machine as AnyStateMachine).implementations as {
        readonly actors: Record<string, AnyActorLogic>;
      };
      return {
        connect: (machine) => machine.provide({ actors: { ...machine.implementations.actors, ...actors } as never }),
        input: opened.input,
        undo: opened.undo ?? {},
        reconcilers: opened.reconcilers ?? {},
        standing: async () => (await opened.world?.()) ?? {},
        close: async () => {
          await opened.close?.();
          rmSync(folder, { recursive: true, force: true });
        },
      };
    },
  };
}

function example(name: string, machine: AnyStateMachine, events: Readonly<Record<string, string>> = {}): Subject {
  return {
    machine,
    page: pageAt(own(`examples/${name}/boundaries.yaml`)),
    events,
    ignore: [],
    async open(config) {
      const world = recordingWorld();
      const { undo, reconcilers } = world.around(machine, config);
      return {
        connect: (release, page) => world.around(release, page).machine,
        input: undefined,
        undo,
        reconcilers,
        standing: async () => world.snapshot(),
        close: async () => {},
      };
    },
  };
}

/** The agents, by their names. */
export const SUBJECTS = {
  'schedule-form': domain(scheduleForm(scheduling), [], { slots: ['Kickoff', 'Budget'] }),
  navigation: domain(navigation(navigating), ['publication/message']),
  diagnosis: domain(diagnosis(diagnosing)),
  'etl-pipeline': domain(etlPipeline, ['publication/id', 'filed/publication', 'record/publication']),
  'travel-planning': domain(travelPlanning),
  coding: example('coding', coding as unknown as AnyStateMachine, { red: 'RETEST' }),
  research: example('research', research as unknown as AnyStateMachine),
  scraper: example('scraper', scraper as unknown as AnyStateMachine),
  support: example('support', support as unknown as AnyStateMachine, { waiting: 'content' }),
} as const satisfies Readonly<Record<string, Subject>>;
