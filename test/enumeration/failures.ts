/**
 * Enumerates the failures of a machine: which call fails and how, after which events, with which calls in flight, and in which order
 * the others return afterwards. A case is one machine with one failure; its id is a digest of its text.
 */
import { createHash } from 'node:crypto';
import { begin, isOver, type Manner, type RunState, steps } from './interpreter.ts';
import { type CallName, callText, keyOf, type LittleMachine, unitOf } from './little-machine.ts';

type FailureKind =
  /** The answer was heard, and its key is found wrong. */
  | 'wrong key'
  /** The answer was heard, and the work is found wrong without naming a key. */
  | 'wrong work'
  /** The work is found wrong while its call is in flight. The call itself answers right. */
  | 'wrong work in flight'
  /** The call acts, and its reply is an error. */
  | 'lost reply'
  /** The call throws before it acts. */
  | 'throws before acting'
  /** The work is over and right, and is complained about without a key (EX1 to EX3). Drawn by `exits.ts` alone. */
  | 'finished work'
  /** Nothing fails. Never enumerated: it shows that the machine and the interpreter agree. */
  | 'nothing';

export interface EnumeratedCase {
  readonly id: string;
  readonly machine: LittleMachine;
  /** What the run has heard before the failure, in order: calls by name, and `X`. */
  readonly heard: readonly string[];
  readonly kind: FailureKind;
  readonly call: CallName;
  /** When the calls act that are in flight at the failure: at once, or with their reply and never once aborted. */
  readonly acts: 'at once' | 'with the reply';
  /** Which of several calls returns first after the failure. */
  readonly next: 'oldest' | 'newest';
}

type Draft = Omit<EnumeratedCase, 'id' | 'machine' | 'acts' | 'next'> & { readonly inFlight: readonly CallName[] };

/** Every case of a machine, but for those that are cases of a simpler machine, too. */
export function* casesOf(machine: LittleMachine): Generator<EnumeratedCase> {
  for (const draft of drafts(machine))
    for (const acts of actingTimes(machine, draft))
      for (const next of draft.inFlight.length > 1 ? (['oldest', 'newest'] as const) : (['oldest'] as const)) {
        const one = { machine, heard: draft.heard, kind: draft.kind, call: draft.call, acts, next };
        yield { ...one, id: digest(caseText(one)) };
      }
}

function* drafts(machine: LittleMachine): Generator<Draft> {
  const right = prefixesOf(machine, null);
  const tools = toolsHeard(right);
  if (isCanonical(machine, tools)) yield* inFlightFailures(machine, right);
  const calls = new Set(right.flatMap(({ heard }) => heard.filter((name) => name !== 'X')));
  for (const name of calls) {
    const wrong = prefixesOf(machine, name);
    if (isCanonical(machine, new Set([...tools, ...toolsHeard(wrong)]))) yield* wrongAnswers(machine, wrong, name);
  }
}

/** Prints a case on one line. */
export function caseText({ machine, heard, kind, call, acts, next }: Omit<EnumeratedCase, 'id'>): string {
  const found = kind === 'wrong key' ? `${callText(call)} wrong in ${keyOf(call.tool)}` : `${callText(call)}: ${kind}`;
  const timing = `in-flight calls act ${acts}, ${next} returns first`;
  return `${machine.text} || heard ${heard.join(' ') || 'nothing'}; ${found}; ${timing}`;
}

/** A tool that neither the run at hand nor any legal one calls is written in one way only: it does nothing and reads nothing. */
function isCanonical({ tools }: LittleMachine, called: ReadonlySet<string>): boolean {
  return tools.every((tool) => called.has(tool.name) || (tool.class === 'none' && tool.reads.length === 0));
}

function toolsHeard(prefixes: readonly Prefix[]): ReadonlySet<string> {
  return new Set(prefixes.flatMap(({ heard }) => heard.map((name) => name.split('#')[0] as string)));
}

/** When the calls in flight act, where that can matter: a call that does nothing to the world is the same either way. */
function actingTimes(machine: LittleMachine, { kind, inFlight }: Draft): readonly EnumeratedCase['acts'][] {
  const acting = inFlight.some(({ tool }) => machine.tools.find(({ name }) => name === tool)?.class !== 'none');
  return acting && kind !== 'lost reply' && kind !== 'throws before acting'
    ? ['at once', 'with the reply']
    : ['at once'];
}

/** Failures of calls in flight: every call of every state of the run in which all answers are right. */
function* inFlightFailures(machine: LittleMachine, prefixes: readonly Prefix[]): Generator<Draft> {
  for (const { heard, inFlight } of prefixes)
    for (const call of inFlight) {
      const isActing = machine.tools.some((tool) => tool.name === call.tool && tool.class !== 'none');
      yield { heard, call, kind: 'wrong work in flight', inFlight };
      if (isActing) yield { heard, call, kind: 'lost reply', inFlight };
      yield { heard, call, kind: 'throws before acting', inFlight };
    }
}

/**
 * Answers of one call that are found wrong, at every moment after they were heard. Without a key at the first such moment only, since
 * a tool writes one key, and both questions name the same work; and not where a commit has followed in the same skeleton, since work
 * without a key is the work since then.
 */
function* wrongAnswers(machine: LittleMachine, prefixes: readonly Prefix[], name: string): Generator<Draft> {
  const [tool, pass] = name.split('#') as [string, string | undefined];
  const call = { tool, pass: pass === undefined ? null : Number(pass) };
  const isLastOfUnit = unitOf(machine, tool).at(-1) === tool;
  for (const { heard, inFlight, isOver: isEnd } of prefixes) {
    if (!heard.includes(name) || isEnd) continue;
    yield { heard, call, kind: 'wrong key', inFlight };
    if (heard.at(-1) === name && isLastOfUnit) yield { heard, call, kind: 'wrong work', inFlight };
  }
}

/** A state of a run, with what was heard on the way to it. */
export interface Prefix {
  readonly heard: readonly string[];
  readonly inFlight: readonly CallName[];
  readonly isOver: boolean;
}

/** Lists every state of a run in which one call answers wrong, or none: one for each order of the replies. */
export function prefixesOf(machine: LittleMachine, wrong: string | null): readonly Prefix[] {
  const manner: Manner = { startsAtOnce: true, wrong };
  const prefixes: Prefix[] = [];
  const open: { heard: readonly string[]; state: RunState }[] = [{ heard: [], state: begin(machine, manner) }];
  for (let at = 0; at < open.length; at += 1) {
    const { heard, state } = open[at] as (typeof open)[number];
    const moves = steps(machine, manner, state);
    const inFlight = moves.flatMap(({ call }) => (call === null ? [] : [call]));
    prefixes.push({ heard, inFlight, isOver: isOver(state) });
    for (const { name, to } of moves) open.push({ heard: [...heard, name], state: to });
  }
  return prefixes;
}

/** Computes ten hexadecimal digits that tell cases apart. */
export function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 10);
}
