/** Processes whose spans and metrics are kept in memory, each with a provider and an exporter of its own. */
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
  type SpanProcessor,
} from '@opentelemetry/sdk-trace-base';
import type { Journal, JournalStore } from '../../src/journal/journal.ts';
import { type TelemetryOptions, withTelemetry } from '../../src/otel/otel.ts';
import { wrapJournals } from '../../src/testing/wrap-journals.ts';

/** A process that can be killed without killing ours: from then on it writes nothing, hears nothing and exports nothing. */
export class Collected {
  readonly #spans = new InMemorySpanExporter();
  readonly #metrics = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  readonly #reader = new PeriodicExportingMetricReader({ exporter: this.#metrics, exportIntervalMillis: 2 ** 30 });
  readonly #meters = new MeterProvider({ readers: [this.#reader] });
  readonly #open = new Set<unknown>();
  readonly tracers: BasicTracerProvider;
  #journal: Journal | null = null;
  #isDead = false;

  constructor(also: readonly SpanProcessor[] = []) {
    const counting: SpanProcessor = {
      onStart: (span) => void this.#open.add(span),
      onEnd: (span) => void this.#open.delete(span),
      forceFlush: async () => {},
      shutdown: async () => {},
    };
    this.tracers = new BasicTracerProvider({
      spanProcessors: [...also, new SimpleSpanProcessor(this.#spans), counting],
    });
  }

  /** The options of a run whose telemetry is kept here. */
  telemetry<T extends { readonly run: string }>(options: T, more: TelemetryOptions = {}): T {
    const tracer = this.tracers.getTracer('test');
    return withTelemetry(options, { tracer, meter: this.#meters.getMeter('test'), ...more });
  }

  /** A store of this process. */
  store(of: JournalStore): JournalStore {
    return wrapJournals(of, (journal) => {
      this.#journal = journal;
      return {
        append: (rows) => (this.#isDead ? journal.head : journal.append(rows)),
        flush: () => (this.#isDead ? new Promise(() => {}) : journal.flush()),
        close: () => (this.#isDead ? Promise.resolve() : journal.close()),
      };
    });
  }

  /** Kills the process: what it has exported stays. */
  async kill(): Promise<void> {
    const exported = [...this.#spans.getFinishedSpans()];
    this.#isDead = true;
    await this.#journal?.close();
    await this.#spans.shutdown();
    this.#spans.getFinishedSpans = () => exported;
  }

  get spans(): readonly ReadableSpan[] {
    return this.#spans.getFinishedSpans();
  }

  get names(): string[] {
    return this.spans.map(({ name }) => name);
  }

  /** The spans that are open at this moment. */
  get open(): number {
    return this.#open.size;
  }

  /** The span of a name, or the nth of them. */
  span(name: string, nth = 0): ReadableSpan {
    const found = this.spans.filter((each) => each.name === name).at(nth);
    if (found === undefined) throw new Error(`no span ${name} among ${this.names.join(', ')}`);
    return found;
  }

  /** Everything that was exported, as one text. */
  async everything(): Promise<string> {
    const spans = this.spans.map(({ name, attributes, events, status, links }) => [
      name,
      attributes,
      events,
      status,
      links,
    ]);
    return JSON.stringify([spans, await this.metrics()]);
  }

  /** The data points of every metric: its unit, and the value or the count of each set of attributes. */
  async metrics(): Promise<
    Map<string, { unit: string; description: string; points: { attributes: object; value: number }[] }>
  > {
    await this.#reader.forceFlush();
    const exported = this.#metrics.getMetrics().at(-1)?.scopeMetrics ?? [];
    return new Map(
      exported.flatMap((scope) =>
        scope.metrics.map(({ descriptor: { name, unit, description }, dataPoints }) => {
          const points = dataPoints.map(({ attributes, value }) => ({
            attributes,
            value: typeof value === 'number' ? value : value.count,
          }));
          return [name, { unit, description, points }] as const;
        }),
      ),
    );
  }
}
