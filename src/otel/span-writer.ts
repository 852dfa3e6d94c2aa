/**
 * Turns the events of one run into spans and measurements, all in the trace of the run. Values are left out unless the
 * caller wants them.
 */
import {
  type Attributes,
  type Context,
  context,
  ROOT_CONTEXT,
  type Span,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import type { TraceContext } from '../model/entry.ts';
import type { Happening } from '../reports/happening.ts';
import { measurementsOf } from '../reports/metrics.ts';
import { ATTRIBUTES } from './conventions.ts';
import type { Instruments } from './instruments.ts';
import { type SpanShape, spanOf } from './spans.ts';
import { spanContextOf, stored } from './trace-context.ts';

/** The means by which a run is told. */
export interface Means {
  readonly tracer: Tracer;
  readonly instruments: Instruments;
  /** True where values are told. */
  readonly values: boolean;
}

/** Tells one run. */
export class SpanWriter {
  readonly #means: Means;
  readonly #shared: Attributes;
  readonly #agent: string;
  /** The place in the trace under which every span of the run lies. */
  #within: Context = ROOT_CONTEXT;

  constructor(means: Means, run: string, agent: string) {
    this.#means = means;
    this.#agent = agent;
    this.#shared = { [ATTRIBUTES.agent]: agent, [ATTRIBUTES.conversation]: run };
  }

  /**
   * Tells that the run was begun or resumed. A run that has no place in a trace has one from then on: below what is active now.
   * @param place the place that is stored with the run.
   * @returns the place to store.
   */
  open(opened: Happening, place: TraceContext | null): TraceContext | null {
    const known = spanContextOf(place);
    const opener = trace.getSpanContext(context.active());
    this.#within = known === null ? context.active() : trace.setSpanContext(ROOT_CONTEXT, known);
    const own = this.write(opened, known !== null && opener !== undefined ? [opener] : []);
    if (known === null) this.#within = trace.setSpanContext(ROOT_CONTEXT, own);
    return stored(own);
  }

  /** Makes the span of something that has just happened, and ends it. */
  write(happening: Happening, links: readonly SpanContext[]): SpanContext {
    const shape = spanOf(happening, this.#means);
    const span = this.start(shape.name, links, { ...this.#shared, ...shape.attributes });
    this.#close(span, shape);
    this.#measure(happening);
    return span.spanContext();
  }

  /** Starts the span of something that takes its time. */
  start(name: string, links: readonly SpanContext[], attributes: Attributes = this.#shared): Span {
    const options = { kind: SpanKind.INTERNAL, attributes, links: links.map((span) => ({ context: span })) };
    return this.#means.tracer.startSpan(name, options, this.#within);
  }

  /** Ends it. */
  end(span: Span, happening: Happening): void {
    const shape = spanOf(happening, this.#means);
    span.setAttributes(shape.attributes);
    this.#close(span, shape);
    this.#measure(happening);
  }

  #close(span: Span, { error }: SpanShape): void {
    if (error !== null) span.setStatus({ code: SpanStatusCode.ERROR });
    span.end();
  }

  #measure(happening: Happening): void {
    this.#means.instruments.measure(measurementsOf(happening), { [ATTRIBUTES.agent]: this.#agent });
  }
}
