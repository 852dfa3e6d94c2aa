/** The machine of the alternatives that are tried, and its config. */
import { type AnyStateMachine, assign, setup } from 'xstate';
import { type BoundaryConfig, loadConfig } from '../../src/index.ts';
import { tool } from '../../src/xstate/index.ts';
import { KINDS, type Kind, type Scenario } from './scenario.ts';
import type { Life, World } from './world.ts';

const CLASSES: Readonly<Record<Exclude<Kind, 'bare'>, string>> = {
  none: 'effect: none',
  reversible: 'effect: reversible, undo: un',
  compensable: 'effect: compensable, undo: un',
  gated: 'effect: compensable, undo: un, gate: true',
  staged: 'effect: compensable, undo: un, buffer: true',
  idempotent: 'effect: idempotent',
  irreversible: 'effect: irreversible',
};

const configs = new Map<string, BoundaryConfig>();

type Configured = Pick<Scenario, 'rule' | 'losers' | 'isDead' | 'choosing'> & {
  readonly fault: { readonly is: string } | null;
};

export function configOf({ rule, losers, fault, isDead, choosing }: Configured): BoundaryConfig {
  const settles = fault?.is === 'settles';
  const expires = choosing === 'never' ? ', expires: 20s' : '';
  const name = `${rule} ${losers} ${settles} ${isDead === true} ${expires}`;
  const known = configs.get(name);
  if (known !== undefined) return known;
  const tools = Object.entries(CLASSES).map(
    ([name, text]) =>
      `  ${name}: { reads: [], writes: ['seat:${name}/{args.branch}'], ${text}${name === 'none' ? '' : `, reconcile: ${settles ? '{ ask: find, settles_within: 1m }' : 'find'}`}, timeout: 5s }`,
  );
  const text = `
belay: 1
agent: m
tools:
${tools.join('\n').replace("writes: ['seat:none/{args.branch}'], ", '')}
  pre: { reads: [], writes: [x], effect: compensable, undo: un, reconcile: find, timeout: 5s }
  post: { reads: [], writes: [y], effect: irreversible, reconcile: find, timeout: 5s }
alternatives:
  Trip:
    at: trying
    branch: trip
    choose: { rule: ${rule}${rule === 'first' ? '' : ', score: event.output.price'}${expires}${isDead === true ? ', deadline: 30s' : ''} }
    losers: ${losers}
skeletons:
  PRE:
    entity: '"pre"'
    states: [first]
    entry: [first]
    outputs: [x]
    exit: [{ id: pre, at: first -> trying, when: memory.?x.hasValue() }]
    rollback: { anchors: [pre], resume: first, compensable: undo, joint: [] }
  POST:
    entity: '"post"'
    states: [tail]
    entry: [tail]
    inputs: [won]
    outputs: [y]
    exit: [{ id: post, at: tail -> over, when: memory.?y.hasValue() }]
    rollback: { anchors: [post] }
`;
  const { config, findings } = loadConfig(text, { file: 'm.yaml' });
  if (config === null) throw new Error(findings.map(({ line, message }) => `${line}: ${message}`).join('\n'));
  configs.set(name, config);
  return config;
}

interface Tried {
  readonly branch: string;
  readonly acts: readonly Kind[];
  readonly price: number;
  readonly isThrowing: boolean;
}

/** The machine of a branch: its acts one after the other. */
function branchMachine(world: World, life: Life, isCaught: boolean): AnyStateMachine {
  const actors = Object.fromEntries(KINDS.map((kind) => [kind, tool(world.act(kind, life) as never)]));
  const step = (nth: number) => ({
    always: [
      { guard: ({ context }: { context: Tried }) => context.acts[nth] === undefined, target: 'last' },
      ...KINDS.map((kind) => ({
        guard: ({ context }: { context: Tried }) => context.acts[nth] === kind,
        target: `${kind}${nth}`,
      })),
    ],
  });
  const calling = (kind: Kind, nth: number) => ({
    invoke: {
      src: kind,
      input: ({ context }: { context: Tried }) => ({ branch: context.branch, nth }),
      ...(isCaught && { onError: { target: 'last', actions: [assign({ outs: ['caught'] } as never) as never] } }),
      onDone: {
        target: `step${nth + 1}`,
        actions: [
          assign((({ context, event }: { context: Tried & { outs: unknown[] }; event: { output: unknown } }) => {
            if (context.isThrowing) throw new Error('it throws');
            return { outs: [...context.outs, event.output ?? null] };
          }) as never) as never,
        ],
      },
    },
  });
  const states = [0, 1].flatMap((nth) => [
    [`step${nth}`, step(nth)] as const,
    ...KINDS.map((kind) => [`${kind}${nth}`, calling(kind, nth)] as const),
  ]);
  const delays = { wait: ({ context }: { context: Tried }) => 10 * (context.price + 1) };
  return setup({ actors: actors as never, delays: delays as never }).createMachine({
    id: 'trip',
    context: ({ input }: { input: Tried }) => ({ ...input, outs: [] }),
    initial: 'begin',
    states: {
      // A branch does something by an event of its own before its first act.
      begin: { after: { 1: { target: 'step0', actions: [({ context }: { context: Tried }) => throwIf(context)] } } },
      ...Object.fromEntries(states),
      step2: { always: 'last' },
      // What a branch has begun comes back before it is over.
      last: { after: { wait: 'over' } },
      over: { type: 'final' },
    },
    output: ({ context }: { context: Tried & { outs: unknown[] } }) => ({
      branch: context.branch,
      price: context.price,
      outs: context.outs,
    }),
  } as never) as never;
}

function throwIf({ isThrowing, acts }: Tried): void {
  if (isThrowing && acts.length === 0) throw new Error('it throws');
}

export function machineOf({ branches, fault }: Scenario, world: World, life: Life): AnyStateMachine {
  const invoke = branches.map((acts, index) => ({
    src: 'trip',
    id: `b${index}`,
    input: ({ context }: { context: { x: unknown } }) => ({
      branch: `b${index}`,
      acts,
      price: index,
      isThrowing: fault?.is === 'throws' && fault.branch === index,
      x: context.x,
    }),
  }));
  const actors = {
    pre: tool(world.act('pre', life) as never),
    post: tool(world.act('post', life) as never),
    trip: branchMachine(world, life, fault?.isCaught === true),
  };
  return setup({ actors: actors as never }).createMachine({
    id: 'm',
    context: {},
    initial: 'first',
    states: {
      first: {
        invoke: {
          src: 'pre',
          input: { branch: null, nth: 0 },
          onDone: {
            target: 'trying',
            actions: [assign({ x: ({ event }: { event: { output: unknown } }) => event.output } as never)],
          },
        },
      },
      trying: {
        invoke,
        on: {
          '@belay.chosen': {
            target: 'tail',
            actions: [
              assign(({ event }: { event: { branch: string; output: unknown } }) => ({
                won: event.branch,
                out: event.output,
              })) as never,
            ],
          },
          '@belay.none': { target: 'tail', actions: [assign({ won: () => null } as never)] },
          LEAVE: { target: 'tail', actions: [assign({ won: () => 'left' } as never)] },
        },
      },
      tail: {
        invoke: {
          src: 'post',
          input: { branch: null, nth: 1 },
          onDone: {
            target: 'over',
            actions: [assign({ y: ({ event }: { event: { output: unknown } }) => event.output } as never)],
          },
        },
      },
      over: { type: 'final' },
    },
  } as never) as never;
}
