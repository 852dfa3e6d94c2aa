/** Happenings as spans: a name that takes few values, and attributes. */
import type { Attributes } from '@opentelemetry/api';
import type { Happening } from '../reports/happening.ts';
import { ATTRIBUTES, OPERATIONS } from './conventions.ts';

/** A span before it is made. `error` is the type of the error that it ended with; null for none. */
export interface SpanShape {
  readonly name: string;
  readonly attributes: Attributes;
  readonly error: string | null;
}

/** The longest name, and the longest text that a machine or a sender has chosen. */
const LONGEST = 200;

/** The amount that is told of a run. */
export interface Telling {
  /** True where arguments, outputs, instances, texts of errors and names of people are told. */
  readonly values: boolean;
}

/** The span of a happening. */
export function spanOf(happening: Happening, { values }: Telling): SpanShape {
  const { name, attributes, error = null } = shapeOf(happening);
  const own = values ? { ...attributes, ...valuesOf(happening) } : attributes;
  const errors = error === null ? {} : { [ATTRIBUTES.errorType]: error };
  return { name: cut(name), attributes: { ...own, ...errors }, error };
}

function valuesOf(happening: Happening): Attributes {
  const { instances, args, output, error, by, why } = happening.values();
  return {
    ...(instances !== undefined && { 'belay.instances': [...instances] }),
    ...(args !== undefined && { [ATTRIBUTES.arguments]: args }),
    ...(output !== undefined && { [ATTRIBUTES.result]: output }),
    ...(error !== undefined && { 'belay.error': error }),
    ...(by !== undefined && { 'belay.answer.by': by }),
    ...(why !== undefined && { 'belay.why': why }),
  };
}

function shapeOf(happening: Happening): Omit<SpanShape, 'error'> & { readonly error?: string | null } {
  switch (happening.is) {
    case 'begun':
      return {
        name: `invoke_agent ${happening.agent}`,
        attributes: { [ATTRIBUTES.operation]: OPERATIONS.invokeAgent },
      };
    case 'resumed':
      return { name: `resume ${happening.agent}`, attributes: {} };
    case 'stepped': {
      const { state, event, outside, machine, skeletons, boundaries } = happening;
      const of = { 'belay.state': cut(state), 'belay.event': cut(event), 'belay.event.outside': outside };
      const more = { ...(machine !== null && { 'belay.machine': cut(machine) }), ...listed(skeletons) };
      const certified = boundaries.length === 0 ? {} : { 'belay.boundaries': [...boundaries] };
      return { name: `step ${state}`, attributes: { ...of, ...more, ...certified } };
    }
    case 'called':
      return calledShape(happening);
    case 'settled': {
      const { tool, key, outcome, skeleton } = happening;
      const attributes = { ...ofCall(tool, happening.class, key), 'belay.call.outcome': outcome, ...listed(skeleton) };
      return { name: `outcome ${tool}`, attributes };
    }
    case 'decided':
      return decidedShape(happening);
    case 'restored':
      return { name: 'restore', attributes: { ...listed(happening.skeletons), 'belay.aside': happening.aside } };
    case 'stuck':
      return { name: 'stuck', attributes: ofTool(happening.tool), error: 'undo_failed' };
    case 'asked': {
      const { about, tool, key } = happening;
      const attributes = { 'belay.question.about': about, [ATTRIBUTES.call]: key, ...ofTool(tool) };
      return { name: `ask ${about}`, attributes };
    }
    case 'answered': {
      const { about, tool, key, verdict } = happening;
      const of = { 'belay.question.about': about, 'belay.answer.verdict': verdict };
      return { name: `answer ${verdict}`, attributes: { ...of, [ATTRIBUTES.call]: key, ...ofTool(tool) } };
    }
    case 'found': {
      const { code, skeleton } = happening;
      return { name: `finding ${code}`, attributes: { 'belay.finding.code': code, ...listed(skeleton) } };
    }
    case 'ended':
      return { name: `end ${happening.status}`, attributes: { 'belay.status': happening.status } };
  }
}

function calledShape(call: Extract<Happening, { is: 'called' }>): ReturnType<typeof shapeOf> {
  const { tool, key, outcome, signal, skeleton } = call;
  const attributes = {
    [ATTRIBUTES.operation]: OPERATIONS.executeTool,
    ...ofCall(tool, call.class, key),
    'belay.call.outcome': outcome,
    ...listed(skeleton),
  };
  const isError = signal !== null || outcome === 'failed' || outcome === 'unknown';
  return { name: `${OPERATIONS.executeTool} ${tool}`, attributes, error: isError ? (signal ?? outcome) : null };
}

function decidedShape(decided: Extract<Happening, { is: 'decided' }>): ReturnType<typeof shapeOf> {
  const { verdict, signal, policy, level, skeleton, refusals, moved, aside, undone } = decided;
  const attributes = {
    'belay.decision.verdict': verdict,
    'belay.signal': signal,
    'belay.policy': policy,
    ...(level !== null && { 'belay.decision.level': level }),
    ...(refusals.length > 0 && { 'belay.refusal.codes': [...refusals] }),
    'belay.moved': moved,
    'belay.aside': aside,
    'belay.undone': undone,
    ...listed(skeleton),
  };
  return { name: `decide ${verdict}`, attributes };
}

function ofCall(tool: string, kind: string, key: string | null): Attributes {
  return { ...ofTool(tool), 'belay.effect.class': kind, ...(key !== null && { [ATTRIBUTES.call]: key }) };
}

function ofTool(tool: string | null): Attributes {
  return tool === null ? {} : { [ATTRIBUTES.tool]: tool };
}

function listed(skeletons: string | null | readonly string[]): Attributes {
  const all = typeof skeletons === 'string' ? [skeletons] : (skeletons ?? []);
  return all.length === 0 ? {} : { 'belay.skeletons': [...all] };
}

function cut(text: string): string {
  return text.length > LONGEST ? `${text.slice(0, LONGEST).toWellFormed()}...` : text;
}
