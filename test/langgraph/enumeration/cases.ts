/** The failures of a little graph: which call fails and how, how many replies later that is found, in which order calls return, and when the process dies. */
import { digest, type LittleGraph, pick } from './little-graph.ts';

type FailureKind =
  /** The answer was heard, and its key is found wrong. */
  | 'wrong key'
  /** The answer was heard, and the work is found wrong without naming a key. */
  | 'wrong work'
  /** The work is found wrong while its call is in flight. The call itself answers right. */
  | 'wrong in flight'
  /** The call acts, and its reply is an error. */
  | 'lost reply'
  /** The call throws before it acts. */
  | 'throws'
  /** The call acts, and no reply comes. */
  | 'late'
  /** Nothing fails, but for the process. */
  | 'nothing';

/** One graph with one failure. */
export interface Case {
  readonly graph: LittleGraph;
  readonly kind: FailureKind;
  /** The call that fails: its tool, what it is about, and its number among such calls. */
  readonly call: string;
  /** The replies that are heard behind that of the call before the failure is told. */
  readonly later: number;
  /** Which of several calls returns first. */
  readonly next: 'oldest' | 'newest';
  /** When calls act: at once, or with their reply and never once aborted. */
  readonly acts: 'at once' | 'with the reply';
  /** The append at which the first process dies. */
  readonly dies: number | null;
}

/** The kinds of failures that are found where the call stands. */
const AT_ONCE = ['lost reply', 'throws', 'late', 'wrong in flight', 'wrong work'] as const;

/** The failures of the calls of a run, found at once; those that are found later follow each other until the run has ended. */
export function* casesAt(graph: LittleGraph, calls: readonly string[], next: Case['next']): Generator<Case> {
  for (const call of calls)
    for (const kind of AT_ONCE) {
      const isActing = graph.nodes.some(({ name, class: is }) => call.startsWith(`${name}/`) && is !== 'none');
      // Of a unit with boundaries within, a key says how far back the work is wrong.
      if (kind === 'wrong work' && isInParts(graph, call)) continue;
      if (isActing || (kind !== 'lost reply' && kind !== 'late')) yield drawn({ graph, kind, call, later: 0, next });
    }
}

function isInParts({ units }: LittleGraph, call: string): boolean {
  return units.some(({ commits, nodes }) => commits !== 'no' && nodes.some((node) => call.startsWith(`n${node}/`)));
}

/** A case whose remaining choices are drawn by its text. */
export function drawn(one: Omit<Case, 'acts' | 'dies'>): Case {
  const acts = pick(`${textOf(one)} acts`, 2) === 0 ? 'at once' : 'with the reply';
  return { ...one, acts, dies: null };
}

/** The same case with a process that dies, at a moment that is drawn by its text. */
export function killed(one: Case, appends: number): Case {
  return { ...one, dies: pick(`${textOf(one)} dies`, Math.max(1, appends)) };
}

function textOf({ graph, kind, call, later, next }: Omit<Case, 'acts' | 'dies'>): string {
  return `${graph.text} || ${call} ${kind}${later > 0 ? ` ${later} replies later` : ''}; ${next} first`;
}

/** Prints a case on one line. */
export function caseText(one: Case): string {
  const dies = one.dies === null ? '' : `; dies at append ${one.dies}`;
  return `${textOf(one)}; calls act ${one.acts}${dies}`;
}

/** The name by which a case is run again. */
export function idOf(one: Case): string {
  return digest(caseText(one));
}
