/** The verb `rehearse`: finds an agent, rehearses it in worlds of its own, and decides which cells fail the command. */
import { relative } from 'node:path';
import { type ComparedConfig, configChanges, recoverableChanges } from '../../boundaries/compare/config-changes.ts';
import { readConfig } from '../../boundaries/directory.ts';
import type { Loaded } from '../../boundaries/load.ts';
import type { ConfigDocument } from '../../boundaries/page/document.ts';
import type { RehearsedFirst } from '../../rehearsal/coverage.ts';
import { RehearsalError } from '../../rehearsal/rehearsal-error.ts';
import { rehearseSubject } from '../../rehearsal/rehearse.ts';
import type { RehearsalCell, RehearsalReport, RehearsalSettings } from '../../rehearsal/report.ts';
import type { Agent } from '../../xstate/agent.ts';
import { findMachines } from '../check/check.ts';
import type { Machines } from '../reading/machines.ts';
import { parsed } from '../reading/typed-json.ts';
import { agentNamed, type Problem } from '../run/run.ts';
import { subjectOf } from './rehearsed-agent.ts';

/** Options of `rehearse`. */
export interface RehearseOptions {
  readonly agent: string | null;
  readonly machines: string | null;
  /** JSON text; takes the place of the paths of the agent. */
  readonly input: string | null;
  readonly config: string | null;
  readonly seed: number;
  readonly sample: number | null;
  readonly kills: NonNullable<RehearsalSettings['kills']>;
  readonly acts: NonNullable<RehearsalSettings['acts']>;
  /** The config of before: the tools and boundaries that have changed since are rehearsed first; null for none. */
  readonly changed: string | null;
  /** Only cells whose id has this text in it; null for all. */
  readonly only: string | null;
  /** The most runs for each loosening of the config; null where none is tried. */
  readonly mutate: number | null;
  /** The reasons for which a run may park; null where parking is no failure. */
  readonly allowParked: readonly string[] | null;
  /** Called with each run, each act that is asked for again, and each loosening, before it is tried. */
  onProgress(what: 'run' | 'act' | 'loosening', at: { readonly index: number; readonly of: number }): void;
}

/** A rehearsal that was made. */
export interface Rehearsed {
  /** The file of the config. */
  readonly config: string;
  /** Its content, with the place of each value. */
  readonly document: ConfigDocument;
  readonly report: RehearsalReport;
  /** The cells that fail the command: harm, and parks that are not allowed. */
  readonly failing: readonly RehearsalCell[];
  /** The tools and skeletons that were rehearsed first; left out where no config of before was named. */
  readonly changed?: ChangedSince;
}

/** The tools and skeletons that have changed in meaning since a config of before. */
export interface ChangedSince extends RehearsedFirst {
  /** The file of the config of before. */
  readonly since: string;
}

/** The tools and skeletons that `belay review --diff` names. */
function changedSince(since: string, now: ComparedConfig, { guards }: Machines): ChangedSince | Problem {
  const { config, findings, document } = readConfig(since, { guards });
  if (config === null) return { problem: configProblem(findings) };
  const old = { config, document };
  const named = (section: string) =>
    configChanges(old, now).flatMap(({ path: [of, name] }) =>
      of === section && name !== undefined ? [String(name)] : [],
    );
  const recoverable = recoverableChanges(old.config, now.config, null).map(({ skeleton }) => skeleton);
  return {
    since: shownFile(since),
    tools: [...new Set(named('tools'))],
    skeletons: [...new Set([...named('skeletons'), ...recoverable])],
  };
}

/** Rehearses an agent. A problem is something that prevented the rehearsal. */
export async function rehearseAgent(options: RehearseOptions): Promise<Rehearsed | Problem> {
  const machines = await findMachines(options.machines);
  if ('problem' in machines) return machines;
  const agent = agentNamed(options.agent, machines);
  if ('problem' in agent) return agent;
  const input = parsed('--input', options.input);
  if (input !== null && 'problem' in input) return input;
  const file = options.config ?? agent.config;
  const { config, findings, document } = readConfig(file, { guards: machines.guards });
  if (config === null) return { problem: configProblem(findings) };
  const now = { config, document };
  const changed = options.changed === null ? null : changedSince(options.changed, now, machines);
  if (changed !== null && 'problem' in changed) return changed;
  const settings = settingsOf(options, agent, input, changed);
  const page = { config, document, guards: machines.guards };
  const subject = subjectOf(agent, page, { machines: options.machines, config: file });
  try {
    const report = await rehearseSubject(subject, settings);
    if (options.only !== null && report.cells.length + report.again.length === 0)
      return {
        problem: `--only ${JSON.stringify(options.only)}: no run of ${agent.machine.id} has this text in its id, so that nothing was rehearsed. belay rehearse ${agent.machine.id} --json lists the ids`,
      };
    const failing = report.cells.filter((cell) => fails(cell, options.allowParked));
    return { config: shownFile(file), document, report, failing, ...(changed !== null && { changed }) };
  } catch (error) {
    if (error instanceof RehearsalError) return { problem: `${agent.machine.id}: ${error.code} ${error.message}` };
    return {
      problem: `${agent.machine.id}: cannot_rehearse ${error instanceof Error ? error.message : String(error)}`,
    };
  }
}

/** The way in which an agent is rehearsed, as it says itself and the command adds. */
function settingsOf(
  options: RehearseOptions,
  agent: Agent,
  input: { readonly value: unknown } | null,
  changed: ChangedSince | null,
): RehearsalSettings {
  return {
    ...agent.rehearsal,
    ...(input !== null && { paths: [{ input: input.value }] }),
    ...{
      seed: options.seed,
      kills: options.kills,
      acts: options.acts,
      onCell: (cell) => options.onProgress('run', cell),
    },
    onAgain: (run) => options.onProgress('act', run),
    onMutation: (mutation) => options.onProgress('loosening', mutation),
    ...(options.sample !== null && { sample: options.sample }),
    ...(options.only !== null && { only: options.only }),
    ...(changed !== null && { first: changed }),
    ...(options.mutate !== null && { mutations: options.mutate }),
  };
}

function fails({ verdict }: RehearsalCell, allowed: readonly string[] | null): boolean {
  if (verdict.is === 'parked') return allowed !== null && !verdict.reasons.every((reason) => allowed.includes(reason));
  return verdict.is === 'harm';
}

/** The path of a file as it is shown: relative, where it lies below the working folder. */
function shownFile(file: string): string {
  const here = relative('', file);
  return here.startsWith('..') ? file : here;
}

function configProblem(findings: Loaded['findings']): string {
  const errors = findings.filter(({ severity }) => severity === 'error');
  return errors
    .map(({ file, line, column, code, message }) => `${file}:${line}:${column} ${code} ${message}`)
    .join('\n');
}
