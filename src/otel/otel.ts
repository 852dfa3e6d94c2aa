/** Traces and metrics of runs through OpenTelemetry (`belay-sidecar/otel`). It needs the package `@opentelemetry/api`. */

import { type BatchObservableResult, type Meter, metrics, type Tracer, trace } from '@opentelemetry/api';
import { FLAG, having, NAME, optional, refuseOther, shape } from '../model/argument.ts';
import { GAUGES } from '../reports/metrics.ts';
import { runsWaiting } from '../reports/runs-waiting.ts';
import { OBSERVER } from '../sidecar/observing.ts';
import { Instruments } from './instruments.ts';
import { RunTelemetry } from './telemetry.ts';

export { GAUGES, METRICS, type Metric } from '../reports/metrics.ts';

/** The settings of a run's telemetry. */
export interface TelemetryOptions {
  /**
   * True where the arguments and outputs of tools, the names of instances, the texts of errors and the names of people are told as well, without
   * what the config redacts; they are not, if left out.
   */
  readonly values?: boolean;
  /** Makes the spans; the one that is registered globally, if left out. */
  readonly tracer?: Tracer;
  /** Makes the metrics; the one that is registered globally, if left out. */
  readonly meter?: Meter;
}

/** The name of the tracer and of the meter. */
const SCOPE = 'belay-sidecar';

/**
 * Adds telemetry to the options of one run: what the run does is told as spans and metrics. Whatever an exporter does, the run goes on.
 * @example
 * import { trace } from '@opentelemetry/api';
 * import { InMemorySpanExporter, SimpleSpanProcessor, BasicTracerProvider } from '@opentelemetry/sdk-trace-base';
 * import { setup } from 'xstate';
 * import { loadConfig } from 'belay-sidecar';
 * import { attach } from 'belay-sidecar/xstate';
 * import { withTelemetry } from 'belay-sidecar/otel';
 *
 * const exporter = new InMemorySpanExporter();
 * trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }));
 * const { config } = loadConfig('belay: 1\nagent: order\ntools: {}\nskeletons: {}\n', { file: 'order.yaml' });
 * assert.ok(config);
 * const states = { asking: { on: { pay: 'paid' } }, paid: { type: 'final' } } as const;
 * const machine = setup({}).createMachine({ id: 'order', initial: 'asking', states });
 * const sidecar = await attach(machine, withTelemetry({ run: 'order-1', config }));
 * sidecar.actor.start();
 * sidecar.actor.send({ type: 'pay' });
 * await sidecar.finished();
 * await sidecar.close();
 * const names = exporter.getFinishedSpans().map(({ name }) => name);
 * assert.deepEqual(names, ['invoke_agent order', 'step asking', 'step paid', 'end done']);
 */
export function withTelemetry<TOptions extends { readonly run: string }>(
  options: TOptions,
  telemetry: TelemetryOptions = {},
): TOptions {
  const run = shape<{ readonly run: string }>('the options of a run', { run: NAME });
  refuseOther('withTelemetry', { options: [options, run], telemetry: [telemetry, TELEMETRY_OPTIONS] });
  const { values = false, tracer = trace.getTracer(SCOPE), meter = metrics.getMeter(SCOPE) } = telemetry;
  return { ...options, [OBSERVER]: new RunTelemetry({ tracer, instruments: Instruments.of(meter), values }) };
}

/** The options, as they are held against what is given. */
const TELEMETRY_OPTIONS = shape<TelemetryOptions>('an object', {
  values: optional(FLAG),
  tracer: optional(having('a tracer of OpenTelemetry', 'startSpan')),
  meter: optional(having('a meter of OpenTelemetry', 'createCounter')),
});

/**
 * Observes a store with two gauges, the runs that need a person and the age of the oldest of their waits, from the notes of all of its runs: one process
 * observes it for all. A store that does not answer is observed the next time.
 * @returns a function that ends it.
 * @example
 * import { memoryStore } from 'belay-sidecar';
 * import { observeWaiting } from 'belay-sidecar/otel';
 *
 * const store = memoryStore();
 * const end = observeWaiting(store);
 * end();
 * await store.close();
 */
export function observeWaiting(
  store: { runs(): Runs | Promise<Runs> },
  options: { readonly meter?: Meter } = {},
): () => void {
  refuseOther('observeWaiting', { store: [store, LISTED], options: [options, METERED] });
  const { meter = metrics.getMeter(SCOPE) } = options;
  const gauge = (of: (typeof GAUGES)[keyof typeof GAUGES]) => meter.createObservableGauge(of.name, of);
  const [runs, age] = [gauge(GAUGES.waiting), gauge(GAUGES.oldest)];
  const owed = (['open', 'overdue', 'broken'] as const).map((of) => [of, gauge(GAUGES[of])] as const);
  const all = [runs, age, ...owed.map(([, each]) => each)];
  const observe = async (result: BatchObservableResult): Promise<void> => {
    const found = runsWaiting(await store.runs(), Date.now());
    result.observe(runs, found.count);
    result.observe(age, found.oldest);
    for (const [of, each] of owed) result.observe(each, found.owed[of]);
  };
  meter.addBatchObservableCallback(observe, all);
  return () => meter.removeBatchObservableCallback(observe, all);
}

const LISTED = having('a store that lists its runs', 'runs');
const METERED = shape<{ readonly meter?: Meter }>('an object', {
  meter: optional(having('a meter of OpenTelemetry', 'createObservableGauge')),
});

/** The runs of a store, as far as the gauges read them. */
type Runs = Iterable<{ readonly note?: string }>;
