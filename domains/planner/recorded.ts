/** A planner that answers from a recording, and one that makes it: completions are captured once, and replayed as they were. */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { messageOf } from '../there.ts';
import { type Planner, PlannerError } from './planner.ts';

/** One captured completion. */
interface Captured {
  readonly question: string;
  readonly shown: unknown;
  readonly answer: unknown;
}

/** Replays a recording. What was never asked in it has no answer. @throws PlannerError for a file that is no recording. */
export function recorded(file: string): Planner {
  const known = captured(file);
  return {
    async answer({ name }, shown) {
      const found = known.get(nameOf(name, shown));
      if (found !== undefined) return found.answer;
      throw new PlannerError('unknown_question', `${file} has no answer to ${name} for what it is shown`);
    },
  };
}

/** Asks another planner what the recording does not know yet, and captures what it answers. */
export function recording(file: string, planner: Planner): Planner {
  const known = existsSync(file) ? captured(file) : new Map<string, Captured>();
  return {
    async answer(question, shown, signal) {
      const name = nameOf(question.name, shown);
      const found = known.get(name);
      if (found !== undefined) return found.answer;
      const answer = await planner.answer(question, shown, signal);
      known.set(name, { question: question.name, shown, answer });
      writeFileSync(`${file}.part`, `${JSON.stringify([...known.values()], null, 2)}\n`);
      renameSync(`${file}.part`, file);
      return answer;
    },
  };
}

function captured(file: string): Map<string, Captured> {
  const all = read(file);
  if (!Array.isArray(all) || !all.every(isCaptured))
    throw new PlannerError('not_set', `${file} is no recording: it has to be a list of question, shown and answer`);
  return new Map(all.map((each) => [nameOf(each.question, each.shown), each]));
}

function read(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new PlannerError('not_set', `${file} cannot be read: ${messageOf(error)}`, { cause: error });
  }
}

function isCaptured(each: unknown): each is Captured {
  return typeof each === 'object' && each !== null && 'question' in each && 'shown' in each && 'answer' in each;
}

/** A question with what is shown; the order of the fields says nothing. */
function nameOf(question: string, shown: unknown): string {
  return createHash('sha256')
    .update(`${question}\n${JSON.stringify(sorted(shown))}`)
    .digest('hex');
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(fields.map(([name, field]) => [name, sorted(field)]));
}
