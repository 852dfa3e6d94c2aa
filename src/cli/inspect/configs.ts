/** The configs and rehearsals that the inspector shows: read from the files that the person at the terminal has named. */
import { readFileSync, statSync } from 'node:fs';
import type { BoundaryConfig } from '../../boundaries/config.ts';
import { configFiles, readConfig } from '../../boundaries/directory.ts';
import type { InspectedConfig, InspectedMatrix } from '../../inspector/files-data.ts';
import { matrixOf } from '../../rehearsal/matrix.ts';
import type { RehearsalReport } from '../../rehearsal/report.ts';
import { findMachines } from '../check/check.ts';
import { shapeFor } from '../reading/machines.ts';
import { type Reviewed, reviewConfig } from '../review/review.ts';

/** The configs of files and folders, as they are now. A config that cannot be used is shown with the reason. */
export async function inspectedConfigs(paths: readonly string[], machines: string | null): Promise<InspectedConfig[]> {
  const all: InspectedConfig[] = [];
  for (const path of paths) {
    let files: readonly string[];
    try {
      files = configFiles(path);
    } catch (error) {
      all.push(unusable(path, (error as Error).message));
      continue;
    }
    for (const file of files) all.push(await inspectedConfig(file, machines));
  }
  return all;
}

async function inspectedConfig(file: string, machines: string | null): Promise<InspectedConfig> {
  const reviewed = await reviewConfig({ file, machines, by: null, accept: false, now: new Date() });
  if ('problem' in reviewed) return unusable(file, reviewed.problem);
  const { config } = readConfig(file);
  const [grave] = reviewed.findings.filter(({ severity }) => severity === 'error');
  const { agent, digest, review, reviewed: holds } = reviewed;
  return {
    file,
    agent,
    digest,
    review: review === null ? null : { by: review.by, when: review.when, holds },
    problem: grave === undefined ? null : `${grave.code} line ${grave.line}: ${grave.message}`,
    boundaries: [...(config?.skeletons.values() ?? [])].flatMap(({ name, boundaries }) =>
      boundaries.map(({ id, kind, site, when }) => {
        const edge = 'at' in site ? null : { from: site.from, to: site.to };
        const at = 'at' in site ? site.at : `${site.from} to ${site.to}`;
        return { skeleton: name, id, kind, at, edge, when: when.text };
      }),
    ),
    machine: agent === null ? null : await machineOf(agent, config, reviewed, machines),
  };
}

/** The machine as it is in the module, with the edges that the review finds not recoverable. */
async function machineOf(
  agent: string,
  config: BoundaryConfig | null,
  { notRecoverable }: Reviewed,
  module: string | null,
): Promise<InspectedConfig['machine']> {
  if (module === null || notRecoverable === null) return null;
  const found = await findMachines(module);
  if ('problem' in found) return null;
  const shape = config === null ? found.shapes.get(agent) : shapeFor(found, config);
  if (shape == null) return null;
  const lost = new Map(notRecoverable.map((edge) => [JSON.stringify([edge.from, edge.to, edge.event]), edge]));
  return {
    states: shape.states.flatMap(({ path, type }) =>
      path === '' || type === 'compound' || type === 'parallel' ? [] : [path],
    ),
    edges: shape.edges.map(({ from, to, event }) => {
      const why = lost.get(JSON.stringify([from, to, event]));
      return { from, to, event, lost: why === undefined ? null : `${why.skeleton}: ${why.why.join('; ')}` };
    }),
  };
}

function unusable(file: string, problem: string): InspectedConfig {
  return { file, agent: null, digest: null, review: null, problem, boundaries: [], machine: null };
}

/** The largest report, in bytes. */
const LARGEST = 64 * 1024 * 1024;

/** The matrix of a report of `belay rehearse --json`. */
export function matrixIn(file: string): InspectedMatrix | { readonly problem: string } {
  try {
    if (statSync(file).size > LARGEST) return { problem: `${file}: it is larger than any report of a rehearsal` };
    const report = JSON.parse(readFileSync(file, 'utf8')) as RehearsalReport;
    const tables = report.paths.flatMap(({ name }) =>
      matrixOf(report.cells.filter(({ path }) => path === name)).map(({ title, columns, rows }) => ({
        title: `${String(name)}: ${title}`,
        columns,
        rows: rows.map(({ place, cells }) => ({
          place,
          cells: cells.map((some) => some.map(({ verdict, text }) => ({ is: String(verdict.is), text: String(text) }))),
        })),
      })),
    );
    const { same, parked, harm, unreached } = report.totals;
    return { file, agent: String(report.agent), totals: { same, parked, harm, unreached }, tables };
  } catch (error) {
    const why = (error as Error).message.split('\n')[0];
    return { problem: `${file}: it is no report of belay rehearse --json (${why})` };
  }
}
