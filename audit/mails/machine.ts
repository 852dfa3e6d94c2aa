/** The agent: two files, two mails, and a word at the end that says whether all of it is to be. */
import type { ToolCall } from 'belay-sidecar';
import { tool } from 'belay-sidecar/xstate';
import { assign, setup } from 'xstate';
import { typed } from '../../domains/there.ts';

/** The context of the agent. */
interface Report {
  readonly run: string;
  readonly confirms: boolean;
}

/** The functions of its tools. */
export interface Tools {
  write(call: ToolCall<{ path: string; content: string }>): Promise<unknown>;
  send(call: ToolCall<{ to: string; subject: string; text: string }>): Promise<unknown>;
}

/** The files and mails of a run. */
export const WORK = {
  draft: (run: string) => ({ path: 'draft.txt', content: `draft of ${run}\n` }),
  reviewer: (run: string) => ({ to: `${run}@report.invalid`, subject: 'to the reviewer', text: 'A draft is there.' }),
  final: (run: string) => ({ path: 'final.txt', content: `report of ${run}\n` }),
  board: (run: string) => ({ to: `${run}@report.invalid`, subject: 'to the board', text: 'The report is there.' }),
} as const;

/** Makes the machine over some tools. */
export function reportMachine({ write, send }: Tools) {
  return setup({
    types: typed<Report & { confirmed: boolean }, Report>(),
    actors: {
      write_draft: tool(write),
      write_final: tool(write),
      mail_reviewer: tool(send),
      mail_board: tool(send),
      confirm: tool(async ({ input }: ToolCall<{ confirms: boolean }>) => input.confirms),
    },
  }).createMachine({
    id: 'report-mail',
    context: ({ input }) => ({ ...input, confirmed: false }),
    initial: 'drafting',
    states: {
      drafting: {
        invoke: { src: 'write_draft', input: ({ context }) => WORK.draft(context.run), onDone: 'telling_reviewer' },
      },
      telling_reviewer: {
        invoke: { src: 'mail_reviewer', input: ({ context }) => WORK.reviewer(context.run), onDone: 'finishing' },
      },
      finishing: {
        invoke: { src: 'write_final', input: ({ context }) => WORK.final(context.run), onDone: 'telling_board' },
      },
      telling_board: {
        invoke: { src: 'mail_board', input: ({ context }) => WORK.board(context.run), onDone: 'confirming' },
      },
      confirming: {
        invoke: {
          src: 'confirm',
          input: ({ context }) => ({ confirms: context.confirms }),
          onDone: [
            { guard: ({ event }) => event.output, target: 'done', actions: assign({ confirmed: true }) },
            { target: 'aborted' },
          ],
        },
      },
      done: { type: 'final' },
      aborted: { type: 'final' },
    },
  });
}
