/** The list of metrics as instruments of a meter. */
import type { Attributes, Counter, Histogram, Meter } from '@opentelemetry/api';
import { METRICS, type Measurement, type Metric } from '../reports/metrics.ts';

const KNOWN = new WeakMap<Meter, Instruments>();

/** The instruments of a meter, one for each metric. */
export class Instruments {
  readonly #counters = new Map<Metric, Counter>();
  readonly #histograms = new Map<Metric, Histogram>();

  /** The instruments of a meter: many runs share them. */
  static of(meter: Meter): Instruments {
    const known = KNOWN.get(meter) ?? new Instruments(meter);
    KNOWN.set(meter, known);
    return known;
  }

  private constructor(meter: Meter) {
    for (const metric of Object.values<Metric>(METRICS)) {
      const { name, instrument, unit, description } = metric;
      if (instrument === 'counter') this.#counters.set(metric, meter.createCounter(name, { unit, description }));
      else this.#histograms.set(metric, meter.createHistogram(name, { unit, description }));
    }
  }

  /** Adds measurements to their metrics, each with attributes that all have. */
  measure(all: readonly Measurement[], shared: Attributes): void {
    for (const { metric, value, attributes } of all) {
      const of = { ...shared, ...attributes };
      this.#counters.get(metric)?.add(value, of);
      this.#histograms.get(metric)?.record(value, of);
    }
  }
}
