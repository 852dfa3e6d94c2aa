/** The answers that a `Command` brings to what a graph asks. */
import type { Command } from '@langchain/langgraph';
import { GraphError } from './graph-error.ts';
import type { Question } from './host.ts';

/** An answer, and what it answers. */
export interface Answer {
  readonly question: Question;
  readonly value: unknown;
}

/** @throws GraphError `no_question`, `unsupported_graph`. */
export function answersTo(questions: readonly Question[], { resume, update, goto }: Command): Answer[] {
  if (update !== undefined || (Array.isArray(goto) ? goto.length > 0 : goto !== undefined))
    throw new GraphError(
      'unsupported_graph',
      'A Command from outside that writes the state or goes elsewhere has no unit that did it. Return it from a node.',
    );
  if (resume === undefined) throw new GraphError('no_question', 'The Command brings no answer: give it a `resume`.');
  const [one] = questions;
  if (one === undefined)
    throw new GraphError(
      'no_question',
      'The graph asks nothing now: what it asked was answered, or taken back. See questions().',
    );
  const byId = typeof resume === 'object' && resume !== null ? (resume as Readonly<Record<string, unknown>>) : {};
  const named = questions.filter(({ interrupt: { id } }) => id !== undefined && Object.hasOwn(byId, id));
  if (named.length > 0) {
    const strange = Object.keys(byId).filter((id) => !named.some(({ interrupt }) => interrupt.id === id));
    if (strange.length > 0)
      throw new GraphError('no_question', `The graph does not ask ${strange.join(', ')}. See questions().`);
    return named.map((question) => ({ question, value: byId[question.interrupt.id as string] }));
  }
  if (questions.length > 1)
    throw new GraphError(
      'no_question',
      `The graph asks ${questions.length} questions: answer by their ids, { resume: { [id]: value } }.`,
    );
  return [{ question: one, value: resume }];
}
