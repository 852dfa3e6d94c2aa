/** The agent's tools on a world, who can be asked about them, and what undoes them; by the names that the config uses. */
import type { ReconcileResult, Reconciler, Undo } from 'belay-sidecar';
import { tool } from 'belay-sidecar/xstate';
import type {
  Check,
  Extract,
  Filed,
  Line,
  Loaded,
  Opened,
  Publication,
  Raw,
  Ready,
  Table,
  Watermark,
} from './batch.ts';
import type { ToolTypes, Transformation } from './calls.ts';
import { check, transform } from './rows.ts';
import type { Sink } from './sink.ts';
import type { Source } from './source.ts';
import type { Warehouse } from './warehouse.ts';

/** The parts of the world that the tools act on. */
export interface World {
  readonly source: Source;
  readonly warehouse: Warehouse;
  readonly sink: Sink;
}

/** The tools. */
export function toolsOn({ source, warehouse, sink }: World) {
  return {
    open_batch: tool<Opened, ToolTypes['open_batch']['input']>(async ({ input, key }) =>
      warehouse.open(input.asked, key),
    ),
    extract_rows: tool<Extract | null, ToolTypes['extract_rows']['input']>(async ({ input }) =>
      source.extract(input.table, input.since),
    ),
    validate_rows: tool<Check, ToolTypes['validate_rows']['input']>(async ({ input }) =>
      check(input.table, input.extract),
    ),
    confirm_receipt: tool<null, ToolTypes['confirm_receipt']['input']>(async ({ input }) => {
      source.confirm(input.table, input.delivery);
      return null;
    }),
    quarantine_rows: tool<readonly string[], ToolTypes['quarantine_rows']['input']>(async ({ input, key }) =>
      warehouse.quarantine(input.table, input.delivery, input.rows, key),
    ),
    transform_rows: tool<Ready, Transformation>(async ({ input: { table, delivery, rows } }) =>
      transform(table, delivery, rows, source.codes(table), (id) => warehouse.brought(table, id)),
    ),
    follow_upload: tool<readonly Raw[], ToolTypes['follow_upload']['input']>(async ({ input }) =>
      source.follow(input.table),
    ),
    load_rows: tool<Loaded, ToolTypes['load_rows']['input']>(async ({ input: { table, ready }, key }) =>
      warehouse.load(table, ready.delivery, ready.rows, key),
    ),
    advance_watermark: tool<Watermark, ToolTypes['advance_watermark']['input']>(async ({ input, key }) =>
      warehouse.advance(input.table, { delivery: input.delivery, upTo: input.upTo }, key),
    ),
    check_late: tool<Table | null, ToolTypes['check_late']['input']>(async ({ input }) => source.due(input.watermarks)),
    build_report: tool<readonly Line[], ToolTypes['build_report']['input']>(async () => warehouse.report()),
    publish_report: tool<Publication, ToolTypes['publish_report']['input']>(async ({ input, key }) =>
      sink.publish(input, key),
    ),
    file_batch: tool<Filed, Filed>(async ({ input, key }) => {
      warehouse.file(input.batch, key);
      return input;
    }),
  };
}

/** The counterparties that can be asked whether a call happened. */
export function reconcilersOn({ warehouse, sink }: World): Record<string, Reconciler> {
  return {
    find_change: ({ key }): ReconcileResult => {
      const found = warehouse.find(key);
      return found === null ? { is: 'not_applied' } : { is: 'applied', output: found.output };
    },
    find_publication: ({ key }): ReconcileResult => {
      const output = sink.find(key);
      return output === null ? { is: 'not_applied' } : { is: 'applied', output };
    },
  };
}

/** The undos of the calls. */
export function undoOn({ warehouse }: World): Record<string, Undo> {
  const putBack: Undo = ({ key, undoKey }) => warehouse.putBack(key, undoKey);
  return { put_back: putBack, withdraw_load: putBack };
}
