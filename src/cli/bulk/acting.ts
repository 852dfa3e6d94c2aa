/** Verbs with `--all`: without `--of` prints the list and its digest; with the digest of the same list, acts. */
import { outputRefused, type Saying } from '../approvals/answering.ts';
import type { AskedGate } from '../approvals/approvals.ts';
import { parsed } from '../reading/typed-json.ts';
import type { Medium } from '../terminal/terminal.ts';
import { ageText, commandOfAll, jsonText, plain } from '../terminal/wording.ts';
import { inStore } from '../workers/leaving.ts';
import { answerAll, codeOf, REQUEST_FIELDS, requestsDigest, requestsMeant } from './answering-all.ts';
import { type BulkTold, bulkCode, listText, toldText } from './listing.ts';
import { RETRY_FIELDS, retriesDigest, retriesMeant, retryAll } from './retrying-all.ts';
import { conditionsIn } from './where.ts';

/** Options of a verb with `--all`. */
export interface BulkOptions {
  readonly file: string;
  readonly where: readonly string[];
  /** The digest of the list that the person has seen; null for none. */
  readonly of: string | null;
  readonly by: string;
  readonly why: string | null;
  readonly json: boolean;
  readonly medium: Medium;
  readonly now: number;
}

/** The output of a verb with `--all`, and its exit code. */
export interface Acted {
  readonly text: string;
  readonly problem: string | null;
  readonly code: number;
}

/** `approve`, `deny` or `settle` for many requests. */
export async function answerMany(verb: string, saying: Saying, options: BulkOptions): Promise<Acted> {
  const { file, where, by, why, json, medium, now, of } = options;
  const conditions = conditionsIn(where, REQUEST_FIELDS);
  if ('problem' in conditions) return misused(conditions.problem);
  if (by.trim() === '') return misused('--by needs a name: who says so?');
  const output = saying.verdict === 'settled' ? parsed('--output', saying.output) : null;
  if (output !== null && 'problem' in output) return misused(output.problem);
  const acted = await inStore(file, async (store): Promise<Acted> => {
    const asks = saying.verdict === 'settled' ? 'outcome' : 'approval';
    const { gates, left, unread } = await requestsMeant(store, asks, conditions, now);
    const problem = unread.length === 0 ? null : `${file}: cannot be read: ${unread.join(', ')}`;
    const wrong = refusedOutputs(gates, saying, output);
    if (wrong !== null) return { text: '', problem: wrong, code: 1 };
    if (gates.length === 0) return none('no such request waits', problem);
    const digest = requestsDigest(gates, saying);
    if (of === digest) return done(verb, await answerAll(store, gates, saying, { by, why, output }), json, medium);
    const told = gates.map((gate) => [gate.run, gate.gate, gate.tool, jsonText(gate.args), ageText(gate.since, now)]);
    const more = saying.verdict === 'settled' ? ['--as', saying.status] : [];
    const typed = saying.verdict === 'settled' && saying.output !== null ? ['--output', saying.output] : [];
    const next = commandOfAll(verb, file, ...again(options), ...more, ...typed, '--of', digest);
    const columns = ['RUN', 'GATE', 'TOOL', 'WITH', 'ASKED'];
    const what = `would be ${saying.verdict === 'settled' ? `settled as ${saying.status}` : saying.verdict}`;
    const text = json
      ? lines(gates.map((gate) => requestFields(gate, digest)))
      : listText(told, columns, { what, one: 'call', next, left: leftOut(left), medium });
    return shown(text, of, problem);
  });
  return 'text' in acted ? acted : { text: '', problem: acted.problem, code: acted.code ?? 2 };
}

function requestFields(gate: AskedGate, of: string): object {
  const { run, agent, gate: id, tool, key, args, since, held } = gate;
  return { run, agent, gate: id, tool, code: codeOf(gate), key, args, since: new Date(since).toISOString(), held, of };
}

/** The first tool that cannot have given this output, with the reason; null if each tool can. */
function refusedOutputs(gates: readonly AskedGate[], saying: Saying, output: { readonly value: unknown } | null) {
  if (saying.verdict !== 'settled') return null;
  for (const gate of gates) {
    const why = outputRefused(gate, saying.status, output);
    if (why !== null) return `${gate.gate} of ${gate.run}: ${why}`;
  }
  return null;
}

function leftOut(left: number): string | null {
  if (left === 0) return null;
  return `Left out: ${left} that may repeat a call which has happened. Look at each, or name them: --where code=may_repeat`;
}

/** `retry` for the steps that threw in many runs. */
export async function retryMany(options: BulkOptions): Promise<Acted> {
  const { file, where, by, why, json, medium, of } = options;
  const conditions = conditionsIn(where, RETRY_FIELDS);
  if ('problem' in conditions) return misused(conditions.problem);
  if (by.trim() === '') return misused('--by needs a name: who says so?');
  const acted = await inStore(file, async (store): Promise<Acted> => {
    const runs = await retriesMeant(store, conditions);
    if (runs.length === 0) return none('no such run is parked on a step that threw', null);
    const digest = retriesDigest(runs);
    if (of === digest) return done('retry', await retryAll(store, runs, { by, why }), json, medium);
    const told = runs.map(({ run, agent, code, error }) => [run, agent ?? '', code, error]);
    const next = commandOfAll('retry', file, ...again(options), '--of', digest);
    const text = json
      ? lines(runs.map((run) => ({ ...run, of: digest })))
      : listText(told, ['RUN', 'AGENT', 'CODE', 'ERROR'], {
          what: 'would be tried again',
          one: 'run',
          next,
          left: null,
          medium,
        });
    return shown(text, of, null);
  });
  return 'text' in acted ? acted : { text: '', problem: acted.problem, code: acted.code ?? 2 };
}

/** The options for the suggested next command. */
function again({ where, by, why }: BulkOptions): string[] {
  return ['--all', ...where.flatMap((each) => ['--where', each]), '--by', by, ...(why === null ? [] : ['--why', why])];
}

function lines(all: readonly object[]): string {
  return all.map((each) => `${JSON.stringify(each, plain)}\n`).join('');
}

function misused(problem: string): Acted {
  return { text: '', problem, code: 2 };
}

function none(what: string, problem: string | null): Acted {
  return { text: `${what}\n`, problem, code: problem === null ? 1 : 2 };
}

function done(verb: string, told: readonly BulkTold[], json: boolean, medium: Medium): Acted {
  return { text: json ? lines(told) : toldText(told, verb, medium), problem: null, code: bulkCode(told) };
}

/** Prints the list. If the given digest is of another list, nothing is done and the exit code is 1. */
function shown(text: string, of: string | null, unread: string | null): Acted {
  if (of === null) return { text, problem: unread, code: unread === null ? 0 : 2 };
  return { text, problem: `the list has changed since it had the digest ${of}`, code: 1 };
}
