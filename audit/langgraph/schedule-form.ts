/** The schedule form as a graph: a node for each reviewed skeleton, over the tools of the machine. */
import { Annotation, END, START, StateGraph } from '@langchain/langgraph';
import type { ToolTypes } from '../../domains/schedule-form/calls.ts';
import { type Memory, type Slot, valuesOf } from '../../domains/schedule-form/schedule.ts';
import { there } from '../../domains/there.ts';
import type { ToolsOf } from './tools.ts';

const State = Annotation.Root({
  asked: Annotation<Memory['asked']>,
  request: Annotation<Memory['request']>,
  agenda: Annotation<Memory['agenda']>,
  slots: Annotation<Memory['slots']>({ reducer: (slots, more) => ({ ...slots, ...more }), default: () => ({}) }),
  /** The slot that is to be resolved next; null where there is none. */
  current: Annotation<Memory['current']>,
  review: Annotation<Memory['review']>,
  wish: Annotation<Memory['wish']>,
  room: Annotation<Memory['room']>,
  submission: Annotation<Memory['submission']>,
  receipt: Annotation<Memory['receipt']>,
});
type Seen = typeof State.State;
type Change = typeof State.Update;

/** The graph, which is not compiled yet. */
export function scheduleGraph(tools: ToolsOf<ToolTypes>) {
  return new StateGraph(State)
    .addNode('PrepareRequest', preparing(tools))
    .addNode('ResolveSlot', resolving(tools))
    .addNode('FinalizeSchedule', finalizing(tools))
    .addEdge(START, 'PrepareRequest')
    .addConditionalEdges('PrepareRequest', ({ request, current }) => {
      if (request === null) return END;
      return current === null ? 'FinalizeSchedule' : 'ResolveSlot';
    })
    .addConditionalEdges('ResolveSlot', ({ request, current }) => {
      if (current !== null) return 'ResolveSlot';
      return request?.mode === 'draft' ? END : 'FinalizeSchedule';
    })
    .addConditionalEdges('FinalizeSchedule', ({ current }) => (current === null ? END : 'ResolveSlot'));
}

function preparing({ collect_request, plan_slots }: ToolsOf<ToolTypes>) {
  return async ({ asked }: Seen): Promise<Change> => {
    const request = await collect_request({ asked });
    if (request === null) return { request };
    const agenda = await plan_slots({ asked, request });
    const slots = Object.fromEntries(agenda.map(({ slot }): [string, Slot] => [slot, {}]));
    return { request, agenda, slots, current: agenda[0]?.slot ?? null };
  };
}

/** One slot: who is free, the time, and whether it stays. A slot that is opened again has a time, which is refined only. */
function resolving({ query_calendar, choose_slot, refine_slot }: ToolsOf<ToolTypes>) {
  return async ({ request, agenda, slots, current, wish }: Seen): Promise<Change> => {
    const slot = there(current, 'slot');
    const { meeting, people } = there(request, 'request');
    const behind = (known: Slot): Change => {
      const all = { ...slots, [slot]: known };
      const next = agenda.find((item) => all[item.slot]?.status === undefined)?.slot ?? null;
      return { slots: { [slot]: known }, current: next };
    };
    let known: Slot = slots[slot] ?? {};
    if (known.value === undefined) {
      const free: Record<string, readonly string[]> = {};
      for (const { id } of people) free[id] = await query_calendar({ slot, person: id });
      const index = agenda.findIndex((item) => item.slot === slot);
      const previous = agenda[index - 1]?.slot;
      const after = previous === undefined ? null : (slots[previous]?.value ?? null);
      const title = agenda[index]?.title ?? '';
      const value = await choose_slot({ slot, title, meeting, free, previous: previous ?? 'none', after });
      if (value === null) return behind({ ...known, free, status: 'deferred' });
      known = { ...known, free, value };
    }
    const chosen = there(known.value, 'time');
    const value = await refine_slot({ slot, meeting, value: chosen, wish: wish?.slot === slot ? wish : null });
    return behind({ ...known, value, status: 'resolved' });
  };
}

/** The review; a change opens its slot again. Then the room, the invitations and the receipt. */
function finalizing({ review_schedule, check_room, submit_schedule, file_receipt }: ToolsOf<ToolTypes>) {
  return async ({ asked, request, slots }: Seen): Promise<Change> => {
    const { meeting, title, people } = there(request, 'request');
    const values = valuesOf(slots);
    const review = await review_schedule({ asked, values });
    if (review.says === 'change') return { wish: review.wish, current: review.wish.slot };
    if (review.says === 'withdraw') return { review };
    const room = await check_room({ seats: people.length, values });
    const to = people.map(({ email }) => email);
    const submission = await submit_schedule({ meeting, title, to, room, values });
    const receipt = await file_receipt({ meeting, room, messageId: submission.messageId, values });
    return { review, room, submission, receipt };
  };
}
