/** A support agent that is talked to over days: it promises a refund in one turn, and keeps the promise, or does not, in a later one. */
import type { BoundaryConfig } from '../../src/boundaries/config.ts';
import { loop } from '../../src/loop/loop.ts';
import { loaded } from '../sidecar/loaded.ts';

export const DAY = 86_400_000;

/** The counterparties: the mails that a customer has, and the refunds, each by its key. */
export class World {
  readonly mails = new Map<string, readonly number[]>();
  readonly refunds = new Map<string, number>();

  readonly findMail = ({ key }: { readonly key: string }) => found(this.mails.has(key));
  readonly findRefund = ({ key }: { readonly key: string }) => found(this.refunds.has(key));
}

function found(is: boolean) {
  return is ? ({ is: 'applied', output: 'done' } as const) : ({ is: 'not_applied' } as const);
}

interface Draft {
  readonly text: string;
  readonly promises: readonly { readonly cents: number; readonly due: string }[];
  readonly refunds: number | null;
}

/** What the model says to each message. */
function drafted(said: string): Draft {
  const due = new Date(Date.now() + 3 * DAY).toISOString();
  if (said === 'it arrived broken') return { text: '50 by Friday', promises: [{ cents: 5_000, due }], refunds: null };
  if (said === 'where is it?') return { text: 'it is paid', promises: [], refunds: 5_000 };
  return { text: 'a nice day', promises: [], refunds: null };
}

/** The agent. "bye" ends it. */
export function desk(world: World, isDead: () => boolean) {
  return loop('desk', async ({ think, act, receive }) => {
    const log: string[] = [];
    for (let nth = 1; ; nth += 1) {
      const said = await receive<string>(log.at(-1));
      log.push(said);
      if (said === 'bye') return 'closed';
      const { text, promises, refunds } = await think([...log], async () => drafted(said));
      if (refunds !== null)
        await act('refund', `refund-${nth}`, { cents: refunds }, async ({ input, key = '' }) => {
          if (isDead()) return new Promise<string>(() => {});
          world.refunds.set(key, input.cents);
          return 'done';
        });
      await act('reply', `reply-${nth}`, { text, promises }, async ({ input, key = '' }) => {
        if (isDead()) return new Promise<string>(() => {});
        world.mails.set(
          key,
          input.promises.map(({ cents }) => cents),
        );
        return 'done';
      });
      log.push(text);
    }
  });
}

const UNIT = (tool: string) => `  ${tool}_:
    entity: args.call
    states: [${tool}]
    entry: [${tool}]
    outputs: ['steps/${tool}@{entity}']
    exit: [{ id: ${tool}_over, at: ${tool} -> end, when: 'true', outputs: ['steps/${tool}@{entity}'] }]
    rollback: { anchors: [${tool}_over], resume: ${tool} }
`;

/** Its config; `without` a tool, for another release. */
export function deskConfig(without: string | null = null): BoundaryConfig {
  const refund =
    without === 'refund' ? '' : '  refund: { reads: [], writes: [], effect: irreversible, reconcile: refunds }\n';
  const keeper = `obligations: { each: args.promises, due: due, kept_by: refund, as: kept.args.cents >= obligation.cents }`;
  const promises = without === 'refund' ? '' : `,\n      ${keeper}`;
  return loaded(`belay: 1
agent: desk
tools:
  model: { reads: [], writes: [], effect: none, decides: true }
  reply:
    { reads: [], writes: [], effect: irreversible, reconcile: mails${promises} }
${refund}skeletons:
${['model', 'reply', ...(without === 'refund' ? [] : ['refund'])].map(UNIT).join('')}`);
}
