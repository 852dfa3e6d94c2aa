/** The agent's tools on a world, who can be asked about them, and what undoes them; by the names that the config uses. */
import { createHash, randomUUID } from 'node:crypto';
import type { ReconcileResult, Reconciler, Undo } from 'belay-sidecar';
import { tool } from 'belay-sidecar/xstate';
import { ask, decided, type Planner } from '../planner/planner.ts';
import type { Calendar } from './calendar.ts';
import type { Choice, Filing, Invitation, Refinement, ToolTypes } from './calls.ts';
import type { MailServer } from './mail.ts';
import * as questions from './planner.ts';
import { type Collected, type Item, type Receipt, type Review, type Submission, TIMES } from './schedule.ts';

/** The parts of the world that the tools act on. */
export interface World {
  readonly calendar: Calendar;
  readonly mail: MailServer;
  readonly planner: Planner;
}

/** The tools. */
export function toolsOn({ calendar, mail, planner }: World) {
  return {
    collect_request: tool<Collected | null, ToolTypes['collect_request']['input']>(async ({ input }) =>
      calendar.collect(input.asked),
    ),
    plan_slots: tool<readonly Item[], ToolTypes['plan_slots']['input']>(({ input, signal }) =>
      ask(planner, questions.plan, input, signal),
    ),
    query_calendar: tool<readonly string[], ToolTypes['query_calendar']['input']>(async ({ input }) =>
      calendar.freeTimes(input.person),
    ),
    choose_slot: tool<string | null, Choice>(async ({ input, key, signal }) => {
      const { slot, title, meeting, free, after } = input;
      const people = Object.keys(free);
      const [first = [], ...others] = Object.values(free);
      const shared = first.filter((time) => others.every((other) => other.includes(time)));
      const times = after === null ? shared : shared.filter((time) => TIMES.indexOf(time) > TIMES.indexOf(after));
      const value = await decided(ask(planner, questions.choose, { slot, times }, signal));
      signal.throwIfAborted();
      return value === null ? null : calendar.hold({ meeting, slot, people, title, value }, key);
    }),
    refine_slot: tool<string, Refinement>(async ({ input, key, signal }) => {
      const { slot, value: chosen, wish } = input;
      const value = await decided(ask(planner, questions.refine, { slot, value: chosen, wish }, signal));
      signal.throwIfAborted();
      return calendar.settle({ ...input, value }, key);
    }),
    review_schedule: tool<Review, ToolTypes['review_schedule']['input']>(({ input, signal }) =>
      ask(planner, questions.review, input, signal),
    ),
    check_room: tool<string, ToolTypes['check_room']['input']>(async ({ input }) =>
      calendar.findRoom(input.seats, Object.values(input.values)),
    ),
    submit_schedule: tool<Submission, Invitation>(async ({ input, key, signal }) => {
      const messageId = messageIdOf(key);
      const { meeting, title, to } = input;
      await mail.send({ messageId, meeting, to, subject: `Invitation: ${title}`, body: bodyOf(input) }, signal);
      return { messageId, to };
    }),
    file_receipt: tool<Receipt, Filing>(async ({ input, key }) => {
      const { meeting, room, messageId, values } = input;
      calendar.file(meeting, room, Object.values(values), key);
      return { meeting, messageId, room };
    }),
  };
}

/** The counterparties that can be asked whether a call happened. */
export function reconcilersOn({ calendar, mail }: World): Record<string, Reconciler> {
  return {
    // The database changes in the same moment as it is asked: what it does not know of will not happen later.
    find_hold: ({ key }): ReconcileResult => {
      const found = calendar.find(key);
      return found === null ? { is: 'not_applied' } : { is: 'applied', output: found.output };
    },
    find_submission: async ({ key }): Promise<ReconcileResult> => {
      const messageId = messageIdOf(key);
      const to = await mail.find(messageId);
      return to === null ? { is: 'not_applied' } : { is: 'applied', output: { messageId, to } satisfies Submission };
    },
  };
}

/** The undos of the calls. */
export function undoOn({ calendar }: World): Record<string, Undo> {
  return { put_back: ({ key, undoKey }) => calendar.putBack(key, undoKey) };
}

/** The id of the message that a call sends: the same for the same decision, so that the mail server can tell. */
function messageIdOf(key: string | undefined): string {
  const name = key === undefined ? randomUUID() : createHash('sha256').update(key).digest('hex').slice(0, 32);
  return `<${name}@schedule-form.invalid>`;
}

function bodyOf({ title, room, values }: Invitation): string {
  const slots = Object.entries(values).map(([slot, value]) => `${slot}: ${value}`);
  return [title, `Room: ${room}`, ...slots].join('\n');
}
