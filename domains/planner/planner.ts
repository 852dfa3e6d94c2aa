/**
 * The port of a planner: a script, a recording or a language model. It is asked one question at a time and sees only
 * what it is shown. A call whose answer was lost is made again, so a planner must not count its calls.
 */
import { Ajv, type ValidateFunction } from 'ajv';
import { NotApplied } from 'belay-sidecar';

/** A question that an agent asks: what it shows, and what an answer looks like. */
export interface Question<TShown, TAnswer> {
  /** Its name, by which a script and a recording know it. */
  readonly name: string;
  /** The question in words, for a language model. */
  readonly asks: string;
  /** The JSON schema of an answer. */
  readonly answer: object;
  /** Never there: it ties the types of what is shown and of what is answered to the question. */
  readonly types?: (shown: TShown) => TAnswer;
}

/** The cost of an answer. Tokens are those that the endpoint counts, null where it counts none; the time is in milliseconds. */
export interface Cost {
  readonly prompt: number | null;
  readonly completion: number | null;
  readonly milliseconds: number;
}

/** An answer, and its cost. */
export interface Priced {
  readonly answer: unknown;
  readonly cost: Cost;
}

/** A source of answers. */
export interface Planner {
  /** @throws PlannerError where there is no answer. */
  answer(question: Question<never, unknown>, shown: unknown, signal: AbortSignal): Promise<unknown>;
  /** Answers with the cost; only a planner whose answers cost something has it. @throws PlannerError where there is no answer. */
  priced?(question: Question<never, unknown>, shown: unknown, signal: AbortSignal): Promise<Priced>;
}

/** The reason why there is no answer. */
export type PlannerErrorCode =
  /** The script or the recording does not know the question. */
  | 'unknown_question'
  /** The answer does not fit the question. */
  | 'bad_answer'
  /** The endpoint could not be reached, or refused. */
  | 'unreachable'
  /** It took longer than it may. */
  | 'late'
  /** The settings in the environment are incomplete, or cannot be read. */
  | 'not_set';

/** There is no answer. Nothing has happened in the world: an agent may report it. */
export class PlannerError extends Error {
  override readonly name = 'PlannerError';
  readonly code: PlannerErrorCode;

  constructor(code: PlannerErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

const ajv = new Ajv({ allowUnionTypes: true });
const checks = new WeakMap<object, ValidateFunction>();

/** Asks, and holds the answer against the question. @throws PlannerError where there is none, or it is none of the kind. */
export async function ask<TShown, TAnswer>(
  planner: Planner,
  question: Question<TShown, TAnswer>,
  shown: TShown,
  signal: AbortSignal,
): Promise<TAnswer> {
  const answer = await planner.answer(question, shown, signal);
  const check = checks.get(question) ?? ajv.compile(question.answer);
  checks.set(question, check);
  const isAnswer = (given: unknown): given is TAnswer => check(given);
  if (isAnswer(answer)) return answer;
  throw new PlannerError(
    'bad_answer',
    `the answer to ${question.name} ${ajv.errorsText(check.errors, { dataVar: 'it' })}`,
  );
}

/** A decision that comes before anything is changed: without one nothing has happened, which is no unknown outcome. */
export async function decided<T>(decision: Promise<T>): Promise<T> {
  return decision.catch((error: Error) => {
    throw new NotApplied(error.message, { cause: error });
  });
}

/** An answer to one question, as a script gives it. */
export interface Line {
  readonly name: string;
  readonly answer: (shown: never) => unknown;
}

/** The script's answer to a question. */
export function line<TShown, TAnswer>(question: Question<TShown, TAnswer>, answer: (shown: TShown) => TAnswer): Line {
  return { name: question.name, answer };
}

/** A planner that follows a script. */
export function scripted(lines: readonly Line[]): Planner {
  const known = new Map(lines.map((each) => [each.name, each]));
  return {
    async answer({ name }, shown) {
      const found = known.get(name);
      if (found === undefined) throw new PlannerError('unknown_question', `the script has no answer to ${name}`);
      return found.answer(shown as never);
    },
  };
}
