/**
 * The verbs that answer an approval request, `approve`, `deny` and `settle`: they find it in the file, leave a message
 * for its run that is bound to its content, and report the result. A message opens nothing by itself: the run checks it
 * against its journal.
 */
import { outputSchema } from '../../boundaries/sections/output-schema.ts';
import { PROCESS } from '../../clock/clock.ts';
import { type Answer, messageOf } from '../../effects/messages/answers.ts';
import { EntryDecoder, kindOf } from '../../journal/entry-codec.ts';
import type { JournalStore } from '../../journal/journal.ts';
import type { AnswerEntry } from '../../model/call-entries.ts';
import { suggest } from '../../predicates/suggest.ts';
import { openJournal } from '../reading/journal-key.ts';
import { journalProblem, reading } from '../reading/reading.ts';
import { notAnswered, parsed, unanswered } from '../reading/typed-json.ts';
import { note } from '../terminal/console.ts';
import { printable } from '../terminal/printable.ts';
import { layOut, type Medium } from '../terminal/terminal.ts';
import { command, commandOfAll } from '../terminal/wording.ts';
import { type AskedGate, answersTo, gatesOfAll, quotedText, saidOf, statusText } from './approvals.ts';

/** A person's answer to a request; `output` and `with` are JSON text. */
export type Saying =
  | { readonly verdict: 'denied' }
  /** `with`: what changes in the arguments of the call, as JSON text (PE1). */
  | { readonly verdict: 'approved'; readonly with: string | null }
  | { readonly verdict: 'settled'; readonly status: 'confirmed' | 'failed'; readonly output: string | null };

/** Options of an answer. */
export interface AnsweringOptions {
  readonly file: string;
  /** Its id, or the first characters of it. */
  readonly gate: string;
  readonly saying: Saying;
  readonly by: string;
  readonly why: string | null;
  /** True to wait for a living process to take it. */
  readonly waits: boolean;
  readonly now: number;
}

/** The result of an answer. */
export interface Answered {
  readonly run: string;
  readonly gate: string;
  readonly tool: string;
  readonly verdict: Saying['verdict'];
  /** The outcome of the call, for a request that asks for it. */
  readonly status?: 'confirmed' | 'failed';
  readonly by: string;
  readonly why: string | null;
  /** The number of the message. */
  readonly post: number;
  /** True if a living process has the run. */
  readonly held: boolean;
  /** The run's journaled answer; null where the run has not taken it yet. */
  readonly taken: Pick<AnswerEntry, 'verdict' | 'why' | 'code'> | null;
  /** The next step for the person. */
  readonly next: string | null;
}

/** The reason why no answer was left, and the exit code: 1 where the request takes no such answer, 2 for misuse. */
export interface Unanswered {
  readonly problem: string;
  readonly code: 1 | 2;
}

/** The shortest beginning of an id that counts as one. */
const SHORTEST = 4;
const LONGEST_NAME = 200;
const LONGEST_WHY = 2_000;
/** The wait for a living process to take an answer, and the interval between looks, in milliseconds. */
const WAIT = 2_000;
const LOOK = 100;

