/** The metrics of Belay: one list for all exporters, and the amount that a happening adds to each. */
import type { Happening } from './happening.ts';

/** A metric: OpenTelemetry's name, unit and description. */
export interface Metric {
  readonly name: string;
  readonly instrument: 'counter' | 'histogram';
  /** In UCUM: `{call}` counts calls, `s` are seconds. */
  readonly unit: string;
  readonly description: string;
  /** The names of its attributes. All of them have few values. */
  readonly attributes: readonly string[];
}

/** Every metric, by a short name. */
export const METRICS = {
  runs: metric('belay.runs', 'counter', '{run}', 'Runs that were begun, resumed and ended', ['belay.run.event']),
  steps: metric('belay.steps', 'counter', '{step}', 'Steps that were journaled', []),
  boundaries: metric('belay.boundaries', 'counter', '{boundary}', 'Boundaries that were certified', []),
  calls: metric('belay.calls', 'counter', '{call}', 'Calls of tools that were made, by their outcome', [
    'gen_ai.tool.name',
    'belay.effect.class',
    'belay.call.outcome',
  ]),
  duration: metric('belay.call.duration', 'histogram', 's', 'Time from the leaving of a call to its outcome', [
    'gen_ai.tool.name',
    'belay.call.outcome',
  ]),
  outcomes: metric('belay.outcomes', 'counter', '{outcome}', 'Outcomes of calls that became known afterwards', [
    'gen_ai.tool.name',
    'belay.call.outcome',
  ]),
  decisions: metric('belay.decisions', 'counter', '{decision}', 'Decisions about failures, by their verdict', [
    'belay.decision.verdict',
    'belay.signal',
  ]),
  refusals: metric(
    'belay.refusals',
    'counter',
    '{refusal}',
    'Reasons in decisions against a checkpoint, by their code',
    ['belay.refusal.code'],
  ),
  restores: metric('belay.restores', 'counter', '{restore}', 'Restores that were carried out', []),
  stuck: metric('belay.stuck', 'counter', '{undo}', 'Undos that failed and wait for a person', ['gen_ai.tool.name']),
  questions: metric('belay.questions', 'counter', '{question}', 'Questions that a person was asked', [
    'belay.question.about',
  ]),
  answers: metric('belay.answers', 'counter', '{answer}', 'Answers of people, by their verdict', [
    'belay.question.about',
    'belay.answer.verdict',
  ]),
  findings: metric('belay.findings', 'counter', '{finding}', 'Findings that a person should know of, by their code', [
    'belay.finding.code',
  ]),
} as const;

function metric(
  name: string,
  instrument: Metric['instrument'],
  unit: string,
  description: string,
  attributes: readonly string[],
): Metric {
  return { name, instrument, unit, description, attributes: ['gen_ai.agent.name', ...attributes] };
}

/** The gauges of a store, by a short name: of all of its runs, whatever process has them. */
export const GAUGES = {
  waiting: { name: 'belay.runs.waiting', unit: '{run}', description: 'Runs that need a person' },
  open: { name: 'belay.obligations.open', unit: '{obligation}', description: 'Obligations that are owed' },
  overdue: { name: 'belay.obligations.overdue', unit: '{obligation}', description: 'Owed obligations that were due' },
  broken: { name: 'belay.obligations.broken', unit: '{obligation}', description: 'Obligations that are not kept' },
  oldest: { name: 'belay.runs.waiting.age', unit: 's', description: 'Age of the oldest wait for a person' },
} as const;

/** An amount that is added to a metric, or a value that is recorded by it. */
export interface Measurement {
  readonly metric: Metric;
  readonly value: number;
  /** All but the agent's name, which the exporter adds. */
  readonly attributes: Readonly<Record<string, string>>;
}

/** The measurements that a happening comes to. */
export function measurementsOf(happening: Happening): Measurement[] {
  switch (happening.is) {
    case 'begun':
    case 'resumed':
    case 'ended':
      return [one(METRICS.runs, { 'belay.run.event': happening.is })];
    case 'stepped': {
      const { length } = happening.boundaries;
      return [one(METRICS.steps, {}), ...(length === 0 ? [] : [{ ...one(METRICS.boundaries, {}), value: length }])];
    }
    case 'called': {
      const of = { 'gen_ai.tool.name': happening.tool, 'belay.call.outcome': happening.outcome };
      return [
        one(METRICS.calls, { ...of, 'belay.effect.class': happening.class }),
        { metric: METRICS.duration, value: happening.seconds, attributes: of },
      ];
    }
    case 'settled':
      return [one(METRICS.outcomes, { 'gen_ai.tool.name': happening.tool, 'belay.call.outcome': happening.outcome })];
    case 'decided': {
      const of = { 'belay.decision.verdict': happening.verdict, 'belay.signal': happening.signal };
      const refusals = happening.refusals.map((code) => one(METRICS.refusals, { 'belay.refusal.code': code }));
      return [one(METRICS.decisions, of), ...refusals];
    }
    case 'restored':
      return [one(METRICS.restores, {})];
    case 'stuck':
      return [one(METRICS.stuck, happening.tool === null ? {} : { 'gen_ai.tool.name': happening.tool })];
    case 'asked':
      return [one(METRICS.questions, { 'belay.question.about': happening.about })];
    case 'answered': {
      const of = { 'belay.question.about': happening.about, 'belay.answer.verdict': happening.verdict };
      return [one(METRICS.answers, of)];
    }
    case 'found':
      return [one(METRICS.findings, { 'belay.finding.code': happening.code })];
  }
}

function one(of: Metric, attributes: Readonly<Record<string, string>>): Measurement {
  return { metric: of, value: 1, attributes };
}
