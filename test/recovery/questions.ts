/** Random histories with a failure each, in the terms of the decision and of the oracle. */
import fc from 'fast-check';
import { expect } from 'vitest';
import type { History } from '../../src/history/history.ts';
import type { Decision, Rules } from '../../src/model/decision.ts';
import type { InstanceId } from '../../src/model/instance.ts';
import { parseKey } from '../../src/model/key.ts';
import type { Dependence } from '../../src/model/veto.ts';
import { decide } from '../../src/recovery/decide.ts';
import { vetoes } from '../../src/recovery/vetoes.ts';
import { type Line, type Name, Oracle, type SeenEffect, type WrittenEvent } from './oracle.ts';
import { positions } from './sweep.ts';
import { histories, historyOf, keys } from './written.ts';

const RUNS = { numRuns: Number(process.env.BELAY_RUNS ?? 3_000) };

/** A failure of a random history, in the terms of both sides. */
export interface Question {
  events: WrittenEvent[];
  history: History;
  known: Oracle;
  failed: number;
  suspect: string | undefined;
  /** The number of the first suspect write; Infinity where none is suspected, 0 where it never happened. */
  suspectAt: number;
  ask: (rules: Rules) => Decision;
  line: (decision: Decision) => number[] | null;
  indexOf: (id: InstanceId) => number;
}

export function forQuestions(property: (question: Question) => void): void {
  const questions = fc.record({
    events: histories,
    who: fc.nat(),
    suspect: fc.option(keys, { nil: undefined, freq: 1 }),
  });
  fc.assert(
    fc.property(questions, ({ events, who, suspect }) => {
      const history = historyOf(events);
      const known = new Oracle(events, suspect === undefined ? [] : [suspect]);
      const ids = [...history.registry.all()].map(({ id }) => id);
      const failed = who % ids.length;
      const failure = { in: ids[failed] as InstanceId, key: suspect === undefined ? null : parseKey(suspect) };
      const ask = (rules: Rules) => decide(history, failure, rules);
      const indexOf = (id: InstanceId) => known.numberOf([id.skeleton, id.entity, id.ordinal]);
      const line = (decision: Decision) => positions(decision, ids.length, indexOf);
      property({
        events,
        history,
        known,
        failed,
        suspect,
        suspectAt: known.suspectAt(failed, suspect),
        ask,
        line,
        indexOf,
      });
    }),
    RUNS,
  );
}

/** The safe lines of a failure: consistent, above every floor, with the failed instance where it may stand. */
export function safeLines({ known, failed, suspectAt }: Question): Line[] {
  return known.open(known.lines(), failed, suspectAt).filter(({ crosses }) => !crosses);
}

/** The candidates, newest first: every checkpoint before the suspect write. */
export function checkpoints({ known, failed, suspectAt }: Question): { at: number; kind: string }[] {
  return (known.seen[failed]?.checkpoints ?? []).filter(({ at }) => at < suspectAt).reverse();
}

export function codeOf(effect: SeenEffect): string {
  if (effect.status !== 'confirmed') return 'effect_outcome_unknown';
  return effect.class === 'irreversible' ? 'irreversible_effect_policy' : 'compensation_missing';
}

/** A decision's vetoes, each as one comparable word. */
export function vetoWords({ indexOf }: Question, decision: Decision): string[] {
  return [...vetoes(decision)].map((veto) => {
    const place = `${veto.candidate?.at} ${veto.code}`;
    if ('effect' in veto) return `${place} ${veto.effect.at}`;
    if ('dependence' in veto) return `${place} ${indexOf(veto.dependence.consumer)}`;
    return veto.code === 'ambiguous_instance' ? veto.code : place;
  });
}

/** The dependency stands among the events: the consumer read what the producer wrote, or was started by it. */
export function expectDependence({ known, events, indexOf }: Question, cause: Dependence): void {
  const consumer = events[cause.step - 1] as WrittenEvent;
  expect(known.numberOf(consumer.in)).toBe(indexOf(cause.consumer));
  if (cause.kind === 'start') {
    expect(known.numberOf(consumer.by as Name)).toBe(indexOf(cause.producer));
    return;
  }
  if (cause.kind === 'control') throw new Error('a trace has no control');
  const producer = events[cause.write - 1] as WrittenEvent;
  expect(known.numberOf(producer.in)).toBe(indexOf(cause.producer));
  expect([producer.key, consumer.key]).toEqual([cause.wrote, cause.key]);
  expect((known.sources.get(cause.step) ?? 0) & (1 << cause.write)).not.toBe(0);
}
