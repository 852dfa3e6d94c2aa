/** An office whose input says what it writes about, and a run of it. */
import { assign } from 'xstate';
import { memoryStore } from '../../src/index.ts';
import { resume } from '../../src/xstate/index.ts';
import { calls, configOf, machineOf, run, World } from '../semantics/little.ts';

export interface Input {
  readonly topic: string;
  readonly lang: string;
}

export const BEES: Input = { topic: 'bees', lang: 'en' };
export const ANTS: Input = { topic: 'ants', lang: 'en' };
export const by = { by: 'ada' };

/** A note that rests on the language alone, and a brief that rests on the topic; then events are counted. */
export function office(world: World, draft = 'none') {
  const machine = machineOf(
    { note: world.tool('note'), draft: world.tool('draft', ({ input }) => `draft of ${String(input.topic)}`) },
    {
      context: ({ input }: { input: Input }) => ({ topic: input.topic, lang: input.lang, n: 0 }),
      initial: 'noting',
      states: {
        noting: calls('note', 'noted', 'drafting', ['lang']),
        drafting: calls('draft', 'draft', 'over', ['topic']),
        over: {
          on: { SAY: { actions: assign({ n: ({ context }: { context: { n: number } }) => context.n + 1 } as never) } },
        },
      },
    },
  );
  const undo = draft === 'reversible' ? ', undo: un' : '';
  const config = configOf(
    {
      note: 'reads: [lang], writes: [noted], effect: irreversible',
      draft: `reads: [topic], writes: [draft], effect: ${draft}${undo}, reconcile: find`,
    },
    {
      Note: { states: ['noting'], at: 'noting -> drafting', writes: ['noted'], reads: ['lang'] },
      Draft: { states: ['drafting'], at: 'drafting -> over', writes: ['draft'], reads: ['topic'] },
    },
    'events: { SAY: { reads: [] } }',
  );
  return { machine, config };
}

export async function begun(draft = 'none', input: object = BEES, more: object = {}) {
  const world = new World();
  const { machine, config } = office(world, draft);
  const journal = memoryStore();
  const reconcilers = { find: () => ({ is: 'not_applied' as const }) };
  const options = { journal, undo: world.undo, reconcilers, ...more };
  const it = await run(machine, config, { ...options, input } as never);
  await it.at('over');
  const again = async () => {
    const next = await resume(machine, { run: 'r', config, ...options } as never);
    next.actor.start();
    return next;
  };
  return { ...it, world, again, journal, rows: async () => [...journal.read('r')].length };
}
