/** Histories in one sentence an event, and decisions in one word a move or a veto. */
import type { Decision, Rules } from '../../src/model/decision.ts';
import { parseKey } from '../../src/model/key.ts';
import { decide } from '../../src/recovery/decide.ts';
import { vetoes as told } from '../../src/recovery/vetoes.ts';
import type { WrittenEvent } from './oracle.ts';
import { historyOf } from './written.ts';

export const line: Rules = { policy: 'line', joint: 'none' };

/** `enter A`, `read A k`, `write A k`, `blind A k`, `append A k`, `commit A`, `exit A`, `outcome A`, `effect A class status [id]`. */
export function story(...sentences: string[]): WrittenEvent[] {
  return sentences.map((sentence): WrittenEvent => {
    const [verb, who, ...rest] = sentence.split(' ') as [string, string, ...string[]];
    const where = { in: ['S', who, 0] as [string, string, number] };
    const [first = '', second = '', id] = rest;
    switch (verb) {
      case 'enter':
        return { do: 'enter', ...where, ...(first !== '' && { by: ['S', first, 0] }) };
      case 'read':
        return { do: 'read', ...where, key: first };
      case 'effect':
        return { do: 'effect', ...where, class: first, status: second, ...(id !== undefined && { id }) };
      case 'commit':
      case 'exit':
      case 'outcome':
        return { do: 'boundary', ...where, kind: verb };
      default:
        return { do: 'write', ...where, key: first, ...(verb !== 'write' && { [verb]: true }) };
    }
  });
}

export function ask(events: WrittenEvent[], who: string, rules: Rules = line, key?: string): Decision {
  const failure = { in: { skeleton: 'S', entity: who, ordinal: 0 }, key: key === undefined ? null : parseKey(key) };
  return decide(historyOf(events), failure, rules);
}

/** What moves, by entity: `A entry@1`, `B none`. */
export function moves(decision: Decision): string[] | null {
  return (
    decision.line?.moves.map(({ instance, keep }) => {
      return `${instance.entity} ${keep === 'none' ? keep : `${keep.kind}@${keep.at}`}`;
    }) ?? null
  );
}

/** The vetoes as `candidate code witness`. */
export function vetoes(decision: Decision): string[] {
  return [...told(decision)].map((veto) => {
    const place = veto.candidate === null ? '-' : `${veto.candidate.kind}@${veto.candidate.at}`;
    if ('dependence' in veto) return `${place} ${veto.code} ${veto.dependence.consumer.entity}`;
    return `${place} ${veto.code} ${'effect' in veto ? `effect@${veto.effect.at}` : veto.instance?.entity}`;
  });
}

export const enterAll = ['enter A', 'enter B', 'enter C'];