/** Answers a request. */
export async function answerGate(options: AnsweringOptions): Promise<Answered | Unanswered> {
  const { file, gate: name, saying, by, why } = options;
  const wrong = misuse(options);
  if (wrong !== null) return { problem: wrong, code: 2 };
  const output = saying.verdict === 'settled' ? parsed('--output', saying.output) : null;
  if (output !== null && 'problem' in output) return { problem: output.problem, code: 2 };
  const found = await gateNamed(name, options);
  if ('problem' in found) return found;
  const change = saying.verdict === 'approved' ? changeIn(found, saying.with) : null;
  if (change !== null && 'problem' in change) return { problem: change.problem, code: change.code ?? 2 };
  const wrongOutput = saying.verdict === 'settled' ? outputRefused(found, saying.status, output) : null;
  if (wrongOutput !== null) return { problem: wrongOutput, code: 1 };
  const { gate, digest, epoch, run } = found;
  const bound = { gate, digest, epoch, by, why };
  const answer: Answer =
    saying.verdict === 'settled'
      ? { ...bound, verdict: 'settled', status: saying.status, ...(output !== null && { output: output.value }) }
      : { ...bound, verdict: saying.verdict, ...(change !== null && { with: change.value }) };
  let message: string;
  try {
    message = messageOf(answer);
  } catch (error) {
    return { problem: `--output: ${(error as Error).message}`, code: 2 };
  }
  for (const { answer: left } of found.left)
    note(
      `an answer of ${quotedText(left.by)} (${saidOf(left)}) waits there already: the one that was left first counts`,
    );
  try {
    return await leave(found, message, options);
  } catch (error) {
    return { problem: journalProblem(file, error), code: 2 };
  }

  async function leave(to: AskedGate, body: string, { waits }: AnsweringOptions): Promise<Answered> {
    const store = await openJournal(file);
    try {
      const post = await store.post(run, body);
      const taken = to.held && waits ? await takenInTime(store, run, post) : null;
      const status = saying.verdict === 'settled' ? { status: saying.status } : {};
      const next = taken !== null ? null : command(to.held ? 'approvals' : 'resume', run, file);
      return {
        run,
        gate,
        tool: to.tool,
        verdict: saying.verdict,
        ...status,
        by,
        why,
        post,
        held: to.held,
        taken,
        next,
      };
    } finally {
      await store.close();
    }
  }
}

/** What an approval says with `--with`: of a choice the name of a branch as it is, of a call JSON. */
function changeIn(
  { asks, candidates = [], gate }: AskedGate,
  given: string | null,
): { readonly value: unknown } | { readonly problem: string; readonly code?: 1 } | null {
  if (asks !== 'branch') return parsed('--with', given);
  const open = candidates.filter(({ is }) => is === 'over').map(({ branch }) => branch);
  if (given !== null && open.includes(given)) return { value: given };
  return { problem: `${gate} asks for a branch: --with ${open.map(quotedText).join(', or --with ')}`, code: 1 };
}

function misuse({ gate, by, why }: AnsweringOptions): string | null {
  if (by.trim() === '') return '--by needs a name: who says so?';
  if ([...by].length > LONGEST_NAME) return `--by: a name has at most ${LONGEST_NAME} characters`;
  if (why !== null && [...why].length > LONGEST_WHY) return `--why: a reason has at most ${LONGEST_WHY} characters`;
  return [...gate].length < SHORTEST
    ? `${JSON.stringify(gate)} is too short for a gate: its first ${SHORTEST} characters at least`
    : null;
}

/** The request that was meant, if it takes such an answer. */
async function gateNamed(name: string, { file, saying, now }: AnsweringOptions): Promise<AskedGate | Unanswered> {
  let all: readonly AskedGate[] = [];
  const { problem } = await reading(file, async (store) => {
    const { gates, unread } = await gatesOfAll(store, now);
    all = gates;
    return { pieces: [], problem: unread.length === 0 ? null : `${file}: cannot be read: ${unread.join(', ')}` };
  });
  const fitting = all.some(({ gate }) => gate === name)
    ? all.filter(({ gate }) => gate === name)
    : all.filter(({ gate }) => gate.startsWith(name));
  const [found] = fitting;
  if (found === undefined) {
    if (problem !== null) return { problem, code: 2 };
    const near = suggest(
      name,
      all.map(({ gate }) => gate),
    );
    const lists = commandOfAll('approvals', file, '--all');
    return { problem: `there is no gate ${JSON.stringify(name)} in ${file}. ${near} ${lists} lists them`, code: 2 };
  }
  if (fitting.length > 1) {
    const each = fitting.map(({ gate, run }) => `${gate} (${run})`);
    return { problem: `${JSON.stringify(name)} fits ${fitting.length} gates: ${each.join(', ')}`, code: 2 };
  }
  const why = refusal(found, saying, file);
  return why === null ? found : { problem: why, code: 1 };
}

