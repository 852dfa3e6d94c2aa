/**
 * The place of published reports: a folder that keeps every publication as a file of its own, which is never removed.
 * The key of its call names a file, so that it can be asked for; without a key it has a name that no later call asks
 * for.
 */
import { createHash, randomUUID } from 'node:crypto';
import { existsSync, linkSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Line, Publication } from './batch.ts';

/** A report. */
export interface Report {
  readonly batch: string;
  readonly lines: readonly Line[];
}

/** The publications of a world. */
export class Sink {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
    mkdirSync(folder, { recursive: true });
  }

  /** Publishes a report, once for a key. The whole of it is there at once, or nothing. */
  publish(report: Report, key: string | undefined): Publication {
    const id = key === undefined ? randomUUID() : nameOf(key);
    const published = join(this.#folder, `${id}.json`);
    const draft = join(this.#folder, `${id}.draft`);
    writeFileSync(draft, JSON.stringify(report));
    if (!existsSync(published)) linkSync(draft, published);
    rmSync(draft);
    return { id, lines: report.lines.length };
  }

  /** The publication under a key. A missing one will not come later. */
  find(key: string): Publication | null {
    const id = nameOf(key);
    const file = join(this.#folder, `${id}.json`);
    return existsSync(file) ? { id, lines: reportIn(file).lines.length } : null;
  }

  /** Every report that was published, in an order that does not hang on the names. */
  all(): readonly Report[] {
    const files = readdirSync(this.#folder).filter((name) => name.endsWith('.json'));
    const texts = files.map((name) => readFileSync(join(this.#folder, name), 'utf8'));
    return texts.sort().map((text): Report => JSON.parse(text));
  }
}

function nameOf(key: string): string {
  return createHash('sha256').update(key).digest('hex').slice(0, 32);
}

function reportIn(file: string): Report {
  return JSON.parse(readFileSync(file, 'utf8'));
}
