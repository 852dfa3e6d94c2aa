/**
 * Lays a first config out as YAML: facts of the machine are filled in, two questions a tool are TODOs, and every other
 * field has its default spelled out.
 */
import { stringify } from 'yaml';
import type { Proposal } from '../../boundaries/lint/propose.ts';
import type { Finding } from '../../boundaries/page/finding.ts';
import { printable } from '../terminal/printable.ts';
import type { McpTool } from './mcp-tools.ts';

/** A line of the draft, with what its comment says. */
export interface DraftLine {
  readonly text: string;
  readonly notes: readonly string[];
}

/** A tool of the draft. `writes` are the keys that the machine assigns when it answers; `mcp` is what its server, or its SDK, says of it. */
export interface DraftTool {
  readonly name: string;
  readonly writes: readonly string[];
  readonly mcp: McpTool | null;
  /** Where the tool is described; left out for the answer of a server. */
  readonly from?: string;
  /** What a person has to know of it besides. */
  readonly note?: string;
}

/** The channels of a graph, and those of them that are only added to. */
export interface Channels {
  readonly all: readonly string[];
  readonly appended: readonly string[];
}

const SCHEMA = '../node_modules/belay-sidecar/dist/boundaries/boundary.schema.json';
const ENTITY = {
  machine: 'one for the whole run; args.NAME of the call on entering says which, where there are several',
  graph: 'one for the whole run; memory.NAME of the state, or args.NAME of a Send, says which, where there are several',
};
const NAMES = {
  machine: 'by the names in setup(); one that is not here is irreversible',
  graph:
    'those of ToolNodes, which is all that a graph tells: add those of each graphTool; one that is not here is irreversible',
};
const CLASSES = 'TODO none, idempotent, reversible, compensable or irreversible?';
const ANY_OUTPUT =
  'an assign with a function, or enqueueActions, writes what the structure does not tell: name the keys';
const ANY_CHANNEL = 'which channels its nodes write, only their code tells: take out those that they do not write';
const SAME_ACT = '# TODO once: [args.NAME] says which calls are one act? Without it each call is an act of its own';
/** The defaults of a tool whose config says no more. */
const DEFAULTS = [
  '# Of each tool two things are asked. The rest has a default: it reads the whole context (**), and what it reads outside',
  '# is to be added; it writes what the machine assigns when it answers, and what it changes outside is to be added;',
  '# without timeout, a call is waited for without end; without reconcile, a person is asked for an unknown outcome.',
];

/**
 * The lines up to the skeletons. `unmatched` are tools of the server that the machine does not have; `channels` are those of a graph, null for
 * a machine.
 */
export function toolLines(
  agent: string,
  tools: readonly DraftTool[],
  unmatched: readonly string[],
  channels: Channels | null = null,
): DraftLine[] {
  const of = channels === null ? 'machine' : 'graph';
  return [
    line(`# yaml-language-server: $schema=${SCHEMA}`),
    line(
      `# A config to start from, made by belay init from the ${of} ${printable(agent)}. Nothing in it is reviewed: what is`,
    ),
    line(
      '# not known is irreversible, and no boundary certifies. Its questions are the TODOs; docs/guide.md asks them in order.',
    ),
    ...DEFAULTS.map((text) => line(text)),
    ...(unmatched.length === 0
      ? []
      : [line(`# The machine has no tool of the name of these of tools/list: ${printable(unmatched.join(', '))}`)]),
    ...(channels === null ? [] : [line(`# Its channels, which are keys: ${printable(channels.all.join(', '))}`)]),
    line('belay: 1'),
    line(`agent: ${value(agent)}`),
    ...(channels === null ? [] : [appendLine(channels.appended)]),
    line(tools.length === 0 ? 'tools: {}' : 'tools:', NAMES[of]),
    ...tools.flatMap((tool) => oneTool(tool)),
  ];
}

function appendLine(appended: readonly string[]): DraftLine {
  if (appended.length > 0) return line(`keys: ${value({ append: appended })}`, 'lists that are only added to');
  return line(
    '# keys: { append: [NAME] } names the channels of lists that are only added to; no reducer here shows one',
  );
}

function oneTool(
  { name, writes, mcp, from = 'tools/list', note }: DraftTool,
  reads: readonly string[] = ['**'],
): DraftLine[] {
  const args = mcp === null || mcp.args.length === 0 ? [] : [`args in ${from}: ${mcp.args.join(', ')}`];
  const hints = mcp === null || mcp.hints.length === 0 ? [] : [`${from} hints ${mcp.hints.join(', ')}: no promise`];
  const output =
    mcp === null || mcp.output === null
      ? []
      : mcp.refused === null
        ? [
            line(
              `    output: ${value(mcp.output)}`,
              'outputSchema of tools/list: leave it out where the machine is given something else',
            ),
          ]
        : [line(`    # output: the outputSchema of tools/list is not read: ${printable(mcp.refused)}`)];
  return [
    line(`  ${value(name)}:`, ...args),
    line(`    reads: ${value(reads)}`),
    line(`    writes: ${value(writes)}`),
    line('    effect: irreversible', CLASSES, ...hints, ...(note === undefined ? [] : [note])),
    line(`    ${SAME_ACT}`),
    ...output,
  ];
}

