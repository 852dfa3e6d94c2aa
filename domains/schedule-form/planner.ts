/** The decisions that the agent asks its planner for, and the script that makes them. */
import { scripted as follows, line, type Question } from '../planner/planner.ts';
import { type Collected, type Item, type Request, type Review, TIMES, type Wish } from './schedule.ts';

const time = { enum: TIMES } as const;
const slot = { type: 'string', minLength: 1 } as const;

/** The slots to resolve, in order. */
export const plan: Question<{ asked: Request; request: Collected }, readonly Item[]> = {
  name: 'plan',
  asks: 'A meeting has slots. Answer with one item for each slot of `asked.slots`, in the order in which they take place. Call the first one slot[0], the next one slot[1], and so on; the title is that of the slot.',
  answer: {
    type: 'array',
    items: {
      type: 'object',
      additionalProperties: false,
      required: ['slot', 'title'],
      properties: { slot, title: { type: 'string' } },
    },
  },
};

/** One of the times at which all participants are free; null puts the slot off. */
export const choose: Question<{ slot: string; times: readonly string[] }, string | null> = {
  name: 'choose',
  asks: 'Pick the time at which the slot takes place. It has to be one of `times`; answer with null where there is none.',
  answer: { anyOf: [time, { type: 'null' }] },
};

/** When the slot takes place after all, given what the reviewer wished. */
export const refine: Question<{ slot: string; value: string; wish: Wish | null }, string> = {
  name: 'refine',
  asks: 'A slot has been given the time `value`. Answer with the time of the reviewer’s wish where there is one, and else with the value.',
  answer: time,
};

/** True if the schedule is good. */
export const review: Question<{ asked: Request; values: Readonly<Record<string, string>> }, Review> = {
  name: 'review',
  asks: 'Review a schedule. Where a wish of `asked.wishes` is not fulfilled by `values`, answer with a change and the first such wish; else accept.',
  answer: {
    oneOf: [
      {
        type: 'object',
        additionalProperties: false,
        required: ['says'],
        properties: { says: { enum: ['accept', 'withdraw'] } },
      },
      {
        type: 'object',
        additionalProperties: false,
        required: ['says', 'wish'],
        properties: {
          says: { const: 'change' },
          wish: {
            type: 'object',
            additionalProperties: false,
            required: ['slot', 'value'],
            properties: { slot, value: time },
          },
        },
      },
    ],
  },
};

/** A planner that follows the request: the earliest time there is, and one change for each wish that is not yet fulfilled. */
export const scripted = follows([
  line(plan, ({ asked }) => asked.slots.map((title, index) => ({ slot: `slot[${index}]`, title }))),
  line(choose, ({ times }) => times[0] ?? null),
  line(refine, ({ value, wish }) => wish?.value ?? value),
  line(review, ({ asked, values }): Review => {
    const wish = asked.wishes.find(({ slot, value }) => values[slot] !== undefined && values[slot] !== value);
    return wish === undefined ? { says: 'accept' } : { says: 'change', wish };
  }),
]);
