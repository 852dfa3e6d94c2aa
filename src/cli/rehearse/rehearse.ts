/** The verb `rehearse`: finds an agent, rehearses it in worlds of its own, and decides which cells fail the command. */
import { relative } from 'node:path';
import { readConfig } from '../../boundaries/directory.ts';
import type { Loaded } from '../../boundaries/load.ts';
import type { ConfigDocument } from '../../boundaries/page/document.ts';
import { RehearsalError } from '../../rehearsal/rehearsal-error.ts';
import { rehearseSubject } from '../../rehearsal/rehearse.ts';
import type { RehearsalCell, RehearsalReport, RehearsalSettings } from '../../rehearsal/report.ts';
import { findMachines } from '../check/check.ts';
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
  const settings: RehearsalSettings = {
    ...agent.rehearsal,
    ...(input !== null && { paths: [{ input: input.value }] }),
    ...{ seed: options.seed, kills: options.kills, onCell: (cell) => options.onProgress('run', cell) },
    onAgain: (run) => options.onProgress('act', run),
    onMutation: (mutation) => options.onProgress('loosening', mutation),
    ...(options.sample !== null && { sample: options.sample }),
    ...(options.only !== null && { only: options.only }),
    ...(options.mutate !== null && { mutations: options.mutate }),
  };
  const page = { config, document, guards: machines.guards };
  const subject = subjectOf(agent, page, { machines: options.machines, config: file });
  try {
    const report = await rehearseSubject(subject, settings);
    if (options.only !== null && report.cells.length + report.again.length === 0)
      return {
        problem: `--only ${JSON.stringify(options.only)}: no run of ${agent.machine.id} has this text in its id, so that nothing was rehearsed. belay rehearse ${agent.machine.id} --json lists the ids`,
      };
    const failing = report.cells.filter((cell) => fails(cell, options.allowParked));
    return { config: shownFile(file), document, report, failing };
  } catch (error) {
    if (error instanceof RehearsalError) return { problem: `${agent.machine.id}: ${error.code} ${error.message}` };
    return {
      problem: `${agent.machine.id}: cannot_rehearse ${error instanceof Error ? error.message : String(error)}`,
    };
  }
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