/** The lines for a loop that calls a model and tools: one skeleton for each, whose state is the tool and whose entity is the id of the call. */
export function loopLines(agent: string, tools: readonly DraftTool[]): DraftLine[] {
  const names = ['model', ...tools.map(({ name }) => name)];
  const taken = new Set<string>();
  return [
    line(`# yaml-language-server: $schema=${SCHEMA}`),
    line(
      `# A config to start from, made by belay init for the loop ${printable(agent)}. Nothing in it is reviewed: what is not`,
    ),
    line(
      '# known is irreversible, and no boundary certifies. Its questions are the TODOs; docs/guide.md asks them in order.',
    ),
    line(
      '# Of each tool two things are asked. What a call has read of the loop, the loop itself knows; what it reads and writes',
    ),
    line(
      '# outside is to be added; without timeout, a call is waited for without end; without reconcile, a person is asked.',
    ),
    line('belay: 1'),
    line(`agent: ${value(agent)}`),
    line('tools:', 'one that is not here is irreversible'),
    line(
      '  model: { reads: [], writes: [], effect: none }',
      'decides: true has its old answers count for acts on turns',
    ),
    ...tools.flatMap((tool) => oneTool(tool, [])),
    line('skeletons:', 'one for each tool: its state is the tool, its entity is the id of the call'),
    ...names.flatMap((name) => loopSkeleton(skeletonName(name, taken), name)),
  ];
}

function loopSkeleton(name: string, tool: string): DraftLine[] {
  const outputs = [`steps/${tool}@{entity}`];
  const id = `${tool}-answered`;
  return [
    line(`  ${value(name)}:`),
    line('    entity: args.call'),
    line(`    states: ${value([tool])}`),
    line(`    entry: ${value([tool])}`),
    line(`    outputs: ${value(outputs)}`),
    line('    exit:'),
    line(`      - ${value({ id, at: `${tool} -> end`, when: 'true', outputs })}`),
    line('    rollback:'),
    line('      anchors: []', 'none is a promise before a person has moved it here from pending'),
    line(`      pending: ${value([id])}`),
    line(`      resume: ${value(tool)}`),
  ];
}

/** The lines of the skeletons; `why` says why none could be proposed. */
export function skeletonLines(
  agent: string,
  proposals: readonly Proposal[],
  why: string | null,
  channels: Channels | null = null,
): DraftLine[] {
  if (proposals.length === 0) return [line('skeletons: {}', why ?? 'the machine has no state in which work is done')];
  const taken = new Set<string>();
  return [
    line('skeletons:', 'each is one unit of work: split what you would want to redo by itself'),
    ...proposals.flatMap((each) => oneSkeleton(nameFor(each, agent, taken), each, channels?.all ?? null)),
  ];
}

function oneSkeleton(
  name: string,
  { states, entry, outputs, boundaries }: Proposal,
  channels: readonly string[] | null,
): DraftLine[] {
  const of = (kind: 'commit' | 'exit') => {
    const mine = boundaries.filter((boundary) => boundary.kind === kind);
    return mine.length === 0 ? [] : [line(`    ${kind}:`), ...mine.map(oneBoundary)];
  };
  const pending = boundaries.map(({ id }) => id);
  return [
    line(`  ${value(name)}:`),
    line(`    entity: '"it"'`, channels === null ? ENTITY.machine : ENTITY.graph),
    line(`    states: ${value(states)}`),
    line(`    entry: ${value(entry)}`),
    channels === null
      ? line(`    outputs: ${value(outputs)}`, outputs.includes('**') ? ANY_OUTPUT : 'what is written in its states')
      : line(`    outputs: ${value(channels)}`, ANY_CHANNEL),
    ...of('commit'),
    ...of('exit'),
    line('    rollback:'),
    line('      anchors: []', 'none is a promise before a person has moved it here from pending'),
    ...(pending.length === 0 ? [] : [line(`      pending: ${value(pending)}`)]),
    line(`      resume: ${value(entry[0])}`),
  ];
}

function oneBoundary({ id, from, to, when, outputs }: Proposal['boundaries'][number]): DraftLine {
  const fields = { id, at: `${from} -> ${to}`, when: when ?? 'true', outputs };
  return line(`      - ${value(fields)}`, ...(when === null ? ['certifies always'] : []));
}

/** A name after the state around all states of the work, else after the machine. */
function nameFor({ states }: Proposal, agent: string, taken: Set<string>): string {
  const [first = '', ...others] = states;
  const around = others.length === 0 ? first : common(first, others);
  return skeletonName(around === '' ? agent : around, taken);
}

function skeletonName(text: string, taken: Set<string>): string {
  const words = text.split(/[^A-Za-z0-9]+/).filter((word) => word !== '');
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
      notes: here.length === 0 ? notes : [...notes, `belay check: ${[...new Set(here)].join(', ')}`],
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
