/**
 * `belay review`: the view that a person needs before vouching for a config, and the lock that records the reviewers.
 */
import { basename } from 'node:path';
import pc from 'picocolors';
import type { BoundaryConfig } from '../../boundaries/config.ts';
import { readConfig, readLock, writeLock } from '../../boundaries/directory.ts';
import { type LostEdge, lostEdges } from '../../boundaries/lint/edges.ts';
import { lintConfig } from '../../boundaries/lint/lint.ts';
import { Reach } from '../../boundaries/lint/reach.ts';
import type { Finding } from '../../boundaries/page/finding.ts';
import { isReviewed, type Review, withReview } from '../../boundaries/review.ts';
import { RENAMED, type Renames } from '../../model/renames.ts';
import { findMachines } from '../check/check.ts';
import { line } from '../check/findings.ts';
import { shapeFor } from '../reading/machines.ts';
import { printable } from '../terminal/printable.ts';

/** Options of a review. `by` is the reviewer's name, needed to accept; `now` the time of an acceptance. */
export interface ReviewOptions {
  readonly file: string;
  readonly machines: string | null;
  readonly by: string | null;
  readonly accept: boolean;
  readonly now: Date;
}

/** The view for a reviewer. */
export interface Reviewed {
  readonly file: string;
  readonly agent: string | null;
  readonly digest: string | null;
  /** True if a reviewer has vouched for exactly this content. */
  readonly reviewed: boolean;
  /** The newest review of this file, even if of another content; null if there is none. */
  readonly review: Review | null;
  /** Conditions in code, which no reader of the file can see. */
  readonly guards: readonly { readonly skeleton: string; readonly boundary: string; readonly guard: string }[];
  /** Null where there was no machine to look at. */
  readonly notRecoverable: readonly LostEdge[] | null;
  readonly findings: readonly Finding[];
  /** The names that a map gives anew; left out for a config. */
  readonly renames?: Renames;
}

/** Reviews a config; a problem is something that prevented the review. */
export async function reviewConfig(options: ReviewOptions): Promise<Reviewed | { readonly problem: string }> {
  const { file } = options;
  const machines = await findMachines(options.machines);
  if ('problem' in machines) return machines;
  const { config, findings, document } = readConfig(file, { guards: machines.guards });
  if (findings.some(({ code }) => code === 'cannot_read'))
    return { problem: `${file}: cannot_read ${findings[0]?.message}` };
  const read = readLock(file);
  if ('problem' in read) return { problem: `the review lock beside ${file}: cannot_read ${read.problem}` };
  const name = basename(file);
  if (config === null) {
    return {
      file,
      agent: null,
      digest: null,
      reviewed: false,
      review: read.lock.get(name) ?? null,
      guards: [],
      notRecoverable: null,
      findings,
    };
  }
  const shape = shapeFor(machines, config);
  const all = [...findings, ...lintConfig(config, document, shape)];
  let { lock } = read;
  if (options.accept && options.by !== null && !all.some(({ severity }) => severity === 'error')) {
    const { agent, digest } = config;
    lock = withReview(lock, name, { agent, digest, by: options.by, when: options.now.toISOString() });
    try {
      writeLock(file, lock);
    } catch (error) {
      return {
        problem: `the review lock beside ${file}: cannot_write ${error instanceof Error ? error.message : error}`,
      };
    }
  }
  const reach = shape === null ? null : new Reach(shape);
  return {
    file,
    agent: config.agent,
    digest: config.digest,
    reviewed: isReviewed(lock, config),
    review: lock.get(name) ?? [...lock.values()].find(({ digest }) => digest === config.digest) ?? null,
    guards: guardsOf(config),
    notRecoverable: reach && lostEdges(config, reach),
    findings: all,
  };
}

function guardsOf(config: BoundaryConfig): Reviewed['guards'] {
  return [...config.skeletons.values()].flatMap(({ name, boundaries }) => {
    return boundaries
      .filter(({ when }) => when.text.startsWith('guard: '))
      .map(({ id, when }) => ({ skeleton: name, boundary: id, guard: when.text.slice('guard: '.length) }));
  });
}

/** Formats a review for a person. */
export function reviewText(reviewed: Reviewed, colours: boolean): string {
  const { bold, red } = pc.createColors(colours);
  const out = [`${bold(printable(reviewed.file))}: ${reviewLine(reviewed)}`];
  if (reviewed.guards.length > 0) {
    out.push('', red('CODE THAT THIS CONFIG TRUSTS, and that no reader of it can see:'));
    for (const { skeleton, boundary, guard } of reviewed.guards)
      out.push(printable(`  ${guard} decides "${boundary}" of ${skeleton}`));
  }
  const grave = reviewed.findings.filter(({ severity }) => severity !== 'note');
  if (grave.length > 0)
    out.push('', bold('What belay check says:'), ...grave.map((finding) => `  ${line(finding, colours)}`));
  if (reviewed.renames !== undefined) out.push('', ...mapLines(reviewed.renames));
  else if (reviewed.notRecoverable === null)
    out.push('', 'No machine was given: no edges can be shown (--machines FILE).');
  else out.push('', ...edgeLines(reviewed.notRecoverable, bold));
  return `${out.join('\n')}\n`;
}

function reviewLine({ agent, digest, reviewed, review, findings }: Reviewed): string {
  if (agent === null) return `is no config: ${findings.length} findings, see below`;
  const what = `${printable(agent)}, digest ${digest?.slice(0, 16)}`;
  if (review === null) return `${what}: not reviewed yet`;
  const who = `${printable(review.by)} on ${review.when.slice(0, 10)}`;
  return reviewed
    ? `${what}: reviewed by ${who}`
    : `${what}: changed since ${who} reviewed ${review.digest.slice(0, 16)}`;
}

function mapLines(renames: Renames): string[] {
  return RENAMED.flatMap((sort) =>
    Object.entries(renames[sort]).map(([then, now]) => printable(`  ${sort}: ${then} is called ${now}`)),
  );
}

function edgeLines(edges: readonly LostEdge[], bold: (text: string) => string): string[] {
  if (edges.length === 0) return ['Every edge that leaves a skeleton has a boundary that can certify.'];
  const lines = edges.map(({ skeleton, from, to, event, why }) => {
    return printable(`  ${from} -> ${to}${event === '' ? '' : ` (${event})`} leaves ${skeleton}: ${why.join('; ')}`);
  });
  return [bold('Legal but not recoverable:'), ...lines];
}
