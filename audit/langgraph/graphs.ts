/** The two agents of the study as graphs: the same tools in the same worlds as their machines, and boundaries at the same promises. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type BoundaryConfig, loadConfig } from 'belay-sidecar';
import { parse, stringify } from 'yaml';
import { z } from 'zod';
import { attachGraphJudged } from '#graph-seam';
import { ROOT } from '../root.ts';
import type { Attaching } from '../run.ts';
import { callsOf, type ToolCalls } from '../substrate.ts';
import { navigationGraph } from './navigation.ts';
import { scheduleGraph } from './schedule-form.ts';
import { toolsOf } from './tools.ts';

/** An agent as a graph. */
export interface GraphAgent {
  readonly name: string;
  readonly config: BoundaryConfig;
  /** The graph over the calls of tools, which is not compiled yet. */
  build(calls: ToolCalls): Built;
}

type Built = ReturnType<typeof scheduleGraph> | ReturnType<typeof navigationGraph>;

const GRAPHS: Readonly<Record<string, GraphAgent['build']>> = {
  'schedule-form': (calls) => scheduleGraph(toolsOf(calls)),
  navigation: (calls) => navigationGraph(toolsOf(calls)),
};

/** The graph of a domain. @throws where there is none. */
export function graphOf(name: string): GraphAgent {
  const build = GRAPHS[name];
  if (build === undefined) throw new Error(`there is no graph for ${name}`);
  return { name, config: configOf(name), build };
}

/** A page by its sections, which are checked when it is loaded. */
const Sections = z.record(z.string(), z.unknown());

/** The reviewed page of the machine, with the skeletons of the graph. */
function configOf(name: string): BoundaryConfig {
  const file = join(ROOT, 'audit', 'langgraph', `${name}.yaml`);
  const [page, own] = [join(ROOT, 'boundaries', `${name}.yaml`), file].map((each) =>
    Sections.parse(parse(readFileSync(each, 'utf8'))),
  );
  const { config, findings } = loadConfig(stringify({ ...page, ...own }), { file });
  if (config === null) throw new Error(findings.map(({ line, message }) => `${line}: ${message}`).join('; '));
  return config;
}

/** LangGraph executes it, under Belay. */
export function onGraph({ name, config, build }: GraphAgent): Attaching {
  return async (machine, options, judges) => {
    const graph = build(callsOf(machine)).compile({ name });
    const settings = { recursionLimit: 200 };
    const input = { asked: options.input };
    const run = await attachGraphJudged(graph, { ...options, config, input, settings }, judges);
    let memory: unknown = null;
    return {
      commands: run,
      steps: [],
      start: () => {
        // Where the run is parked this rejects, and finished() says so.
        run.invoke().catch(() => {});
        void run.finished().then((ending) => {
          if (ending.status === 'done') memory = ending.output;
        });
      },
      memory: () => memory,
    };
  };
}
