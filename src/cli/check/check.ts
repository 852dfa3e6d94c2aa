/** `belay check`: reads configs, checks each against its machine, and reports every finding. */
import { basename } from 'node:path';
import type { BoundaryConfig } from '../../boundaries/config.ts';
import { configFiles, readConfig, readLock } from '../../boundaries/directory.ts';
import { lintConfig } from '../../boundaries/lint/lint.ts';
import type { Profile } from '../../boundaries/lint/profile.ts';
import type { Finding } from '../../boundaries/page/finding.ts';
import { isReviewed } from '../../boundaries/review.ts';
import { type ToolPanel, toolPanels } from '../../boundaries/tool-panel.ts';
import { loadMachines, type Machines, moduleOfPackage, NO_MACHINES, shapeFor } from '../reading/machines.ts';

/** The result for one file. */
export interface CheckedFile {
  readonly file: string;
  /** Null where the file is no config. */
  readonly agent: string | null;
  readonly digest: string | null;
  /** True if it was checked against its machine. */
  readonly machine: boolean;
  readonly findings: readonly Finding[];
  /** What becomes of the calls of each tool, where that is asked; left out where the file is no config. */
  readonly tools?: readonly ToolPanel[];
}

/** The results for all files. */
export interface Checked {
  readonly files: readonly CheckedFile[];
  readonly errors: number;
  readonly warnings: number;
  readonly notes: number;
}

/** Options of checking. `machines` is a module; null means the one named in package.json. With `strict`, warnings are errors. */
export interface CheckOptions {
  readonly paths: readonly string[];
  readonly machines: string | null;
  readonly strict: boolean;
  /** False where no code may be run: configs are then checked against no machine. */
  readonly exec: boolean;
  /** The class of agents that configs are held against; null for none. */
  readonly profile: Profile | null;
  /** True to tell what becomes of the calls of each tool. */
  readonly explain: boolean;
  /** Called with the module that package.json names, before its code is run. */
  onModule(file: string): void;
}

/** Checks configs; a problem is something that prevented the check. */
export async function checkConfigs(options: CheckOptions): Promise<Checked | { readonly problem: string }> {
  const files: string[] = [];
  for (const path of options.paths) {
    const found = configsAt(path);
    if ('problem' in found) return found;
    files.push(...found);
  }
  // Paths that do not exist run no code.
  const machines = options.exec ? await findMachines(options.machines, options.onModule) : NO_MACHINES;
  if ('problem' in machines) return machines;
  const agents = new Map<string, string>();
  return summarise([...new Set(files)].map((file) => checkFile(file, machines, agents, options)));
}

/** The configs at a path, a file or a directory; a problem where there are none. */
export function configsAt(path: string): readonly string[] | { readonly problem: string } {
  try {
    const found = configFiles(path);
    return found.length === 0 ? { problem: `${path}: no_config there is no *.yaml or *.yml in it` } : found;
  } catch (error) {
    if (!(error instanceof Error && 'syscall' in error)) throw error;
    return { problem: `${path}: cannot_read ${error.message}` };
  }
}

/** The machines of a module, or of the one that package.json names; `onModule` is called before its code is run. */
export async function findMachines(
  file: string | null,
  onModule: (file: string) => void = () => {},
): Promise<Machines | { readonly problem: string }> {
  if (file !== null) return loadMachines(file);
  const named = moduleOfPackage(process.cwd());
  if ('problem' in named) return named;
  if (named.file === null) return NO_MACHINES;
  onModule(named.file);
  return loadMachines(named.file);
}

function checkFile(
  file: string,
  machines: Machines,
  agents: Map<string, string>,
  { strict, profile, explain }: CheckOptions,
): CheckedFile {
  const { config, findings, document } = readConfig(file, { guards: machines.guards });
  const shape = config === null ? null : shapeFor(machines, config);
  const all = [
    ...findings,
    ...(config === null ? [] : [...lintConfig(config, document, shape, profile), ...staleReview(file, config)]),
  ];
  for (const message of config === null ? [] : (machines.graphs.get(config.agent)?.unsupported(config) ?? []))
    all.push({
      code: 'unsupported_graph',
      severity: 'error',
      file,
      line: 1,
      column: 1,
      message: `attachGraph refuses the graph: ${message}`,
      mend: 'docs/langgraph.md lists what is refused.',
    });
  if (config !== null) {
    const other = agents.get(config.agent);
    if (other === undefined) agents.set(config.agent, file);
    else {
      const message = `${other} is about ${config.agent}, too`;
      all.push({
        code: 'agent_twice',
        severity: 'error',
        file,
        line: 1,
        column: 1,
        message,
        mend: 'Keep one file for each agent.',
      });
    }
  }
  const found = all.map((finding) =>
    strict && finding.severity === 'warning' ? { ...finding, severity: 'error' as const } : finding,
  );
  const sorted = found.toSorted((a, b) => a.line - b.line || a.column - b.column);
  return {
    file,
    agent: config?.agent ?? null,
    digest: config?.digest ?? null,
    machine: shape !== null,
    findings: sorted,
    ...(explain && config !== null && { tools: toolPanels(config) }),
  };
}

/** Warns of a config that has changed since its review. One without a review is told of by `belay review`. */
function staleReview(file: string, config: BoundaryConfig): readonly Finding[] {
  const read = readLock(file);
  const at = { file, line: 1, column: 1, severity: 'warning' } as const;
  if ('problem' in read) {
    const mend = 'Take it from the version control again, or review the config anew.';
    return [{ ...at, code: 'review_stale', message: `the review lock beside it is not read: ${read.problem}`, mend }];
  }
  const review = read.lock.get(basename(file));
  if (review === undefined || isReviewed(read.lock, config)) return [];
  const message = `it has changed since ${review.by} reviewed it on ${review.when.slice(0, 10)}`;
  const mend = `Review it again: belay review ${file} --accept --by NAME.`;
  return [{ ...at, code: 'review_stale', message, mend }];
}

function summarise(files: readonly CheckedFile[]): Checked {
  const count = (severity: Finding['severity']) => {
    return files.reduce(
      (sum, { findings }) => sum + findings.filter((finding) => finding.severity === severity).length,
      0,
    );
  };
  return { files, errors: count('error'), warnings: count('warning'), notes: count('note') };
}

/** 0 where nothing is wrong, 1 where something is, 2 where a file could not be read. */
export function exitCode({ files, errors }: Checked): 0 | 1 | 2 {
  if (files.some(({ findings }) => findings.some(({ code }) => code === 'cannot_read'))) return 2;
  return errors === 0 ? 0 : 1;
}
