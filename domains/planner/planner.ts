/**
 * Who decides: a port, since it may be a script, a recording or a language model. It is asked one question at a time and sees
 * what it is shown and nothing else. A call whose answer was lost is made again, so it must not count how often it was asked.
 */
import { Ajv, type ValidateFunction } from 'ajv';
import { NotApplied } from 'belay-sidecar';

/** A question that an agent asks: what it shows, and what an answer looks like. */
export interface Question<TShown, TAnswer> {
  /** Its name, by which a script and a recording know it. */
  readonly name: string;
  /** What is asked, in words: a language model reads this. */
  readonly asks: string;
  /** The JSON schema of an answer. */
  readonly answer: object;
  /** Never there: it ties the types of what is shown and of what is answered to the question. */
  readonly types?: (shown: TShown) => TAnswer;
}

/** Whoever answers. */
export interface Planner {
  /** @throws PlannerError where there is no answer. */
  answer(question: Question<never, unknown>, shown: unknown, signal: AbortSignal): Promise<unknown>;
}

/** Why there is no answer. */
export type PlannerErrorCode =
  /** The script or the recording does not know the question. */
  | 'unknown_question'
  /** What came back is not what the question asks for. */
  | 'bad_answer'
  /** Nobody could be reached, or whoever was reached refused. */
  | 'unreachable'
  /** It took longer than it may. */
  | 'late'
  /** What is set in the environment is not enough to reach anybody, or cannot be read. */
  | 'not_set';

/** There is no answer. Nothing has happened in the world: an agent may say so to whoever watches it. */
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
  const answer = await planner.answer(question as Question<never, unknown>, shown, signal);
  const isAnswer = checks.get(question) ?? ajv.compile(question.answer);
  checks.set(question, isAnswer);
  if (isAnswer(answer)) return answer as TAnswer;
  throw new PlannerError(
    'bad_answer',
    `the answer to ${question.name} ${ajv.errorsText(isAnswer.errors, { dataVar: 'it' })}`,
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

/** What a script answers to a question. */
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
