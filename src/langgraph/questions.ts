/**
 * The questions of a graph and the answers to them. An answer by id answers the question of that id and no other; a bare answer answers the one
 * question that was handed out last, once: what nobody has looked at takes no bare answer.
 */
import { createHash } from 'node:crypto';
import { type Command, INTERRUPT, type StateSnapshot } from '@langchain/langgraph';
import { argsDigest } from '../effects/digest.ts';
import type { ValueCodec } from '../journal/value-codec.ts';
import { GraphError } from './graph-error.ts';
import type { Question } from './host.ts';

/** An answer, and what it answers. */
export interface Answer {
  readonly question: Question;
  readonly value: unknown;
}

/** The form of the ids of questions: LangGraph's own, by which it tells an answer by id from a bare one. */
const ID = /^[0-9a-f]{32}$/;

type Interrupt = Question['interrupt'];

/** The questions of one run, in one process. */
export class Questions {
  readonly #codecs: readonly ValueCodec[];
  #open: readonly Question[] = [];
  /** The ids that were handed out last, until an answer comes. */
  #handedOut: readonly string[] = [];

  constructor(codecs: readonly ValueCodec[]) {
    this.#codecs = codecs;
  }

  /** The questions that wait for answers; empty while the graph goes on. */
  get open(): readonly Question[] {
    return this.#open;
  }

  set open(questions: readonly Question[]) {
    this.#open = questions;
  }

  /**
   * The id of a question: LangGraph gives all questions of a task one id, also where its node runs again after a restore and asks something else.
   * @param nth how many questions of the task were answered before.
   * @param epoch how often the work that asks was taken back: an answer that went back with it is none to the same question asked anew, in whichever
   * process.
   */
  idOf({ id, value }: Interrupt, nth: number, epoch: number): string {
    return digest([id, nth, epoch, argsDigest(value, null, this.#codecs)]);
  }

  /** The open questions, for the caller: a bare answer belongs to these. */
  handOut(): Interrupt[] {
    this.#handedOut = this.#open.map(({ id }) => id);
    return this.#open.map(shown);
  }

  /** Puts the questions of a result, or of a chunk, where LangGraph has them: they are handed out once they are read there. */
  showIn(given: object, name: string, questions: readonly Question[] = this.#open): object {
    const interrupts = questions.map(shown);
    const get = () => {
      // A chunk is read before its superstep rests.
      if (this.#open.length === 0 || questions.every((question) => this.#open.some(({ id }) => id === question.id)))
        this.#handedOut = questions.map(({ id }) => id);
      return interrupts;
    };
    return Object.defineProperty({ ...given }, name, { enumerable: true, configurable: true, get });
  }

  /** A chunk of LangGraph's, with questions under their own ids. */
  showInChunk(chunk: unknown, questions: readonly Question[]): unknown {
    if (!Array.isArray(chunk)) return chunk;
    const payload: unknown = chunk.at(-1);
    if (typeof payload !== 'object' || payload === null) return chunk;
    for (const name of [INTERRUPT, 'interrupts']) {
      const asked = Object.hasOwn(payload, name) ? (payload as Readonly<Record<string, unknown>>)[name] : [];
      const own = Array.isArray(asked) ? asked.flatMap((each) => questions.filter(isAbout(each as Interrupt))) : [];
      if (own.length > 0) return [...chunk.slice(0, -1), this.showIn(payload, name, own)];
    }
    return chunk;
  }

  /** A state of LangGraph's, with the questions of its tasks under their own ids. */
  showInState(state: StateSnapshot): StateSnapshot {
    const interrupts = (asked: readonly Interrupt[]) =>
      asked.map((each) => this.#open.filter(isAbout(each)).map(shown)[0] ?? each);
    return { ...state, tasks: state.tasks.map((task) => ({ ...task, interrupts: interrupts(task.interrupts) })) };
  }

  /** Takes the answers that a `Command` brings; nothing is asked then. @throws GraphError `no_question`, `unsupported_graph`. */
  answer(command: Command): Answer[] {
    const answers = this.#answersOf(command);
    this.#open = [];
    this.#handedOut = [];
    return answers;
  }

  #answersOf({ resume, update, goto }: Command): Answer[] {
    if (update !== undefined || (Array.isArray(goto) ? goto.length > 0 : goto !== undefined))
      throw new GraphError(
        'unsupported_graph',
        'A Command from outside that writes the state or goes elsewhere has no unit that did it. Return it from a node.',
      );
    if (resume === undefined) throw refused('The Command brings no answer: give it a `resume`.');
    if (this.#open.length === 0)
      throw refused('The graph asks nothing now: what it asked was answered, or taken back. See questions().');
    return isById(resume) ? this.#byId(resume) : [{ question: this.#only(), value: resume }];
  }

  #byId(answers: Readonly<Record<string, unknown>>): Answer[] {
    return Object.entries(answers).map(([id, value]) => {
      const question = this.#open.find((each) => each.id === id);
      if (question === undefined)
        throw refused(
          `The graph does not ask ${id}: that question was answered, or taken back, or never asked. See questions().`,
        );
      return { question, value };
    });
  }

  /** The question that a bare answer is for. */
  #only(): Question {
    const [one, ...others] = this.#open as [Question, ...Question[]];
    const byId = 'answer by id, { resume: { [id]: value } }.';
    if (others.length > 0) throw refused(`The graph asks ${others.length + 1} questions: ${byId}`);
    if (this.#handedOut.length !== 1 || this.#handedOut[0] !== one.id)
      throw refused(
        `An answer without an id is for the question that was handed out last, and the program has not looked yet at what the graph asks now. Read it in the ${INTERRUPT} of the result or by questions(), or ${byId}`,
      );
    return one;
  }
}

/** True for an answer by id. */
function isById(resume: unknown): resume is Readonly<Record<string, unknown>> {
  return typeof resume === 'object' && resume !== null && Object.keys(resume).some((key) => ID.test(key));
}

function isAbout(interrupt: Interrupt): (question: Question) => boolean {
  return (question) => question.interrupt.id === interrupt.id;
}

function shown({ id, interrupt }: Question): Interrupt {
  return { ...interrupt, id };
}

function digest(of: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(of)).digest('hex').slice(0, 32);
}

function refused(text: string): GraphError {
  return new GraphError('no_question', text);
}
