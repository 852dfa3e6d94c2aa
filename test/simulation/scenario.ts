/**
 * A scenario as plain data: a machine as a tree of blocks, its tools, and what goes wrong. Everything else (the machine, its config,
 * the world) is made from it, so that a scenario can be printed, cut down and run again. Every state is named once (`at`).
 */

/** The effect classes of a config. */
export const CLASSES = ['none', 'idempotent', 'reversible', 'compensable', 'irreversible'] as const;
export type EffectClass = (typeof CLASSES)[number];

/** A tool, as the config declares it and as the world behaves. */
export interface ToolSpec {
  readonly name: string;
  readonly effect: EffectClass;
  /** What the config says instead: for the tests of the judge, which has to see what a lie leads to. */
  readonly declared?: EffectClass;
  /** True where its counterparty can be asked about a call. */
  readonly reconcile: boolean;
  /** True where that counterparty refuses the key of a call from the moment on at which it says that nothing came of it. */
  readonly refusesKey: boolean;
  /** True where an undo is registered. */
  readonly undo: boolean;
  /** True where its calls are held back until their instance commits. */
  readonly buffer: boolean;
  /** True where a person approves each call. */
  readonly gate: boolean;
  /** True where the config gives it a timeout. */
  readonly timeout: boolean;
  /** Keys outside the memory that it is declared to read and to write. */
  readonly reads: readonly string[];
  readonly writes: readonly string[];
  /** True where the config has a schema of its answers. */
  readonly schema: boolean;
  /** True where its calls are charged to a budget. */
  readonly spends: boolean;
  /** The parts of the arguments that say which act a call is; left out where each call is an act of its own. */
  readonly once?: 'site' | 'site and sum';
  /** Milliseconds before it acts, and before it answers. */
  readonly before: number;
  readonly after: number;
}

/** A state, or two, of a unit of work or outside every unit. */
export type Step =
  | {
      readonly step: 'call';
      readonly at: string;
      readonly tool: string;
      /** The context key that takes the answer, and a second one that takes it too. */
      readonly key: string;
      readonly also: string | null;
      readonly reads: readonly string[];
      /** True where the machine itself calls again after an error. */
      readonly retry: boolean;
      /** The state whose act is asked for again; left out where the act is one of its own. */
      readonly repeats?: string;
    }
  | { readonly step: 'delay'; readonly at: string; readonly ms: number }
  | { readonly step: 'await'; readonly at: string; readonly key: string }
  /** Skips the next step where the value is odd. */
  | { readonly step: 'skip'; readonly at: string; readonly on: string }
  | {
      readonly step: 'child';
      readonly at: string;
      readonly child: string;
      readonly key: string;
      readonly reads: readonly string[];
    }
  /** Sends an event to the machine that invoked this one, or to one that it invokes for this, and waits for the answer. */
  | {
      readonly step: 'ask';
      readonly at: string;
      readonly of: 'parent' | 'other';
      readonly key: string;
      readonly reads: readonly string[];
    };

/** A unit of work: a skeleton. */
export interface Unit {
  readonly block: 'unit';
  readonly name: string;
  /** The skeleton that it is one place of; left out where it is a skeleton of its own. */
  readonly skeleton?: string;
  /** What tells its entity there: the entity of its first call, or the state of that call. */
  readonly about?: 'entity' | 'state';
  readonly steps: readonly Step[];
  readonly anchors: 'all' | 'exit' | 'none';
  readonly resume: boolean;
  readonly undoes: boolean;
  readonly joint: 'none' | 'all';
  readonly outcomes: boolean;
}

export type Block =
  | Unit
  /** A step outside every skeleton. */
  | { readonly block: 'loose'; readonly step: Step }
  | {
      readonly block: 'branch';
      readonly at: string;
      readonly on: string;
      readonly odd: readonly Block[];
      readonly even: readonly Block[];
    }
  /** Over entities, or over rounds of the same one. `tight`: the last edge of its last unit leads straight back to where the body begins. */
  | {
      readonly block: 'loop';
      readonly at: string;
      readonly over: 'entities' | 'rounds';
      readonly times: number;
      readonly tight: boolean;
      readonly body: readonly Block[];
    }
  /** `leaves`: its first region leaves the state once the others are done, while one more region still waits. */
  | {
      readonly block: 'parallel';
      readonly at: string;
      readonly regions: readonly (readonly Block[])[];
      readonly leaves: boolean;
    }
  /**
   * A state around others. `rests`: behind its first block control leaves it, and comes back through its history state, which remembers
   * deeply where the number of the state is odd; `key` says that it has.
   */
  | {
      readonly block: 'nest';
      readonly at: string;
      readonly body: readonly Block[];
      readonly rests: boolean;
      readonly key: string;
    }
  /** `coarse`: one of two values, so that another input often gives the same one. */
  | {
      readonly block: 'compute';
      readonly at: string;
      readonly key: string;
      readonly reads: readonly string[];
      readonly coarse: boolean;
    }
  /** Raises an event that the machine itself hears, and a region that may wait for it; then sets `key`. */
  | { readonly block: 'raise'; readonly at: string; readonly key: string }
  /** Waits for the event that `raise` at `from` raises, or for the key that it sets. */
  | { readonly block: 'meet'; readonly at: string; readonly from: string; readonly key: string };

