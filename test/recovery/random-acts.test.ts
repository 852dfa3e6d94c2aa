/** The acts that a refusal names, done in random histories: they lead where they say, and no fewer lead better. */
import { describe, expect, test } from 'vitest';
import type { Act } from '../../src/model/decision.ts';
import type { Effect } from '../../src/model/effect.ts';
import type { InstanceId } from '../../src/model/instance.ts';
import { parseKey } from '../../src/model/key.ts';
import { decide } from '../../src/recovery/decide.ts';
import type { SeenEffect, WrittenEvent } from './oracle.ts';
import { forQuestions } from './questions.ts';
import { historyOf } from './written.ts';

describe('the acts that would unblock a refusal', () => {
  const better = { escalate: ['restore', 'restore_joint', 'rerun'], rerun: ['restore', 'restore_joint'] };

  /** What the world tells once the acts are done, as later lines about the same effects. */
  function news(effect: Effect, act: Act['act']): WrittenEvent {
    const { skeleton, entity, ordinal } = effect.instance;
    const done = { settle_outcome: 'failed', undo_by_hand: 'compensated', register_undo: effect.status } as Record<
      string,
      string
    >;
    return {
      do: 'effect',
      in: [skeleton, entity, ordinal],
      id: effect.id as string,
      class: effect.class,
      status: done[act] as string,
      ...(act === 'register_undo' && { undo: true }),
    };
  }

  function clearing(effect: SeenEffect): Act['act'] {
    if (effect.status !== 'confirmed') return 'settle_outcome';
    return effect.class === 'irreversible' ? 'undo_by_hand' : 'register_undo';
  }

  const rules = (['line', 'static', 'dart'] as const).flatMap((policy) => {
    return [{ policy, joint: 'none' } as const, { policy, joint: 'all' } as const];
  });

  test.each(rules)(
    'lead where they say, and no fewer acts lead anywhere better (policy $policy, joint $joint)',
    ({ policy, joint }) => {
      forQuestions((question) => {
        const refusal = question.ask({ policy, joint });
        if (!('unblock' in refusal)) return;
        const { acts, leadsTo } = refusal.unblock;
        if (leadsTo === 'ask_again') {
          expect(question.suspectAt).toBe(0);
          expect(acts).toEqual([{ act: 'name_suspect', why: 'never_wrote' }]);
          return;
        }
        const failure = {
          in: refusal.failed as InstanceId,
          key: question.suspect === undefined ? null : parseKey(question.suspect),
        };
        const verdictAfter = (clear: WrittenEvent[], allow: boolean) => {
          const history = historyOf([...question.events, ...clear]);
          return decide(history, failure, { policy, joint: allow ? 'all' : joint }).verdict;
        };
        const cleared = acts.flatMap((act) => ('effect' in act ? [news(act.effect, act.act)] : []));
        const allowed = acts.some((act) => act.act === 'allow_joint');
        if (joint === 'all') expect(allowed).toBe(false);
        expect(verdictAfter(cleared, allowed)).toBe(leadsTo);

        const choices = question.known.blocking.slice(0, 5).map((effect) => {
          const recorded = question.history.effects.blocking().find((other) => other.at === effect.at) as Effect;
          return news(recorded, clearing(effect));
        });
        for (let set = 0; set < 2 ** (choices.length + 1); set += 1) {
          const chosen = choices.filter((_, i) => (set >> (i + 1)) & 1);
          const size = chosen.length + (set & 1);
          if (size >= acts.length) continue;
          expect(better[refusal.verdict]).not.toContain(verdictAfter(chosen, (set & 1) === 1));
        }
      });
    },
  );
});
