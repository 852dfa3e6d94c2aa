/** Everything that a caller of a graph hears: the chunks of its stream, its questions, and that it has come to rest. */
import type { Question } from './host.ts';
import type { Questions } from './questions.ts';

/** Hands on what a graph streams, to the caller that asked for it. */
export class Resting {
  modes: readonly string[] = [];
  subgraphs = false;
  readonly questions: Questions;
  /** LangGraph's error for a drained graph, until the graph goes on; else null. */
  drained: Error | null = null;
  /** True while a thread rests between two turns. */
  #isResting = false;
  readonly #chunks: unknown[] = [];
  #wake: () => void = () => {};
  #asked: () => void = () => {};

  constructor(questions: Questions) {
    this.questions = questions;
  }

  chunk(chunk: unknown, questions: readonly Question[]): void {
    this.#chunks.push(this.questions.showInChunk(chunk, questions));
    this.#wake();
  }

  asks(questions: readonly Question[]): void {
    this.questions.open = questions;
    this.#asked();
    this.#wake();
  }

  rests(): void {
    this.#isResting = true;
    this.#asked();
    this.#wake();
  }

  leavesRest(): void {
    this.#isResting = false;
  }

  drains(error: Error): void {
    this.drained = error;
    this.#asked();
    this.#wake();
  }

  /** Resolves once the graph asks, or a thread rests between two turns. @throws GraphDrained of LangGraph, once it was drained. */
  async asked(): Promise<'asks' | 'rests'> {
    while (this.questions.open.length === 0) {
      if (this.drained !== null) throw this.drained;
      if (this.#isResting) return 'rests';
      await new Promise<void>((resolve) => {
        const before = this.#asked;
        this.#asked = () => {
          before();
          resolve();
        };
      });
    }
    return 'asks';
  }

  /** The chunks until the graph rests. */
  async *until(rest: Promise<unknown>): AsyncGenerator<unknown> {
    let isResting = false;
    const wake = () => {
      isResting = true;
      this.#wake();
    };
    rest.then(wake, wake);
    for (;;) {
      while (this.#chunks.length > 0) yield this.#chunks.shift();
      if (isResting) return;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }
}
