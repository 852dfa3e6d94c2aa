/**
 * The verb `resume`: takes a run up where its journal ends; first settles a call, or starts the run over, if the
 * options say so.
 */
import type { BoundaryConfig } from '../../boundaries/config.ts';
import { gathered } from '../../journal/gathered.ts';
import { isOpen } from '../../model/effect.ts';
import { timelineOf } from '../../reports/timeline.ts';
import { findMachines } from '../check/check.ts';
import { type RelevantCall, relevantCalls } from '../explain/moves.ts';
import { type ReadRun, reading, readRun } from '../reading/reading.ts';
import { notAnswered, parsed, unanswered } from '../reading/typed-json.ts';
import type { Ending } from '../run/ending.ts';
import { type AgentOptions, agentNamed, type Problem, prepare } from '../run/run.ts';
import { inSession, type Next, type Stop } from '../run/session.ts';
import { note } from '../terminal/console.ts';

/** The outcomes that a person can give for a call. */
export const SETTLED = ['confirmed', 'failed', 'compensated'] as const;

/** Options of `resume`. */
export interface ResumeOptions extends AgentOptions {
  readonly run: string;
  /** A tool's name, `row N`, or a whole key. */
  readonly settle: string | null;
  readonly as: (typeof SETTLED)[number] | null;
  /** JSON text. */
  readonly output: string | null;
  readonly rerun: boolean;
  /** The person who says what became of the call, and why; null where none is named. */
  readonly by: string | null;
  readonly why: string | null;
}

/** Takes a run up again. */
export async function resumeRun(options: ResumeOptions): Promise<Ending | Problem> {
  const wrong = misuse(options);
  if (wrong !== null) return { problem: wrong };
  const read = await record(options.journal, options.run);
  if ('problem' in read) return read;
  if (read.agent === null)
    return { problem: `nothing is recorded of ${JSON.stringify(options.run)} but its name: belay run begins it` };
  const machines = await findMachines(options.machines);
  if ('problem' in machines) return machines;
  const agent = agentNamed(read.agent, machines);
  if ('problem' in agent) return agent;
  const prepared = prepare(options, agent);
  if ('problem' in prepared) return prepared;
  const next = nextOf(options, read, prepared.config);
  if ('problem' in next) return next;
  const { run, journal, config, version, reconcilers } = options;
  const { input, fault } = prepared;
  const ended = await inSession(
    { agent, run, journal, input, config, version, reconcilers, fault, begins: false },
    next.next,
  );
  return 'problem' in ended
    ? ended
    : { ended, journal, machines: options.machines, fault, before: read.decisions.length };
}

function misuse({ settle, as, output, rerun, by, why }: ResumeOptions): string | null {
  if (settle !== null && as === null) return `--settle needs --as: ${SETTLED.join(', ')}`;
  if (settle === null && as !== null) return '--as needs --settle EFFECT: of which call?';
  if (by?.trim() === '') return '--by needs a name: who says so?';
  if (settle !== null && why !== null && by === null) return '--why goes with --by NAME: who says so?';
  if (settle === null && (by !== null || why !== null)) return '--by and --why go with --settle EFFECT';
  if (output !== null && as !== 'confirmed') return '--output goes with --as confirmed: what the call answered';
  return settle !== null && rerun
    ? '--settle and --rerun exclude each other: settle first, then ask for the rerun'
    : null;
}

/** A run as its journal has it. */
export async function record(journal: string, run: string): Promise<ReadRun | Problem> {
  let read: ReadRun | undefined;
  const { problem } = await reading(journal, async (store) => {
    read = await readRun(store, run);
    return [];
  });
  return read ?? { problem: problem ?? `${journal}: cannot_read` };
}

/** The next step once the run stands still. */
function nextOf(
  options: ResumeOptions,
  read: ReadRun,
  config: BoundaryConfig | null,
): { readonly next: Next } | Problem {
  if (options.rerun) return rerunOf(read);
  if (options.settle === null || options.as === null) return { next: async (stop) => stop };
  const output = parsed('--output', options.output);
  if (output !== null && 'problem' in output) return output;
  const call = callNamed(options.settle, read);
  if ('problem' in call) return call;
  const wrong = cannotBe(call, options.as) ?? outputProblem(call, options.as, output, config);
  if (wrong !== null) return { problem: wrong };
  const { by, why } = options;
  const word = by === null ? undefined : { by, ...(why !== null && { why }) };
  return { next: settling(read.run, call, options.as, output?.value, word) };
}

