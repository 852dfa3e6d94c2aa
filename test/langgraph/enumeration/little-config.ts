/** The config of a little graph: its tools, and a skeleton for each of its units. */
import type { BoundaryConfig } from '../../../src/boundaries/config.ts';
import { loadConfig } from '../../../src/boundaries/load.ts';
import type { LittleGraph, LittleNode } from './little-graph.ts';
import { edgesWithin, type LittleUnit } from './units.ts';

/** The config of a graph: honest, or one that calls irreversible tools harmless, to show that the judge sees it. */
export function configOf(graph: LittleGraph, lies: boolean): BoundaryConfig {
  const { nodes, units } = graph;
  const joint = units.map(({ name }) => name).join(', ');
  const text = [
    'belay: 1\nagent: little\ntries: 50\nkeys: { append: [log] }\ntools:',
    ...nodes.map((node) => `  ${node.name}: ${toolLine(node, lies)}`),
    'skeletons:',
    ...units.map((unit) => skeletonText(graph, unit, joint)),
    '',
  ].join('\n');
  const { config, findings } = loadConfig(text, { file: 'little.yaml' });
  if (config === null) throw new Error(`${findings.map(({ line, message }) => `${line}: ${message}`)}\n${text}`);
  return config;
}

function toolLine({ class: effect }: LittleNode, lies: boolean): string {
  const undo = effect === 'reversible' ? ', undo: undo' : '';
  const ask = effect === 'none' ? '' : ', reconcile: { ask: find, tries: 3, wait: 1ms }';
  const is = lies && effect === 'irreversible' ? 'none' : effect;
  return `{ reads: [], writes: [], effect: ${is}, timeout: 5s${undo}${ask} }`;
}

interface Boundary {
  readonly id: string;
  readonly at: string;
  readonly when: string;
  readonly outputs: readonly string[];
}

function skeletonText({ shape, nodes }: LittleGraph, unit: LittleUnit, joint: string): string {
  const own = unit.nodes.map((node) => nodes[node] as LittleNode);
  const [first] = own;
  const entity = first?.isSent ? 'args.item' : first?.isPerPass ? 'string(memory.i)' : '"it"';
  const key = (node: number) => (nodes[node]?.isSent ? `k${node}/{entity}` : `k${node}`);
  const outputs = [
    ...unit.nodes.map((node) => `'${key(node)}'`),
    'log',
    ...(own.some(({ isTail }) => isTail) ? ['i'] : []),
  ];
  const states = unit.nodes.map((node) => `n${node}`);
  const entry = unit.entry.map((node) => `n${node}`);
  const exits = unit.nodes.map((node): Boundary => {
    return { id: `n${node}-over`, at: `n${node} -> end`, when: 'true', outputs: [key(node)] };
  });
  const commits = commitsOf(shape, unit, key);
  const anchors = [...commits, ...exits].map(({ id }) => id);
  return [
    `  ${unit.name}:`,
    `    entity: '${entity}'`,
    `    states: [${states}]`,
    `    entry: [${entry}]`,
    `    outputs: [${outputs}]`,
    ...(commits.length > 0 ? ['    commit:', ...commits.map(line)] : []),
    '    exit:',
    ...exits.map(line),
    `    rollback: { anchors: [${anchors}], resume: ${entry[0]}, compensable: undo, joint: [${joint}], tries: 20 }`,
  ].join('\n');
}

function commitsOf(shape: LittleGraph['shape'], unit: LittleUnit, key: (node: number) => string): Boundary[] {
  switch (unit.commits) {
    case 'no':
      return [];
    case 'on edges':
      return edgesWithin(shape, unit).map(([from, to]) => {
        return { id: `n${from}-n${to}`, at: `n${from} -> n${to}`, when: 'true', outputs: [key(from)] };
      });
    case 'in nodes':
      return unit.nodes.slice(1).map((node) => {
        const when = `action == "n${node}" && event.type != "graph.call"`;
        return { id: `n${node}-said`, at: `n${node}`, when, outputs: [] };
      });
  }
}

function line({ id, at, when, outputs }: Boundary): string {
  const promised = outputs.map((key) => `'${key}'`).join(', ');
  return `      - { id: ${id}, at: ${at}, when: '${when}', outputs: [${promised}] }`;
}
