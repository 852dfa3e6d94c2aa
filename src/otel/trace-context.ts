/** The stored place of a run in a trace, in the words of W3C Trace Context, to and from a span's context. */
import { createTraceState, isSpanContextValid, type SpanContext } from '@opentelemetry/api';
import type { TraceContext } from '../model/entry.ts';

const PARENT = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/;

/** The stored form of a span's context; null where it names no span. */
export function stored(context: SpanContext): TraceContext | null {
  if (!isSpanContextValid(context)) return null;
  const { traceId, spanId, traceFlags, traceState } = context;
  const state = traceState?.serialize() ?? '';
  const flags = (traceFlags & 0xff).toString(16).padStart(2, '0');
  return { parent: `00-${traceId}-${spanId}-${flags}`, ...(state !== '' && { state }) };
}

/** The context of a span, from a journal; null where what stands there is none. A journal believes nothing it reads. */
export function spanContextOf(trace: TraceContext | null): SpanContext | null {
  const { parent, state } = (trace ?? {}) as { readonly parent?: unknown; readonly state?: unknown };
  const found = typeof parent === 'string' ? PARENT.exec(parent) : null;
  if (found === null) return null;
  const [, traceId, spanId, flags] = found as unknown as readonly [string, string, string, string];
  const context: SpanContext = {
    traceId,
    spanId,
    traceFlags: Number.parseInt(flags, 16),
    isRemote: true,
    ...(typeof state === 'string' && { traceState: createTraceState(state) }),
  };
  return isSpanContextValid(context) ? context : null;
}
