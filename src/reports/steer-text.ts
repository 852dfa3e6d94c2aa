/** The reasons against an act on an event, in words (semantics.md ST7). */
import type { Decision } from '../model/decision.ts';
import { type Effect, isOpen } from '../model/effect.ts';
import { instanceName } from '../model/instance.ts';
import type { Veto } from '../model/veto.ts';
import { effectName } from '../recovery/explain.ts';
import { vetoes } from '../recovery/vetoes.ts';

/** The reasons why nothing goes back for an act on an event. */
export function blockedText(decision: Decision): string {
  const texts = new Set([...vetoes(decision)].map(reasonText));
  if (texts.size === 0) return 'no_such_past: the run cannot be put back to where it received the event';
  return [...texts].join('; ');
}

/** The reason why an event that waits is neither another one nor none: acts that its receipt had led to would stand without it. */
export function waitingText(left: readonly Effect[]): string {
  const code = left.some(({ status }) => isOpen(status)) ? 'effect_outcome_unknown' : 'unclaimed_effect';
  const names = left.map((effect) => effectName(effect)).join(', ');
  return `${code}: ${names} would stand without its cause; confirm the event first, then change it${byHand(left)}`;
}

/** The way on by hand, where all of the effects are known to stand. */
function byHand(left: readonly Effect[]): string {
  const keys = left.map(({ id, status }) => (isOpen(status) ? null : id));
  return keys.includes(null) ? '' : `; or undo it by hand, and name its key with the act (--undone): ${keys.join(' ')}`;
}

function reasonText(veto: Veto): string {
  if ('effect' in veto && veto.effect !== null && typeof veto.effect === 'object')
    return `${veto.code}: ${effectName(veto.effect)} would stand without its cause${byHand([veto.effect])}`;
  if ('dependence' in veto)
    return `${veto.code}: ${instanceName(veto.dependence.consumer)} has promised what rests on it`;
  return veto.code;
}
