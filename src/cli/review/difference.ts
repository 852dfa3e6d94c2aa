/** `belay review --diff`: the differences in meaning between two configs, and the side to which each change leans. */
import pc from 'picocolors';
import {
  type ComparedConfig,
  configChanges,
  type RecoverableChange,
  recoverableChanges,
} from '../../boundaries/compare/config-changes.ts';
import { consequenceOf } from '../../boundaries/compare/consequences.ts';
import type { Difference, Leaning } from '../../boundaries/compare/leaning.ts';
import { readConfig } from '../../boundaries/directory.ts';
import { Reach } from '../../boundaries/lint/reach.ts';
import { nearest } from '../../boundaries/page/document.ts';
import type { Place } from '../../boundaries/page/finding.ts';
import { findMachines } from '../check/check.ts';
import { line } from '../check/findings.ts';
import { type Machines, shapeFor } from '../reading/machines.ts';
import { printable } from '../terminal/printable.ts';

/** The two files, and the module of the machines; null for what package.json names. */
export interface DiffOptions {
  readonly old: string;
  readonly now: string;
  readonly machines: string | null;
}

/** One change, with its place in the new file, or in the old one where it is gone. */
interface Change extends Place {
  readonly file: string;
  /** `tools pay effect`. */
  readonly about: string;
  readonly old: string | null;
  readonly now: string | null;
  readonly is: Leaning;
  /** The consequence for runs, in one sentence. */
  readonly consequence: string;
}

/** Two configs, compared. */
export interface Compared {
  readonly old: { readonly file: string; readonly agent: string; readonly digest: string };
  readonly now: { readonly file: string; readonly agent: string; readonly digest: string };
  /** True where both were held against a machine. */
  readonly machine: boolean;
  readonly changes: readonly Change[];
  readonly recoverable: readonly RecoverableChange[];
}

/** Compares two configs; a problem is something that kept them from being compared. */
export async function compareConfigs(options: DiffOptions): Promise<Compared | { readonly problem: string }> {
  const machines = await findMachines(options.machines);
  if ('problem' in machines) return machines;
  const old = readSide(options.old, machines);
  if ('problem' in old) return old;
  const now = readSide(options.now, machines);
  if ('problem' in now) return now;
  const shape = shapeFor(machines, now.config);
  const reach = shape === null ? null : new Reach(shape);
  return {
    old: { file: options.old, agent: old.config.agent, digest: old.config.digest },
    now: { file: options.now, agent: now.config.agent, digest: now.config.digest },
    machine: shape !== null,
    changes: configChanges(old, now).map((difference) => placed(difference, old, now)),
    recoverable: recoverableChanges(old.config, now.config, reach),
  };
}

function readSide(file: string, { guards }: Machines): ComparedConfig | { readonly problem: string } {
  const { config, findings, document } = readConfig(file, { guards });
  if (config !== null) return { config, document };
  const errors = findings.filter(({ severity }) => severity === 'error').map((finding) => line(finding, false));
  return { problem: errors[0] ?? `${file}: cannot_read it is no config` };
}

function placed(difference: Difference, old: ComparedConfig, now: ComparedConfig): Change {
  const { path, old: before, now: after, is } = difference;
  const { document } = after === null ? old : now;
  const at = document.root === null ? { line: 1, column: 1 } : nearest(document.root, path).at;
  const place = { file: document.file, line: at.line, column: at.column };
  return { ...place, about: path.join(' '), old: before, now: after, is, consequence: consequenceOf(difference) };
}

/** The changes that end the command with 1: any, or those alone that are looser. */
export const FAIL_ON = ['any', 'looser'] as const;

/** 1 where something changed that the command is to fail on, else 0. What became recoverable is looser. */
export function comparedCode({ changes, recoverable }: Compared, failOn: (typeof FAIL_ON)[number]): 0 | 1 {
  if (failOn === 'any') return changes.length + recoverable.length === 0 ? 0 : 1;
  return changes.some(({ is }) => is === 'looser') || recoverable.some(({ is }) => is === 'recoverable') ? 1 : 0;
}

const TITLES: Readonly<Record<Leaning, string>> = { looser: 'Looser', stricter: 'Stricter', other: 'Other' };

/** Lays the changes out for a person: looser ones first. */
export function comparedText(compared: Compared, colours: boolean): string {
  const { bold, red, yellow } = pc.createColors(colours);
  const { old, now, machine, changes, recoverable } = compared;
  const count = (is: Leaning) => changes.filter((change) => change.is === is).length;
  const all = changes.length + recoverable.length;
  const sum =
    all === 0
      ? 'nothing changed in meaning'
      : `${count('looser')} looser, ${count('stricter')} stricter, ${count('other')} other`;
  const out = [`${bold(printable(`${old.file} -> ${now.file}`))}: ${printable(now.agent)}, ${sum}`];
  for (const is of ['looser', 'stricter', 'other'] as const) {
    const some = changes.filter((change) => change.is === is);
    if (some.length > 0) out.push('', (is === 'looser' ? red : bold)(`${TITLES[is]}:`), ...some.map(changeLine));
  }
  if (recoverable.length > 0) out.push('', yellow('What can be restored:'), ...recoverable.map(recoverableLine));
  if (!machine)
    out.push('', 'No machine was given: what can be restored is told of boundaries, not of edges (--machines FILE).');
  return `${out.join('\n')}\n`;
}

function changeLine({ file, line, column, about, old, now, consequence }: Change): string {
  const text = old === null ? `+ ${now}` : now === null ? `- ${old}` : `${old} => ${now}`;
  return `${printable(`  ${file}:${line}:${column} ${about}: ${text}`)}\n    ${consequence}`;
}

function recoverableLine({ skeleton, at, is, why }: RecoverableChange): string {
  const verb = is === 'recoverable' ? 'became recoverable' : 'is recoverable no more';
  return printable(`  ${skeleton} ${at} ${verb}${why.length === 0 ? '' : `: ${why.join('; ')}`}`);
}