/** A machine that steps invoke by name. */
export interface Child {
  readonly name: string;
  readonly body: readonly Block[];
}

/** A call in the faultless run: where, about what, in which round. */
export type Site = string;

/** What goes wrong. */
export type Fault =
  | {
      readonly fault:
        | 'refuses'
        | 'not applied'
        | 'loses reply'
        | 'bad output'
        | 'late reply'
        | 'never replies'
        | 'acts late';
      readonly site: Site;
    }
  /** Answers another value until the finder has said that it is wrong. */
  | {
      readonly fault: 'wrong';
      readonly site: Site;
      /** True where the finder names the key. */
      readonly named: boolean;
      /** After so many further calls, and so many milliseconds. */
      readonly calls: number;
      readonly ms: number;
      /** True where two finders say so at once. */
      readonly twice: boolean;
    }
  /** Somebody misspells what was found wrong. */
  | {
      readonly fault: 'misspelt';
      readonly site: Site;
      readonly calls: number;
      readonly what: 'skeleton' | 'entity' | 'key';
    }
  /** Some time after the n-th call a person undoes one of the acts that stand, and tells the run so many milliseconds later. */
  | {
      readonly fault: 'by hand';
      readonly calls: number;
      readonly which: number;
      readonly after: number;
      readonly ms: number;
    }
  /** Closed and taken up again at the n-th call. */
  | { readonly fault: 'restart'; readonly calls: number; readonly ms: number }
  /** Paused so many milliseconds after the n-th call, and told to go on so many later. */
  | { readonly fault: 'pause'; readonly calls: number; readonly ms: number; readonly lasts: number }
  /** Killed at the n-th append, before or after it, or with what was not flushed lost. */
  | { readonly fault: 'killed'; readonly append: number; readonly when: 'before' | 'after' | 'lost' }
  /** A reconciler, or an undo, fails once. */
  | { readonly fault: 'reconciler down' | 'undo loses reply' };

/** All that a run is made from. */
export interface Scenario {
  readonly tools: readonly ToolSpec[];
  readonly children: readonly Child[];
  readonly body: readonly Block[];
  readonly redeliver: boolean;
  /** True where a base is kept after every row, and all steps but the last are paged out: no process reads a row before it. */
  readonly paged: boolean;
  readonly faults: readonly Fault[];
}

/** Names the call of a state about an entity in a round. */
export function siteOf(args: { readonly at: string; readonly entity: string; readonly round: number }): Site {
  return `${args.at} ${args.entity} ${args.round}`;
}

/** The blocks right below a block. */
export function inner(block: Block): readonly (readonly Block[])[] {
  switch (block.block) {
    case 'branch':
      return [block.odd, block.even];
    case 'loop':
    case 'nest':
      return [block.body];
    case 'parallel':
      return block.regions;
    case 'unit':
    case 'loose':
    case 'compute':
    case 'raise':
    case 'meet':
      return [];
  }
}

/** Every block of a body, those within others too. */
export function* everyBlock(body: readonly Block[]): Generator<Block> {
  for (const block of body) {
    yield block;
    for (const part of inner(block)) yield* everyBlock(part);
  }
}

/** Every step of a scenario, with the unit around it. */
export function* everyStep(
  scenario: Pick<Scenario, 'body' | 'children'>,
): Generator<{ step: Step; unit: Unit | null }> {
  for (const body of [scenario.body, ...scenario.children.map((child) => child.body)]) {
    for (const block of everyBlock(body)) {
      if (block.block === 'loose') yield { step: block.step, unit: null };
      if (block.block === 'unit') for (const step of block.steps) yield { step, unit: block };
    }
  }
}

/** A unit, and the call that ends it. */
export type LastCall = readonly [Unit, Extract<Step, { step: 'call' }>];

/** The unit that ends a body with a call, where that call alone ends it; null for any other. */
export function lastOf(body: readonly Block[]): LastCall | null {
  const unit = body.at(-1);
  if (unit?.block !== 'unit' || unit.steps.some(({ step }) => step === 'skip')) return null;
  const step = unit.steps.at(-1);
  return step?.step === 'call' && !step.retry ? [unit, step] : null;
}

/** The state that begins a block. */
export function firstOf(block: Block): string {
  if (block.block === 'loose') return block.step.at;
  return block.block === 'unit' ? (block.steps[0] as Step).at : block.at;
}
