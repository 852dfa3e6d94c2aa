/** The agent as the command runs it: it opens a world in the folder of the run, and refuses what is no request. */
import { join } from 'node:path';
import type { Agent } from 'belay-sidecar/xstate';
import { configOf, requests, text } from '../opening.ts';
import type { Planner } from '../planner/planner.ts';
import { Calendar } from './calendar.ts';
import { machine } from './machine.ts';
import { MailServer } from './mail.ts';
import { type Request, TIMES } from './schedule.ts';
import { reconcilersOn, toolsOn, undoOn } from './tools.ts';

/** The default request: five slots for two people. */
const REQUEST: Request = {
  meeting: 'offsite',
  title: 'Offsite',
  mode: 'submit',
  people: ['ada', 'ben'],
  slots: ['Kickoff', 'Budget', 'Roadmap', 'Hiring', 'Closing'],
  wishes: [],
};

const requestFrom = requests(REQUEST, {
  meeting: text,
  title: text,
  mode: { enum: ['submit', 'draft'] },
  people: { type: 'array', items: text, uniqueItems: true, maxItems: 20 },
  slots: { type: 'array', items: text, maxItems: 20 },
  wishes: {
    type: 'array',
    items: {
      type: 'object',
      additionalProperties: false,
      required: ['slot', 'value'],
      properties: { slot: text, value: { enum: TIMES } },
    },
  },
});

/** The agent with a planner; `serve` starts the mail server of a world. */
export function scheduleForm(planner: Planner, serve = MailServer.start): Agent {
  return {
    machine,
    config: configOf('schedule-form'),
    about: 'finds a time for each slot of a meeting, reviews the whole, and sends the invitations',
    rehearsal: { ignore: ['submission/messageId', 'receipt/messageId'], outlives: true },
    async open({ folder, input }) {
      const request = requestFrom(input);
      const calendar = new Calendar(join(folder, 'calendar.sqlite'));
      const world = { calendar, mail: await serve(folder), planner };
      return {
        machine: machine.provide({ actors: toolsOn(world) }),
        input: request,
        reconcilers: reconcilersOn(world),
        undo: undoOn(world),
        async world() {
          const mail = await world.mail.all();
          return {
            ...calendar.rows(),
            mail: mail.map(({ recipient, meeting, subject, body }) => ({ recipient, meeting, subject, body })),
          };
        },
        async close() {
          await world.mail.close();
          calendar.close();
        },
      };
    },
  };
}