function rerunOf({ run, standing }: ReadRun): { readonly next: Next } | Problem {
  if (standing.is !== 'parked' || standing.verdict !== 'rerun') {
    const how = standing.is === 'parked' ? `it is parked on ${standing.verdict}` : `it is not parked`;
    return { problem: `no rerun is advised for ${JSON.stringify(run)}: ${how}. belay explain says what would help` };
  }
  return {
    next: async (stop, { sidecar, until }) => {
      if (stop.status !== 'parked' || stop.decision.verdict !== 'rerun') return stop;
      await sidecar.rerun();
      return until();
    },
  };
}

/** The standings in which a run takes the word of a person about a call, or has no use for it any more. */
const TAKING: ReadonlySet<Stop['status']> = new Set(['parked', 'stuck', 'waiting', 'done']);

/** Settles the call, unless its counterparty has answered before. */
function settling(
  run: string,
  call: RelevantCall,
  as: (typeof SETTLED)[number],
  output: unknown,
  word: { readonly by: string; readonly why?: string } | undefined,
): Next {
  return async (stop, { sidecar, store, until }) => {
    if (!TAKING.has(stop.status)) return stop;
    const now = timelineOf(await gathered(store.read(run))).runState.ledger.get(call.key);
    if (now === undefined || cannotBe({ ...call, status: now.status }, as) !== null) {
      const status = now?.status ?? 'not recorded';
      note(`${call.tool} is ${status} by now: its counterparty was asked, and nothing was settled by hand`);
      return stop;
    }
    if (stop.status === 'done') return stop;
    await sidecar.settle(call.key, as, output, word);
    const said = word === undefined ? '' : `, as ${JSON.stringify(word.by)} says`;
    note(`${call.tool} is ${as}${said} (key ${call.key})`);
    return until();
  };
}

/** The call that was meant. */
function callNamed(name: string, read: ReadRun): RelevantCall | Problem {
  const relevant = relevantCalls(read);
  const alike = relevant.filter(({ tool }) => tool === name);
  if (alike.length === 1) return alike[0] as RelevantCall;
  const [, number] = /^row (\d+)$/.exec(name) ?? [];
  const meant = read.runState.ledger.named(name)?.key;
  const exact = everyCall(read).find(
    ({ key, row }) => key === meant || (number !== undefined && row === Number(number)),
  );
  if (exact !== undefined) return exact;
  const why =
    alike.length > 1
      ? `${alike.length} calls of ${JSON.stringify(name)} are open`
      : `no open call is called ${JSON.stringify(name)}`;
  const list = relevant.map(({ tool, row, status }) => `"row ${row}" (${tool}, ${status})`);
  const are =
    list.length === 0
      ? 'Nothing in this run waits to be settled.'
      : `There ${list.length === 1 ? 'is' : 'are'} ${list.join(', ')}.`;
  return { problem: `--settle: ${why}. ${are}` };
}

function everyCall({ runState, eventRows }: ReadRun): RelevantCall[] {
  return [...runState.ledger.all()].map(({ key, intent, status }) => {
    return { key, tool: intent.tool, status, class: intent.class, row: eventRows.called(key)?.seq ?? null };
  });
}

/** The reason why a call cannot be settled so: a person's word does not undo what is known of it. Null where it can. */
function cannotBe({ tool, status }: RelevantCall, as: (typeof SETTLED)[number]): string | null {
  if (isOpen(status) || (status === 'confirmed' && as === 'compensated')) return null;
  const may = status === 'confirmed' ? 'it can only be compensated' : 'there is nothing to settle';
  return `--settle: ${JSON.stringify(tool)} is ${status} already, so ${may}`;
}

/** The reason why the machine could not go on with that answer, or null. */
function outputProblem(
  { tool, class: kind }: RelevantCall,
  as: (typeof SETTLED)[number],
  output: { readonly value: unknown } | null,
  config: BoundaryConfig | null,
): string | null {
  if (as !== 'confirmed') return null;
  const refusal = config?.tools.get(tool)?.refuses(output?.value) ?? null;
  if (refusal !== null) return notAnswered(tool, refusal, output !== null);
  return output === null && kind !== 'none' ? unanswered(tool) : null;
}
