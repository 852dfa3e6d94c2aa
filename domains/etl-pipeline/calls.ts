/** What each tool is called with, and what it answers. */
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
  open_batch: { input: { asked: Request }; output: Opened | null };
  extract_rows: { input: { table: Table; since: number }; output: Extract | null };
  validate_rows: { input: { table: Table; extract: Extract }; output: Check };
  quarantine_rows: { input: { table: Table; delivery: number; rows: readonly Bad[] }; output: readonly string[] };
  transform_rows: { input: Transformation; output: Ready };
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
