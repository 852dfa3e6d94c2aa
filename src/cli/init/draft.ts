/** Lays a first config out as YAML: what the machine tells is filled in, and every question that only a person can answer is a TODO. */
import { stringify } from 'yaml';
import type { Proposal } from '../../boundaries/lint/propose.ts';
import type { Finding } from '../../boundaries/page/finding.ts';
import { printable } from '../terminal/terminal.ts';
import type { McpTool } from './mcp-tools.ts';

/** A line of the draft, with what its comment says. */
export interface DraftLine {
  readonly text: string;
  readonly notes: readonly string[];
}

/** A tool of the draft. `writes` are the keys that the machine assigns when it answers; `mcp` is what its server says of it. */
export interface DraftTool {
  readonly name: string;
  readonly writes: readonly string[];
  readonly mcp: McpTool | null;
}

const SCHEMA = '../node_modules/belay-sidecar/dist/boundaries/boundary.schema.json';
const ENTITY = {
  machine: 'TODO which one is it about: args.NAME of the call on entering, if there are several',
  graph: 'TODO which one is it about, if there are several: memory.NAME of the state, args.NAME of a Send',
};
const NAMES = {
  machine: 'by the names in setup(); one that is not here is irreversible',
  graph:
    'TODO those of each graphTool, too: a graph tells the tools of its ToolNodes only; one that is not here is irreversible',
};
const CLASSES = 'TODO none, idempotent, reversible, compensable or irreversible';

/**
 * The lines up to the skeletons. `unmatched` are tools of the server that the machine does not have; `channels` are those of a graph, null for
 * a machine.
 */
export function toolLines(
  agent: string,
  tools: readonly DraftTool[],
  unmatched: readonly string[],
  channels: readonly string[] | null = null,
): DraftLine[] {
  const of = channels === null ? 'machine' : 'graph';
  return [
    line(`# yaml-language-server: $schema=${SCHEMA}`),
    line(
      `# A config to start from, made by belay init from the ${of} ${printable(agent)}. Nothing in it is reviewed: what is`,
    ),
    line(
      '# not known is irreversible, and no boundary certifies. Each TODO is a question; docs/guide.md asks them in order.',
    ),
    ...(unmatched.length === 0
      ? []
      : [line(`# The machine has no tool of the name of these of tools/list: ${printable(unmatched.join(', '))}`)]),
    ...(channels === null ? [] : [line(`# Its channels, which are keys: ${printable(channels.join(', '))}`)]),
    line('belay: 1'),
    line(`agent: ${value(agent)}`),
    ...(channels === null ? [] : [line('# TODO keys: { append: [...] } names the channels that are only added to')]),
    line(tools.length === 0 ? 'tools: {}' : 'tools:', NAMES[of]),
    ...tools.flatMap(oneTool),
  ];
}

function oneTool({ name, writes, mcp }: DraftTool): DraftLine[] {
  const args = mcp === null || mcp.args.length === 0 ? [] : [`args in tools/list: ${mcp.args.join(', ')}`];
  const hints = mcp === null || mcp.hints.length === 0 ? [] : [`tools/list hints ${mcp.hints.join(', ')}: no promise`];
  const assigned = writes.length === 0 ? [] : ['assigned by the machine'];
  const output =
    mcp === null || mcp.output === null
      ? []
      : mcp.refused === null
        ? [
            line(
              `    output: ${value(mcp.output)}`,
              'outputSchema of tools/list; TODO leave it out where the machine is given something else',
            ),
          ]
        : [line(`    # TODO output: the outputSchema of tools/list is not read: ${printable(mcp.refused)}`)];
  return [
    line(`  ${value(name)}:`, ...args),
    line('    reads: []', 'TODO what does it read: context keys, and names outside such as calendar:{args.person}'),
    line(`    writes: ${value(writes)}`, ...assigned, 'TODO what else does it change, in the context and outside'),
    line('    effect: irreversible', CLASSES, ...hints),
    ...output,
    line('    # TODO timeout: 10s, and reconcile: NAME where its counterparty can be asked'),
  ];
}

