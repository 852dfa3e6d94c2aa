/** The spans of the calls that have left and have not come back. */
import { context, type Span, type SpanContext, trace } from '@opentelemetry/api';
import { errorMessage, NotApplied } from '../effects/signals.ts';
import type { Settled } from '../effects/timed.ts';
import type { OutcomeEntry } from '../model/call-entries.ts';
import type { RunState } from '../projection/run-state.ts';
import type { CallOutcome, Happening } from '../reports/happening.ts';
import { named, shown, skeletonOf, type Values } from '../reports/shown-values.ts';
import type { ObservedCall } from '../sidecar/observing.ts';
import { OPERATIONS } from './conventions.ts';
import type { SpanWriter } from './span-writer.ts';

/** The return of a call. */
interface Back {
  readonly outcome: CallOutcome;
  readonly settled?: Settled;
}

interface LiveCall {
  readonly call: ObservedCall;
  readonly span: Span;
  readonly since: number;
  /** Null until it came back: the span ends in the same turn. */
  back: Back | null;
}

const ABANDONED: Back = { outcome: 'abandoned' };

/** The calls under way of one run. */
export class CallsUnderWay {
  readonly #writer: SpanWriter;
  readonly #runState: RunState;
  /** By the numbers of their actors. */
  readonly #live = new Map<number, LiveCall>();

  constructor(writer: SpanWriter, runState: RunState) {
    this.#writer = writer;
    this.#runState = runState;
  }

  /** Makes a call, in the context of its span. */
  make(call: ObservedCall, links: readonly SpanContext[], act: () => void, made: (span: SpanContext) => void): void {
    this.abandon(call.actor);
    const span = this.#writer.start(`${OPERATIONS.executeTool} ${call.tool}`, links);
    this.#live.set(call.actor, { call, span, since: performance.now(), back: null });
    made(span.spanContext());
    context.with(trace.setSpan(context.active(), span), act);
  }

  /** Takes in what came back of the call of an actor. */
  came(actor: number, settled: Settled): void {
    const live = this.#live.get(actor);
    if (live === undefined) return;
    const isPlain = live.call.key === undefined;
    const isKnown = isPlain || ('error' in settled && settled.error instanceof NotApplied);
    const failed = isKnown ? 'failed' : 'unknown';
    const answered = isPlain ? 'answered' : 'confirmed';
    this.#cameBack(live, { outcome: 'error' in settled ? failed : answered, settled });
  }

  /** Takes in what is journaled of a call. @returns false where it is not under way. */
  journaled({ key, status }: OutcomeEntry): boolean {
    const live = [...this.#live.values()].find(({ call }) => call.key === key);
    if (live === undefined) return false;
    this.#cameBack(live, { ...live.back, outcome: status });
    return true;
  }

  /** Ends the span of a call that nothing waits for any more. */
  abandon(actor: number): void {
    const live = this.#live.get(actor);
    if (live !== undefined) this.#end(live, live.back ?? ABANDONED);
  }

  /** Ends all spans. */
  abandonAll(): void {
    for (const actor of [...this.#live.keys()]) this.abandon(actor);
  }

  /** Has a span end in this turn: what a call came to is journaled right after it came back. */
  #cameBack(live: LiveCall, back: Back): void {
    const isFirst = live.back === null;
    live.back = back;
    if (!isFirst) return;
    queueMicrotask(() => {
      try {
        this.#end(live, live.back ?? ABANDONED);
      } catch {
        // A processor that throws is no business of the run.
      }
    });
  }

  #end(live: LiveCall, back: Back): void {
    const { call, span, since } = live;
    if (this.#live.get(call.actor) !== live) return;
    this.#live.delete(call.actor);
    this.#writer.end(span, this.#called(call, back, (performance.now() - since) / 1_000));
  }

  #called(call: ObservedCall, { outcome, settled }: Back, seconds: number): Happening {
    const { tool, class: kind, key = null, instance } = call;
    const signal = settled !== undefined && 'error' in settled ? settled.signal : null;
    const values = () => this.#valuesOf(call, settled);
    return { is: 'called', tool, class: kind, key, outcome, signal, skeleton: skeletonOf(instance), seconds, values };
  }

  #valuesOf({ instance, tool, args }: ObservedCall, settled: Settled | undefined): Values {
    const { redaction } = this.#runState;
    const error = settled !== undefined && 'error' in settled ? redaction.text(errorMessage(settled.error)) : null;
    // Which parts of an answer are redacted is known once the machine has taken it: then the span of that step tells it.
    const isShown = settled !== undefined && 'output' in settled && !redaction.isActive;
    return {
      ...named([instance], this.#runState),
      args: shown(redaction.args(tool, args), this.#runState),
      ...(isShown && { output: shown(settled.output, this.#runState) }),
      ...(error !== null && { error }),
    };
  }
}