/**
 * The reason why the tool of a call could not have answered so, by the schema of its output, or null. A request for an approval is answered by what an
 * earlier call answered.
 */
export function outputRefused(
  { expects, tool, asks }: { readonly expects?: unknown; readonly tool: string; readonly asks?: AskedGate['asks'] },
  status: 'confirmed' | 'failed',
  output: { readonly value: unknown } | null,
): string | null {
  if (status === 'failed' || asks === 'approval') return null;
  if (expects === undefined) return output === null ? unanswered(tool) : null;
  const schema = outputSchema(expects);
  const why = 'refuses' in schema ? schema.refuses(output?.value) : null;
  return why === null ? null : notAnswered(tool, why, output !== null);
}

function refusal(found: AskedGate, saying: Saying, file: string): string | null {
  const { verdict } = saying;
  const { gate, asks, status, run, held, like } = found;
  if (status !== 'pending') {
    const again =
      status === 'expired' && !held && asks !== 'branch'
        ? `. ${command('resume', run, file)} asks again, by another gate`
        : '';
    return `${gate} takes no answer: it is ${statusText(found)}${again}`;
  }
  const wanted = verdict === 'settled' ? 'outcome' : 'approval';
  // A call that may repeat an earlier one has happened, if it is the same act.
  const isSame = like !== undefined && saying.verdict === 'settled' && saying.status === 'confirmed';
  if (asks === wanted || isSame || ((asks === 'branch' || asks === 'review') && wanted === 'approval')) return null;
  const what = { outcome: 'what became of the call', approval: 'an approval', branch: 'a branch', review: 'a review' }[
    asks
  ];
  return `${gate} asks for ${what}: ${answersTo(found, file).join(', or ')}`;
}

/** The run's journaled answer to a message, if it comes in time. */
async function takenInTime(store: JournalStore, run: string, post: number): Promise<Answered['taken']> {
  for (const end = Date.now() + WAIT; Date.now() < end; ) {
    await PROCESS.pause(LOOK);
    const taken = await takenOf(store, run, post);
    if (taken !== null) return taken;
  }
  return null;
}

/** The run's journaled answer to a message; null where there is none yet. */
export async function takenOf(store: JournalStore, run: string, post: number): Promise<Answered['taken']> {
  for await (const row of store.read(run)) {
    if (kindOf(row) !== 'answer') continue;
    const entry = new EntryDecoder().entry(row);
    if (entry?.do === 'answer' && entry.post === post) {
      const { verdict, why, code } = entry;
      return { verdict, why, ...(code !== undefined && { code }) };
    }
  }
  return null;
}

/** The exit code: 1 where the run has refused it. */
export function answeredCode({ taken }: Answered): number {
  return taken?.verdict === 'refused' ? 1 : 0;
}

/** Formats it in words. */
export function answeredText(answered: Answered, medium: Medium): string {
  const { run, gate, tool, by, next } = answered;
  const said = `${tool} of ${run} is ${saidOf(answered)} by ${quotedText(by)}`;
  const told = layOut(null, { label: gate, text: said, under: [{ text: takenText(answered) }] }, medium);
  return next === null ? told : `${told}  ${printable(next)}\n`;
}

function takenText({ held, taken }: Answered): string {
  if (taken?.verdict === 'refused')
    return `The process that has the run refuses it: ${taken.why ?? 'it does not say why'}.`;
  if (taken !== null) return 'The process that has the run has taken it.';
  if (held)
    return 'It is left for the process that has the run, which has not taken it yet. This shows whether it has:';
  return 'It is left for the run, which no process has. Its program takes it up when it is started again; an agent of a module is taken up by:';
}
