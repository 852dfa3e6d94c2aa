/** A world of keys that several runs read and change, and machines that act on them one after the other. Values say everything that led to them. */
import { createHash } from 'node:crypto';
import { type AnyStateMachine, assign, setup } from 'xstate';
import type { BoundaryConfig } from '../../src/boundaries/config.ts';
import { loadConfig } from '../../src/boundaries/load.ts';
import type { ToolCall } from '../../src/runtime/tool-call.ts';
import { tool } from '../../src/xstate/tool.ts';

/** An act on a key: a look, a change that can be taken back, or one that cannot. */
export interface Act {
  readonly is: 'look' | 'change' | 'final';
  readonly key: string;
  /** False where no boundary lies behind it. */
  readonly certifies?: boolean;
  /** True where the boundary behind it promises not to touch the key again (ER9). */
  readonly promises?: boolean;
}

/** What a config says of claims. */
export interface Claiming {
  readonly release?: 'whole' | 'final';
  readonly lineUp?: 'first_touch' | 'announce';
  readonly ttl?: string;
  /** True for a machine that goes round: its first act is made with the answer of its last. */
  readonly loops?: boolean;
}

/** What an act did in the world. */
export interface Done {
  readonly run: string;
  readonly act: number;
  readonly call: string;
  readonly key: string;
  readonly before: string;
  readonly after: string;
  /** The number of times that this act was made before: an act that is made again says something else. */
  readonly salt: number;
  isUndone: boolean;
}

const digest = (...parts: readonly unknown[]): string =>
  createHash('sha1').update(JSON.stringify(parts)).digest('hex').slice(0, 8);

/** The value of a key after a change. */
export const changed = (run: string, act: number, salt: number, input: string, before: string): string =>
  digest(run, act, salt, input, before);

/** The answer of a look. */
export const seen = (run: string, act: number, salt: number, input: string, value: string): string =>
  digest('look', run, act, salt, input, value);

/** The counterparty of all runs. */
export class World {
  readonly values = new Map<string, string>();
  readonly done: Done[] = [];
  readonly salts = new Map<string, number>();
  /** What went wrong in the world itself: an undo under a later change, an undo of nothing. */
  wrong: string | null = null;

  valueOf(key: string): string {
    return this.values.get(key) ?? '0';
  }

  /** The runs whose next reply is lost: what they ask for happens. */
  readonly lost = new Set<string>();

  act(run: string, nth: number, act: Act, call: ToolCall<string>): string {
    const before = this.done.length;
    const answer = this.#act(run, nth, act, call);
    if (this.done.length > before && this.lost.delete(run)) throw new Error('the reply is lost');
    return answer;
  }

  #act(run: string, nth: number, { is, key }: Act, { key: call = '', input }: ToolCall<string>): string {
    const known = this.done.find((each) => each.call === call && call !== '');
    if (known !== undefined) return known.after;
    const salt = this.salts.get(`${run}.${nth}`) ?? 0;
    this.salts.set(`${run}.${nth}`, salt + 1);
    if (is === 'look') return seen(run, nth, salt, input, this.valueOf(key));
    const before = this.valueOf(key);
    const after = changed(run, nth, salt, input, before);
    this.done.push({ run, act: nth, call, key, before, after, salt, isUndone: false });
    this.values.set(key, after);
    return after;
  }

  readonly undos = {
    undone: async ({ key }: { key: string }) => {
      const act = this.done.find(({ call }) => call === key);
      if (act === undefined || act.isUndone) {
        this.wrong ??= 'an undo of nothing';
        return;
      }
      if (this.valueOf(act.key) !== act.after) this.wrong ??= `the undo of ${act.run} ${act.act} under a later change`;
      act.isUndone = true;
      this.values.set(act.key, act.before);
    },
  };

  readonly reconcilers = {
    asked: async ({ key }: { key: string }) => {
      const act = this.done.find(({ call }) => call === key);
      return act === undefined ? ({ is: 'not_applied' } as const) : ({ is: 'applied', output: act.after } as const);
    },
  };
}

/** The config of a run: a unit and a tool for each act. */
export function configOf(acts: readonly Act[], claiming: Claiming = {}): BoundaryConfig {
  const { release = 'final', lineUp = 'first_touch', ttl, loops = false } = claiming;
  const before = (nth: number) => {
    if (nth > 0) return [`u${nth - 1}`];
    return loops ? [`u${acts.length - 1}`] : [];
  };
  const tools = acts.map(({ is, key }, nth) => {
    const reads = [`'at:${key}'`, ...before(nth)].join(', ');
    if (is === 'look') return `  act${nth}: { reads: [${reads}], writes: [], effect: none }`;
    const how = is === 'final' ? 'irreversible' : 'compensable, undo: undone';
    return `  act${nth}: { reads: [${reads}], writes: ['at:${key}'], effect: ${how}, reconcile: asked }`;
  });
  const skeletons = acts.map(({ is, key, certifies = true, promises = false }, nth) => {
    const inputs = [`'at:${key}'`, ...before(nth)].join(', ');
    const outputs = [`u${nth}`, ...(is === 'look' ? [] : [`'at:${key}'`])].join(', ');
    const later = acts.flatMap((_, other) => (loops || other > nth ? [`u${other}`] : []));
    const joint = later.length === 0 ? '' : `, joint: [${later.join(', ')}]`;
    return `  u${nth}:
    entity: '"it"'
    states: [s${nth}]
    entry: [s${nth}]
    inputs: [${inputs}]
    outputs: [${outputs}]
    exit: [{ id: o${nth}, at: "s${nth} -> w${nth}", when: "${certifies}"${promises ? `, release: ['at:${key}']` : ''} }]
    rollback: { anchors: [o${nth}], compensable: undo, resume: w${nth}${joint} }`;
  });
  const claims = `{ release: ${release}, line_up: ${lineUp}${ttl === undefined ? '' : `, ttl: ${ttl}`} }`;
  const text = `belay: 1\nagent: meets\nclaims: ${claims}\ntools:\n${tools.join('\n')}\nskeletons:\n${skeletons.join('\n')}\n`;
  const { config, findings } = loadConfig(text, { file: 'meets.yaml' });
  if (config === null) throw new Error(JSON.stringify(findings));
  return config;
}

/** The machine of a run: each act is made with the answer of the one before it, and then waits for `go`. */
export function machineOf(
  world: World,
  run: string,
  acts: readonly Act[],
  isDead: () => boolean = () => false,
): AnyStateMachine {
  const made = (act: Act, nth: number) => async (call: ToolCall<string>) =>
    isDead() ? await new Promise<string>(() => {}) : world.act(run, nth, act, call);
  const actors = Object.fromEntries(acts.map((act, nth) => [`act${nth}`, tool(made(act, nth))]));
  const states = acts.map((_, nth) => ({
    [`s${nth}`]: {
      invoke: {
        src: `act${nth}`,
        input: ({ context }: { context: Record<string, string> }) => context[`u${nth - 1}`] ?? '0',
        onDone: {
          target: `w${nth}`,
          actions: assign(({ event }: { event: unknown }) => ({ [`u${nth}`]: (event as { output: string }).output })),
        },
      },
    },
    [`w${nth}`]: { on: { go: nth + 1 < acts.length ? `s${nth + 1}` : 'end' } },
  }));
  return setup({ types: { context: {} as Record<string, string> }, actors: actors as never }).createMachine({
    id: 'meets',
    context: {},
    initial: 'idle',
    states: Object.assign({ idle: { on: { go: 's0' } }, end: { type: 'final' } }, ...states),
  } as never) as unknown as AnyStateMachine;
}
