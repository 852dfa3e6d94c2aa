/**
 * A planner that answers from a recording, and one that makes it: completions are captured once, and replayed as they were. A
 * recording is a JSON list of requests by their digest, with the answer and its cost.
 */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { fieldOf, messageOf } from '../there.ts';
import { type Cost, type Planner, PlannerError, type Question } from './planner.ts';

/** One captured completion. */
interface Captured {
  /** The digest of the request: the question in words, the schema of its answer, and what was shown. */
  readonly request: string;
  readonly question: string;
  readonly shown: unknown;
  readonly answer: unknown;
  /** Null where the planner that was asked costs nothing. */
  readonly cost: Cost | null;
}

type Asked = Pick<Question<never, unknown>, 'name' | 'asks' | 'answer'>;

/** Replays a recording. What was never asked in it has no answer. @throws PlannerError for a file that is no recording. */
export function recorded(file: string): Planner {
  const known = captured(file);
  return {
    async answer(question, shown) {
      const found = known.get(requestOf(question, shown));
      if (found !== undefined) return found.answer;
      throw new PlannerError('unknown_question', `${file} has no answer to ${question.name} for what it is shown`);
    },
  };
}

/** Asks another planner what the recording does not know yet, and captures what it answers and what that cost. */
export function recording(file: string, planner: Planner): Planner {
  const known = existsSync(file) ? captured(file) : new Map<string, Captured>();
  return {
    async answer(question, shown, signal) {
      const request = requestOf(question, shown);
      const found = known.get(request);
      if (found !== undefined) return found.answer;
      const { answer, cost } = await pricedBy(planner, question, shown, signal);
      known.set(request, { request, question: question.name, shown, answer, cost });
      writeFileSync(`${file}.part`, `${JSON.stringify([...known.values()], null, 2)}\n`);
      renameSync(`${file}.part`, file);
      return answer;
    },
  };
}

async function pricedBy(
  planner: Planner,
  ...asked: Parameters<Planner['answer']>
): Promise<Pick<Captured, 'answer' | 'cost'>> {
  if (planner.priced !== undefined) return planner.priced(...asked);
  return { answer: await planner.answer(...asked), cost: null };
}

/** The cost of a recording: its answers, and the tokens and milliseconds of those that cost something. */
export function costOf(file: string): { readonly answers: number } & Cost {
  const all = [...captured(file).values()].map(({ cost }) => cost);
  const sum = (of: (cost: Cost) => number | null) =>
    all.reduce((total, cost) => total + (cost === null ? 0 : (of(cost) ?? 0)), 0);
  return {
    answers: all.length,
    prompt: sum(({ prompt }) => prompt),
    completion: sum(({ completion }) => completion),
    milliseconds: sum(({ milliseconds }) => milliseconds),
  };
}

function captured(file: string): Map<string, Captured> {
  const all = read(file);
  if (!Array.isArray(all) || !all.every(isCaptured))
    throw new PlannerError(
      'not_set',
      `${file} is no recording: it has to be a list of request, question, shown, answer and cost`,
    );
  return new Map(all.map((each) => [each.request, each]));
}

function read(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new PlannerError('not_set', `${file} cannot be read: ${messageOf(error)}`, { cause: error });
  }
}

function isCaptured(each: unknown): each is Captured {
  if (typeof each !== 'object' || each === null) return false;
  const fields = ['question', 'shown', 'answer', 'cost'];
  return /^[0-9a-f]{64}$/.test(String(fieldOf(each, 'request'))) && fields.every((field) => field in each);
}

/** The digest of a request, in hex; the order of the fields says nothing. A question that asks in other words is another request. */
export function requestOf({ name, asks, answer }: Asked, shown: unknown): string {
  return createHash('sha256')
    .update(JSON.stringify(sorted({ name, asks, answer, shown })))
    .digest('hex');
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(fields.map(([name, field]) => [name, sorted(field)]));
}
