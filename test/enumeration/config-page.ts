/** Writes the boundary config of a little machine: honest, with a skeleton for each tool or unit, and every read declared. */
import { keyOf, type LittleMachine, skeletonOf, toolsIn, unitOf } from './little-machine.ts';
import { type ChildSite, childKey, type RealMachine, type Site } from './real-machine.ts';

/** What a config may leave out or claim falsely. */
export interface ConfigOptions {
  /** Names a reconciler for every tool that does something. */
  readonly reconciles: boolean;
  /** Declares irreversible tools as `none`: a lie, to show that the judge sees it. */
  readonly lies: boolean;
  /** Has the exits of every skeleton restored (EX1). */
  readonly exits?: boolean;
  /** A tool that is in no skeleton: what it does is the root's. */
  readonly bare?: string | null;
}

/** Writes the page as YAML. */
export function configPage(machine: LittleMachine, real: RealMachine, options: ConfigOptions): string {
  const owned = machine.tools.filter(({ name }) => name !== options.bare);
  const units = [...new Map(owned.map(({ name }) => [skeletonOf(machine, name), unitOf(machine, name)]))];
  const joint = [...units.map(([name]) => name), ...(real.children.length > 0 ? ['CHILD'] : [])];
  const skeletons = [
    ...units.map(([, tools]) => unitSkeleton(machine, real, tools)),
    ...real.children.map(childSkeleton),
  ];
  return [
    'belay: 1',
    'agent: agent',
    'tries: 50',
    'tools:',
    ...machine.tools.map((tool) => `  ${tool.name}: ${toolLine(machine, real, tool.name, options)}`),
    ...real.children.map(
      ({ reads, body }) => `  child: { reads: [${reads}], writes: [${toolsIn(body).map(keyOf)}], effect: none }`,
    ),
    'skeletons:',
    ...skeletons.map((skeleton) => skeletonText(skeleton, joint, options.exits === true)),
    '',
  ].join('\n');
}

function isInChild(real: RealMachine, tool: string): boolean {
  return real.children.some(({ body }) => toolsIn(body).includes(tool));
}

function readKeys(machine: LittleMachine, real: RealMachine, name: string): readonly string[] {
  const reads = machine.tools.find((tool) => tool.name === name)?.reads ?? [];
  if (isInChild(real, name)) return reads.map(childKey);
  const inLoop = machine.looped;
  if (!inLoop.has(name)) return reads;
  const perPass = (key: string) => machine.passes === 'entity' && inLoop.has(key.replace('k', 'n'));
  return ['n', ...reads.map((key) => (perPass(key) ? `${key}/{args.pass}` : key))];
}

function toolLine(machine: LittleMachine, real: RealMachine, name: string, options: ConfigOptions): string {
  const { class: effect } = machine.tools.find((tool) => tool.name === name) as LittleMachine['tools'][number];
  const perPass = machine.passes === 'entity' && machine.looped.has(name);
  const writes = isInChild(real, name) ? childKey(keyOf(name)) : `${keyOf(name)}${perPass ? '/{args.pass}' : ''}`;
  const fields = [
    `reads: [${readKeys(machine, real, name).map(quoted)}]`,
    `writes: [${quoted(writes)}]`,
    `effect: ${options.lies && effect === 'irreversible' ? 'none' : effect}`,
    ...(options.reconciles && effect !== 'none' ? ['reconcile: { ask: find, tries: 3, wait: 1ms }'] : []),
    ...(effect === 'reversible' || effect === 'compensable' ? ['undo: undo'] : []),
  ];
  return `{ ${fields.join(', ')} }`;
}

/** A skeleton as the page writes it. */
interface Skeleton {
  readonly name: string;
  readonly entity: string;
  readonly states: readonly string[];
  readonly entry: readonly string[];
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
  readonly commits: readonly Edge[];
  readonly exits: readonly Edge[];
}

interface Edge extends Site {
  /** The keys that are written by then, as a condition names them. */
  readonly has: readonly string[];
}

function unitSkeleton(machine: LittleMachine, real: RealMachine, tools: readonly string[]): Skeleton {
  const [first, last] = [tools[0], tools.at(-1)] as [string, string];
  const perPass = machine.looped.has(first) && machine.passes === 'entity';
  const sitesOf = (tool: string) => real.sites.filter((site) => site.tool === tool);
  const keys = tools.map((tool) => (isInChild(real, tool) ? childKey(keyOf(tool)) : keyOf(tool)));
  const edge = (site: Site): Edge => {
    const written = keys.slice(0, tools.indexOf(site.tool) + 1);
    return { ...site, has: written.map((key) => (perPass ? `${key}[?entity]` : key)) };
  };
  const reads = [...new Set(tools.flatMap((tool) => readKeys(machine, real, tool)))];
  return {
    name: skeletonOf(machine, first),
    entity: perPass ? 'args.pass' : `"${skeletonOf(machine, first)}"`,
    states: tools.flatMap(sitesOf).map(({ at }) => at),
    entry: sitesOf(first).map(({ at }) => at),
    inputs: reads.filter((key) => !keys.includes(key)).map((key) => key.replace('{args.pass}', '{entity}')),
    outputs: keys.map((key) => (perPass ? `${key}/{entity}` : key)),
    commits: tools.slice(0, -1).flatMap(sitesOf).map(edge),
    exits: sitesOf(last).map(edge),
  };
}

function childSkeleton(site: ChildSite): Skeleton {
  const keys = toolsIn(site.body).map(keyOf);
  const states = [site.at];
  return {
    name: 'CHILD',
    entity: '"child"',
    states,
    entry: states,
    inputs: site.reads,
    outputs: keys,
    commits: [],
    exits: [{ ...site, has: keys }],
  };
}

function skeletonText(skeleton: Skeleton, joint: readonly string[], isRestored: boolean): string {
  const { name, entity, states, entry, inputs, outputs, commits, exits } = skeleton;
  const text = (id: string, { at, to, has }: Edge) => {
    const when = has.map((key) => `memory.?${key}.hasValue()`).join(' && ');
    const keys = has.length < outputs.length ? `, outputs: [${has}]` : '';
    return `{ id: ${id}, at: ${at} -> ${to}, when: '${when}'${keys} }`;
  };
  const anchors = [...commits.map((_, index) => `half${index}`), ...exits.map((_, index) => `over${index}`)].join(', ');
  return `  ${name}:
    entity: '${entity}'
    states: [${states.join(', ')}]
    entry: [${entry.join(', ')}]
    inputs: [${inputs.map(quoted)}]
    outputs: [${outputs.map(quoted)}]
    commit: [${commits.map((edge, index) => text(`half${index}`, edge)).join(', ')}]
    exit: [${exits.map((edge, index) => text(`over${index}`, edge)).join(', ')}]
    rollback: { anchors: [${anchors}], compensable: undo, joint: [${joint.join(', ')}], resume: ${entry[0]}${isRestored ? ', exits: restorable' : ''}, tries: 20 }`;
}

function quoted(key: string): string {
  return `'${key}'`;
}
