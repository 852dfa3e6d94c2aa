/** The tools: what each is called with, and what it answers. Until there is a world for them, they refuse. */
import { tool } from 'belay-sidecar';
import type {
  Bad,
  Check,
  Extract,
  Filed,
  Line,
  Loaded,
  Opened,
  Publication,
  Raw,
  Ready,
  Request,
  Table,
  Watermark,
} from './batch.ts';

/** Each tool, by its name. */
export interface ToolTypes {
  open_batch: { input: { asked: Request }; output: Opened };
  extract_rows: { input: { table: Table; since: number }; output: Extract | null };
  validate_rows: { input: { table: Table; extract: Extract }; output: Check };
  confirm_receipt: { input: { table: Table; delivery: number }; output: null };
  quarantine_rows: { input: { table: Table; delivery: number; rows: readonly Bad[] }; output: readonly string[] };
  transform_rows: { input: Transformation; output: Ready };
  follow_upload: { input: { table: Table }; output: readonly Raw[] };
  load_rows: { input: { table: Table; ready: Ready }; output: Loaded };
  advance_watermark: { input: { table: Table; delivery: number; upTo: number }; output: Watermark };
  check_late: { input: { batch: string; watermarks: Partial<Record<Table, number>> }; output: Table | null };
  build_report: { input: { batch: string }; output: readonly Line[] };
  publish_report: { input: { batch: string; lines: readonly Line[] }; output: Publication };
  file_batch: { input: Filed; output: Filed };
}

/** What is needed to give the rows of a delivery their form. */
export interface Transformation {
  readonly table: Table;
  /** The table that they refer to, or `none`. */
  readonly parent: Table | 'none';
  readonly delivery: number;
  readonly rows: readonly Raw[];
}

function refusing<TOutput, TInput>() {
  return tool<TOutput, TInput>(() => Promise.reject(new Error('no world is open for this machine')));
}

/** The tools of a machine that has no world. */
export const unconnected = {
  open_batch: refusing<Opened, ToolTypes['open_batch']['input']>(),
  extract_rows: refusing<Extract | null, ToolTypes['extract_rows']['input']>(),
  validate_rows: refusing<Check, ToolTypes['validate_rows']['input']>(),
  confirm_receipt: refusing<null, ToolTypes['confirm_receipt']['input']>(),
  quarantine_rows: refusing<readonly string[], ToolTypes['quarantine_rows']['input']>(),
  transform_rows: refusing<Ready, Transformation>(),
  follow_upload: refusing<readonly Raw[], ToolTypes['follow_upload']['input']>(),
  load_rows: refusing<Loaded, ToolTypes['load_rows']['input']>(),
  advance_watermark: refusing<Watermark, ToolTypes['advance_watermark']['input']>(),
  check_late: refusing<Table | null, ToolTypes['check_late']['input']>(),
  build_report: refusing<readonly Line[], ToolTypes['build_report']['input']>(),
  publish_report: refusing<Publication, ToolTypes['publish_report']['input']>(),
  file_batch: refusing<Filed, Filed>(),
};
