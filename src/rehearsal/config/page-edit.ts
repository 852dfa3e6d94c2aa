/** Edits of a config: one changed field, with its place. */
import type { BoundaryConfig } from '../../boundaries/config.ts';
import { loadConfig } from '../../boundaries/load.ts';
import { type ConfigDocument, nearest, plain } from '../../boundaries/page/document.ts';
import type { Place } from '../../boundaries/page/finding.ts';
import type { Guards } from '../../predicates/compile.ts';
import type { Dishonesty } from '../trial/dishonesty.ts';

/** A page as plain data. Everything may be missing or of another type: it is held against the schema once it is edited. */
export interface Page {
  tools?: Record<string, PageTool>;
  skeletons?: Record<string, PageSkeleton>;
  keys?: { blind?: string[]; append?: string[] };
}

/** A tool of a page. */
export interface PageTool {
  effect?: string;
  reads?: string[];
  writes?: string[];
  undo?: string;
  reconcile?: unknown;
  timeout?: unknown;
}

/** A skeleton of a page. */
export interface PageSkeleton {
  entity?: string;
  outputs?: string[];
  commit?: PageBoundary[];
  exit?: PageBoundary[];
  rollback?: { anchors?: string[]; joint?: string[] };
}

/** A boundary of a page. */
export interface PageBoundary {
  id?: string;
  when?: unknown;
  outputs?: string[];
}

/** One edit of a page, or one counterparty that does not do what the page says. */
export interface PageEdit {
  /** The kind of the edit, in one word or two. */
  readonly kind: string;
  /** Where the page says what is said otherwise. */
  readonly path: readonly string[];
  /** The change, in words. */
  readonly text: string;
  /** The name of the tool that it is about; null where it is about no single one. */
  readonly tool: string | null;
  readonly change?: (page: Page) => void;
  readonly dishonest?: Dishonesty;
}

/** The page of a config as plain data, anew for each edit. */
export function pageOf({ root }: ConfigDocument): Page {
  return root === null ? {} : (JSON.parse(JSON.stringify(plain(root))) as Page);
}

/** The config with an edit; null where it then has errors, or says the same as before. */
export function edited(
  document: ConfigDocument,
  { change }: PageEdit,
  before: BoundaryConfig,
  guards: Guards,
): BoundaryConfig | null {
  if (change === undefined) return before;
  const page = pageOf(document);
  change(page);
  const { config } = loadConfig(JSON.stringify(page), { file: document.file, guards });
  return config === null || config.digest === before.digest ? null : config;
}

/** The place of an edit. */
export function placeOfEdit({ root }: ConfigDocument, { path }: PageEdit): Place {
  return root === null ? { line: 1, column: 1 } : nearest(root, path).at;
}

/** The tools of a page by name. */
export function toolsOf(page: Page): readonly (readonly [string, PageTool])[] {
  return Object.entries(page.tools ?? {});
}

/** The boundaries of a skeleton, with their paths in the page. */
export function boundariesOf(page: Page): readonly {
  readonly skeleton: string;
  readonly path: readonly string[];
  readonly boundary: PageBoundary;
}[] {
  return Object.entries(page.skeletons ?? {}).flatMap(([skeleton, declared]) =>
    (['commit', 'exit'] as const).flatMap((kind) =>
      (declared[kind] ?? []).map((boundary, index) => ({
        skeleton,
        boundary,
        path: ['skeletons', skeleton, kind, String(index)],
      })),
    ),
  );
}

/** True for a key outside the context. */
export function isOutside(key: string): boolean {
  return /^[a-z][a-z0-9+.-]*:/.test(key);
}