/** The lines of the skeletons; `why` says why none could be proposed. */
export function skeletonLines(
  agent: string,
  proposals: readonly Proposal[],
  why: string | null,
  isGraph = false,
): DraftLine[] {
  if (proposals.length === 0)
    return [line('skeletons: {}', why ?? 'TODO the machine has no state in which work is done')];
  const taken = new Set<string>();
  return [
    line('skeletons:', 'TODO is each of these one unit of work? Split what you would want to redo by itself'),
    ...proposals.flatMap((each) => oneSkeleton(nameFor(each, agent, taken), each, isGraph)),
  ];
}

function oneSkeleton(name: string, { states, entry, outputs, boundaries }: Proposal, isGraph: boolean): DraftLine[] {
  const of = (kind: 'commit' | 'exit') => {
    const mine = boundaries.filter((boundary) => boundary.kind === kind);
    return mine.length === 0 ? [] : [line(`    ${kind}:`), ...mine.map(oneBoundary)];
  };
  const pending = boundaries.map(({ id }) => id);
  return [
    line(`  ${value(name)}:`),
    line(`    entity: '"it"'`, isGraph ? ENTITY.graph : ENTITY.machine),
    line(`    states: ${value(states)}`),
    line(`    entry: ${value(entry)}`),
    ...(isGraph
      ? [line('    outputs: []', 'TODO the channels that the node writes; what it reads is observed')]
      : [
          line('    inputs: []', 'TODO what the work reads that others write, and what lies outside'),
          line(`    outputs: ${value(outputs)}`, 'what its tools write'),
        ]),
    ...of('commit'),
    ...of('exit'),
    line('    rollback:'),
    line('      anchors: []', 'TODO the boundaries that are promises go here, from pending'),
    ...(pending.length === 0 ? [] : [line(`      pending: ${value(pending)}`)]),
    line(`      resume: ${value(entry[0])}`),
  ];
}

function oneBoundary({ id, from, to, when, outputs }: Proposal['boundaries'][number]): DraftLine {
  const fields = { id, at: `${from} -> ${to}`, when: when ?? 'true', ...(outputs.length > 0 && { outputs }) };
  return line(
    `      - ${value(fields)}`,
    when === null ? 'TODO when is this promised? true certifies always' : 'TODO is it promised then?',
  );
}

/** A name after the state around all states of the work, else after the machine. */
function nameFor({ states }: Proposal, agent: string, taken: Set<string>): string {
  const [first = '', ...others] = states;
  const around = others.length === 0 ? first : common(first, others);
  const words = (around === '' ? agent : around).split(/[^A-Za-z0-9]+/).filter((word) => word !== '');
  const name = words.map((word) => word.slice(0, 1).toUpperCase() + word.slice(1)).join('') || 'Work';
  let free = name;
  for (let number = 2; taken.has(free); number += 1) free = `${name}${number}`;
  taken.add(free);
  return free;
}

function common(first: string, others: readonly string[]): string {
  const parts = first.split(/(?<=\/)|\./).slice(0, -1);
  for (let length = parts.length; length > 0; length -= 1) {
    const prefix = first.slice(0, parts.slice(0, length).join('.').length);
    if (others.every((other) => other.startsWith(prefix))) return prefix;
  }
  return '';
}

/** Adds what a check says to the comments of the lines that it says it of. */
export function withFindings(lines: readonly DraftLine[], findings: readonly Finding[]): DraftLine[] {
  return lines.map(({ text, notes }, index) => {
    const here = findings.filter((finding) => finding.line === index + 1).map(({ code }) => code);
    return {
      text,
      notes: here.length === 0 ? notes : [...notes, `TODO belay check: ${[...new Set(here)].join(', ')}`],
    };
  });
}

/** The text of the draft. */
export function draftText(lines: readonly DraftLine[]): string {
  return lines
    .map(({ text, notes }) => `${text}${notes.length === 0 ? '' : ` # ${printable(notes.join('; '))}`}\n`)
    .join('');
}

function line(text: string, ...notes: readonly string[]): DraftLine {
  return { text, notes };
}

/** A value in one line of YAML. */
function value(of: unknown): string {
  const text = stringify(of, {
    collectionStyle: 'flow',
    lineWidth: 0,
    flowCollectionPadding: true,
    singleQuote: true,
  }).trimEnd();
  return text.includes('\n') || text.includes('#') ? JSON.stringify(of) : text;
}
