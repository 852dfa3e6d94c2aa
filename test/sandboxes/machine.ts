/** The machine that is played in sandboxes, and its config. */
import { type AnyStateMachine, assign, setup } from 'xstate';
import { type BoundaryConfig, loadConfig } from '../../src/index.ts';
import { tool } from '../../src/xstate/index.ts';
import type { Rooms } from './rooms.ts';
import type { Scenario } from './scenario.ts';

const SECOND = 1_000;

const configs = new Map<string, BoundaryConfig>();

/** @param isLater true for the config of the next release, which waits and keeps for longer. */
export function configOf({ class: kind, snapshot }: Scenario, isLater = false): BoundaryConfig {
  const name = `${kind} ${snapshot} ${isLater}`;
  const known = configs.get(name);
  if (known !== undefined) return known;
  const effect = kind === 'beyond' ? 'compensable' : kind;
  const undo = kind === 'idempotent' || kind === 'irreversible' ? '' : ', undo: un';
  const inside = kind === 'beyond' ? '{ sandbox: box, beyond: true }' : 'box';
  const text = `
belay: 1
agent: m
sandboxes: { box: { provider: rooms, ready: ${isLater ? '3m' : '2m'}, grace: ${isLater ? '2h' : '1h'}, snapshot: ${snapshot} } }
tools:
  edit: { in: ${inside}, reads: [nth], writes: [done], effect: ${effect}${undo}, reconcile: find, timeout: 20s }
  look: { in: box, reads: [done], writes: [seen], effect: none, timeout: 20s }
skeletons:
  EDIT:
    entity: '"one"'
    states: [edit, look]
    entry: [edit]
    inputs: [nth]
    outputs: [done, seen]
    exit: [{ id: edited, at: look -> waiting, when: 'true' }]
    rollback: { anchors: [edited], resume: edit, tries: 9, compensable: undo, joint: [EDIT] }
`;
  const { config, findings } = loadConfig(text, { file: 'm.yaml' });
  if (config === null) throw new Error(findings.map(({ line, message }) => `${line}: ${message}`).join('\n'));
  configs.set(name, config);
  return config;
}

/** The context of the machine. */
export interface Memory {
  readonly nth: number;
  readonly done: readonly string[];
  readonly seen: readonly string[];
}

export const wait = (time: number) => new Promise((resolve) => setTimeout(resolve, time));
export const sorted = (edits: Iterable<string>) => [...edits].sort();

/** edit; look; wait; three times. */
export function machineOf(rooms: Rooms, isDead: () => boolean, once: { unanswered: boolean }): AnyStateMachine {
  const never = () => new Promise<never>(() => {});
  const edit = async ({
    input,
    key,
    sandbox,
    signal,
  }: {
    input: Memory;
    key?: string | undefined;
    sandbox?: unknown;
    signal: AbortSignal;
  }) => {
    if (isDead()) return never();
    rooms.enter(sandbox, 'edit');
    rooms.acting += 1;
    await wait(SECOND).finally(() => setTimeout(() => rooms.leave(), SECOND));
    if (isDead()) return never();
    if (signal.aborted) throw new Error('aborted');
    rooms.edit(sandbox, key as string, `e${input.nth}`);
    await wait(SECOND);
    if (isDead()) return never();
    if (once.unanswered) {
      once.unanswered = false;
      throw new Error('the reply is lost');
    }
    return `e${input.nth}`;
  };
  const look = async ({ sandbox }: { sandbox?: unknown }) => {
    if (isDead()) return never();
    rooms.enter(sandbox, 'look');
    rooms.acting += 1;
    await wait(SECOND);
    rooms.leave();
    return isDead() ? never() : sorted(rooms.edits(sandbox, 'look').values());
  };
  type Of = { context: Memory; event: { output: never } };
  return setup({ actors: { edit: tool(edit as never), look: tool(look as never) } as never }).createMachine({
    id: 'm',
    context: { nth: 0, done: [], seen: [] },
    initial: 'edit',
    states: {
      edit: {
        invoke: {
          src: 'edit',
          input: ({ context }: Of) => ({ nth: context.nth }),
          onDone: {
            target: 'look',
            actions: assign({ done: ({ context, event }: Of) => [...context.done, event.output] } as never),
          },
        },
      },
      look: {
        invoke: {
          src: 'look',
          onDone: { target: 'waiting', actions: assign({ seen: ({ event }: Of) => event.output } as never) },
        },
      },
      waiting: { after: { [30 * SECOND]: 'next' } },
      next: {
        always: [
          {
            guard: ({ context }: Of) => context.nth < 2,
            target: 'edit',
            actions: assign({ nth: ({ context }: Of) => context.nth + 1 } as never),
          },
          { target: 'end' },
        ],
      },
      end: { type: 'final' },
    },
  } as never) as never;
}
