/**
 * The agent as a state machine: a batch is opened, each table is extracted, validated, transformed and loaded, and once no source has
 * more a report is published. A delivery that is not whole is gone on with, and loaded as far as it came. The tools are provided with
 * a world (tools.ts); without one they refuse.
 */
import { assign, setup } from 'xstate';
import { there, typed } from '../there.ts';
import type { Memory, Request } from './batch.ts';
import { actors } from './calls.ts';
import {
  arrived,
  deliveryOf,
  extractOf,
  isWhole,
  learnt,
  loadable,
  nextTable,
  progressOf,
  setAside,
  sinceOf,
  tableOf,
  unquarantined,
} from './progress.ts';
import { parentOf } from './warehouse.ts';

/** The machine, with tools that refuse until a world is provided. */
export const machine = setup({
  types: typed<Memory, Request>(),
  actors,
  guards: {
    hasNext: ({ context }) => nextTable({ ...context, ...learnt(context, { status: 'loaded' }) }) !== null,
    onlyLoads: ({ context }) => context.asked.mode === 'load',
  },
}).createMachine({
  id: 'etl-pipeline',
  context: ({ input }) => ({
    asked: input,
    opened: null,
    tables: { customers: {}, orders: {}, payments: {} },
    current: null,
    late: null,
    report: null,
    publication: null,
    filed: null,
  }),
  initial: 'OPENING_BATCH',
  states: {
    OPENING_BATCH: {
      invoke: {
        src: 'open_batch',
        input: ({ context }) => ({ asked: context.asked }),
        onDone: { target: 'TABLE_READY', actions: assign({ opened: ({ event }) => event.output }) },
      },
    },
    TABLE_READY: {
      always: [
        {
          guard: ({ context }) => nextTable(context) !== null,
          target: 'EXTRACTING',
          actions: assign({ current: ({ context }) => nextTable(context) }),
        },
        { guard: 'onlyLoads', target: 'DONE' },
        { target: 'CHECKING_LATE' },
      ],
    },
    EXTRACTING: {
      invoke: {
        src: 'extract_rows',
        input: ({ context }) => ({ table: tableOf(context), since: sinceOf(context, tableOf(context)) }),
        onDone: [
          {
            guard: ({ event }) => event.output === null,
            target: 'TABLE_READY',
            actions: assign(({ context }) => learnt(context, { status: 'absent' })),
          },
          {
            target: 'VALIDATING',
            actions: assign(({ context, event }) => learnt(context, { extract: there(event.output, 'delivery') })),
          },
        ],
      },
    },
    VALIDATING: {
      invoke: {
        src: 'validate_rows',
        input: ({ context }) => ({ table: tableOf(context), extract: extractOf(context) }),
        onDone: [
          {
            guard: ({ event }) => event.output.complete,
            target: 'CONFIRMING',
            actions: assign(({ context, event }) => learnt(context, { check: event.output })),
          },
          {
            guard: ({ context, event }) =>
              unquarantined({ ...context, ...learnt(context, { check: event.output }) }).length > 0,
            target: 'QUARANTINING',
            actions: assign(({ context, event }) => learnt(context, { check: event.output })),
          },
          {
            target: 'TRANSFORMING',
            actions: assign(({ context, event }) => learnt(context, { check: event.output })),
          },
        ],
      },
    },
    CONFIRMING: {
      invoke: {
        src: 'confirm_receipt',
        input: ({ context }) => deliveryOf(context),
        onDone: [
          { guard: ({ context }) => unquarantined(context).length > 0, target: 'QUARANTINING' },
          { target: 'TRANSFORMING' },
        ],
      },
    },
    QUARANTINING: {
      invoke: {
        src: 'quarantine_rows',
        input: ({ context }) => ({ ...deliveryOf(context), rows: unquarantined(context) }),
        onDone: [
          {
            guard: ({ context, event }) =>
              isWhole(context) && loadable({ ...context, ...setAside(context, event.output) }).length === 0,
            target: 'ADVANCING',
            actions: assign(({ context, event }) => setAside(context, event.output)),
          },
          { target: 'TRANSFORMING', actions: assign(({ context, event }) => setAside(context, event.output)) },
        ],
      },
    },
    TRANSFORMING: {
      invoke: {
        src: 'transform_rows',
        input: ({ context }) => ({
          ...deliveryOf(context),
          parent: parentOf(tableOf(context)) ?? 'none',
          rows: loadable(context),
        }),
        onDone: [
          {
            guard: ({ context }) => isWhole(context),
            target: 'LOADING',
            actions: assign(({ context, event }) => learnt(context, { ready: event.output })),
          },
          {
            target: 'AWAITING_REST',
            actions: assign(({ context, event }) => learnt(context, { ready: event.output })),
          },
        ],
      },
    },
    AWAITING_REST: {
      invoke: {
        src: 'follow_upload',
        input: ({ context }) => ({ table: tableOf(context) }),
        onDone: [
          { guard: ({ event }) => event.output.length === 0, target: 'LOADING' },
          { target: 'VALIDATING', actions: assign(({ context, event }) => arrived(context, event.output)) },
        ],
      },
    },
    LOADING: {
      invoke: {
        src: 'load_rows',
        input: ({ context }) => ({
          table: tableOf(context),
          ready: there(progressOf(context).ready, 'row that is ready'),
        }),
        onDone: [
          {
            guard: ({ event }) => event.output.refused.length > 0,
            target: 'QUARANTINING',
            actions: assign(({ context, event }) => learnt(context, { refused: event.output })),
          },
          { target: 'ADVANCING', actions: assign(({ context, event }) => learnt(context, { loaded: event.output })) },
        ],
      },
    },
    ADVANCING: {
      invoke: {
        src: 'advance_watermark',
        input: ({ context }) => ({ ...deliveryOf(context), upTo: extractOf(context).upTo }),
        onDone: [
          {
            guard: 'hasNext',
            target: 'TABLE_READY',
            actions: assign(({ context, event }) => learnt(context, { watermark: event.output, status: 'loaded' })),
          },
          {
            guard: 'onlyLoads',
            target: 'DONE',
            actions: assign(({ context, event }) => learnt(context, { watermark: event.output, status: 'loaded' })),
          },
          {
            target: 'CHECKING_LATE',
            actions: assign(({ context, event }) => learnt(context, { watermark: event.output, status: 'loaded' })),
          },
        ],
      },
    },
    CHECKING_LATE: {
      invoke: {
        src: 'check_late',
        input: ({ context }) => ({
          batch: context.asked.batch,
          watermarks: Object.fromEntries(
            (context.opened?.tables ?? []).map((table) => [table, sinceOf(context, table)]),
          ),
        }),
        onDone: [
          {
            guard: ({ event }) => event.output !== null,
            target: 'EXTRACTING',
            actions: assign(({ context, event }) => {
              const table = there(event.output, 'late table');
              return { current: table, late: { table, since: sinceOf(context, table) } };
            }),
          },
          { target: 'BUILDING_REPORT' },
        ],
      },
    },
    BUILDING_REPORT: {
      invoke: {
        src: 'build_report',
        input: ({ context }) => ({ batch: context.asked.batch }),
        onDone: { target: 'PUBLISHING', actions: assign({ report: ({ event }) => event.output }) },
      },
    },
    PUBLISHING: {
      invoke: {
        src: 'publish_report',
        input: ({ context }) => ({ batch: context.asked.batch, lines: context.report ?? [] }),
        onDone: { target: 'FILING', actions: assign({ publication: ({ event }) => event.output }) },
      },
    },
    FILING: {
      invoke: {
        src: 'file_batch',
        input: ({ context }) => ({
          batch: context.asked.batch,
          publication: there(context.publication, 'publication').id,
        }),
        onDone: { target: 'DONE', actions: assign({ filed: ({ event }) => event.output }) },
      },
    },
    DONE: { type: 'final' },
  },
});
