/** The tools: what each is called with, and what it answers. Until there is a world for them, they refuse. */
import { unconnected } from '../opening.ts';
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

/** The input for transforming the rows of a delivery. */
export interface Transformation {
  readonly table: Table;
  /** The table that they refer to, or `none`. */
  readonly parent: Table | 'none';
  readonly delivery: number;
  readonly rows: readonly Raw[];
}

/** The tools of a machine that has no world. */
export const actors = {
  open_batch: unconnected<ToolTypes['open_batch']>(),
  extract_rows: unconnected<ToolTypes['extract_rows']>(),
  validate_rows: unconnected<ToolTypes['validate_rows']>(),
  confirm_receipt: unconnected<ToolTypes['confirm_receipt']>(),
  quarantine_rows: unconnected<ToolTypes['quarantine_rows']>(),
  transform_rows: unconnected<ToolTypes['transform_rows']>(),
  follow_upload: unconnected<ToolTypes['follow_upload']>(),
  load_rows: unconnected<ToolTypes['load_rows']>(),
  advance_watermark: unconnected<ToolTypes['advance_watermark']>(),
  check_late: unconnected<ToolTypes['check_late']>(),
  build_report: unconnected<ToolTypes['build_report']>(),
  publish_report: unconnected<ToolTypes['publish_report']>(),
  file_batch: unconnected<ToolTypes['file_batch']>(),
};
