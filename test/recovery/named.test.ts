/** The histories that people argue about, one sentence each. */
import { describe, expect, test } from 'vitest';
import { History } from '../../src/history/history.ts';
import type { Decision, Rules } from '../../src/model/decision.ts';
import { type InstanceId, instanceName } from '../../src/model/instance.ts';
import { parseKey } from '../../src/model/key.ts';
import { decide } from '../../src/recovery/decide.ts';
import { vetoes as told } from '../../src/recovery/vetoes.ts';
import type { WrittenEvent } from './oracle.ts';
import { historyOf } from './written.ts';

const line: Rules = { policy: 'line', joint: 'none' };

/** `enter A`, `read A k`, `write A k`, `blind A k`, `append A k`, `commit A`, `exit A`, `outcome A`, `effect A class status [id]`. */
function story(...sentences: string[]): WrittenEvent[] {
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

function ask(events: WrittenEvent[], who: string, rules: Rules = line, key?: string): Decision {
  const failure = { in: { skeleton: 'S', entity: who, ordinal: 0 }, key: key === undefined ? null : parseKey(key) };
  return decide(historyOf(events), failure, rules);
}

/** What moves, by entity: `A entry@1`, `B none`. */
function moves(decision: Decision): string[] | null {
  return (
    decision.line?.moves.map(({ instance, keep }) => {
      return `${instance.entity} ${keep === 'none' ? keep : `${keep.kind}@${keep.at}`}`;
    }) ?? null
  );
}

/** The vetoes as `candidate code witness`. */
function vetoes(decision: Decision): string[] {
  return [...told(decision)].map((veto) => {
    const place = veto.candidate === null ? '-' : `${veto.candidate.kind}@${veto.candidate.at}`;
    if ('dependence' in veto) return `${place} ${veto.code} ${veto.dependence.consumer.entity}`;
    return `${place} ${veto.code} ${'effect' in veto ? `effect@${veto.effect.at}` : veto.instance?.entity}`;
  });
}

const enterAll = ['enter A', 'enter B', 'enter C'];

describe('the counterexample to one hop: W_A a · R_B a · W_B b · R_C b · commit_C · fail A', () => {
  const events = story(...enterAll, 'write A a', 'read B a', 'write B b', 'read C b', 'commit C');

  test('dart admits A alone, although C has committed on it', () => {
    const decision = ask(events, 'A', { policy: 'dart', joint: 'none' });
    expect([decision.verdict, moves(decision)]).toEqual(['restore', ['A entry@1']]);
  });

  test('line finds C two hops away and refuses, with the joint line beside it', () => {
    const decision = ask(events, 'A');
    expect([decision.verdict, decision.line?.level]).toEqual(['rerun', 2]);
    expect(moves(decision)).toEqual(['A entry@1', 'B entry@2', 'C entry@3']);
    expect(vetoes(decision)).toEqual(['entry@1 committed_consumers_present C']);
  });

  test('line takes the joint line where the policy allows it', () => {
    const decision = ask(events, 'A', { policy: 'line', joint: 'all' });
    expect([decision.verdict, decision.line?.level, decision.refusals]).toEqual(['restore_joint', 2, []]);
  });

  test('without the commit line rolls B and C back, too: work that nobody was promised', () => {
    const decision = ask(events.slice(0, -1), 'A');
    expect([decision.verdict, decision.line?.level]).toEqual(['restore', 1]);
    expect(moves(decision)).toEqual(['A entry@1', 'B entry@2', 'C entry@3']);
  });
});

test('a collection read depends on each member: W_A slots/0/value · W_B slots/1/value · R_C slots/*/value · commit_C · fail A', () => {
  const events = story(
    ...enterAll,
    'write A slots/0/value',
    'write B slots/1/value',
    'read C slots/*/value',
    'commit C',
  );
  const decision = ask(events, 'A');
  expect(vetoes(decision)).toEqual(['entry@1 committed_consumers_present C']);
  expect(moves(decision)).toEqual(['A entry@1', 'C entry@3']);
});

describe('the domino history: A and B answer each other without end', () => {
  const rounds = [1, 2, 3, 4].flatMap((n) => [`write A a${n}`, `read B a${n}`, `write B b${n}`, `read A b${n}`]);

  test('without checkpoints in between the last failure of A rolls both back to their entries', () => {
    const decision = ask(story('enter A', 'enter B', ...rounds), 'A');
    expect(moves(decision)).toEqual(['A entry@1', 'B entry@2']);
  });

  test('a checkpoint that rests on nothing undone stops the fall', () => {
    const events = story(
      'enter A',
      'enter B',
      'write B b0',
      'read A b0',
      'outcome B',
      'write A a1',
      'read B a1',
      'outcome A',
      'write B b1',
      'read A b1',
    );
    expect(moves(ask(events, 'A'))).toEqual(['A outcome@8']);
    expect(moves(ask(events, 'B'))).toEqual(['B outcome@5', 'A outcome@8']);
  });

  test('a checkpoint that itself rests on what is undone does not stop the fall', () => {
    const events = story('enter A', 'enter B', 'write A a', 'read B a', 'outcome B', 'write B b', 'read A b');
    expect(moves(ask(events, 'B'))).toEqual(['B entry@2', 'A entry@1']);
    expect(moves(ask(events, 'A'))).toEqual(['A entry@1', 'B entry@2']);
  });

  test('with checkpoints at bad moments the last failure fells twenty thousand rounds, without recursion', () => {
    const history = new History();
    const [a, b] = ['A', 'B'].map((entity) => ({ skeleton: 'S', entity, ordinal: 0 })) as [InstanceId, InstanceId];
    for (const id of [a, b]) history.apply({ do: 'enter', in: id, by: null });
    for (let n = 0; n < 20_000; n += 1) {
      const [question, answer] = [parseKey(`question/${n}`), parseKey(`answer/${n}`)];
      history.apply({ do: 'write', in: a, key: question, mode: 'update' });
      history.apply({ do: 'read', in: b, key: question });
      history.apply({ do: 'boundary', in: b, kind: 'outcome' });
      history.apply({ do: 'write', in: b, key: answer, mode: 'update' });
      history.apply({ do: 'read', in: a, key: answer });
      history.apply({ do: 'boundary', in: a, kind: 'outcome' });
    }
    // Each checkpoint rests on the round before it: the last question was wrong, and round by round all of them go.
    const decision = decide(history, { in: a, key: parseKey('question/19999') });
    expect(moves(decision)).toEqual(['A entry@1', 'B entry@2']);
  });
});

describe('effects', () => {
  test('a checkpoint right after an uncrossable effect clears its floor', () => {
    const before = story('enter A', 'effect A irreversible confirmed');
    expect([ask(before, 'A').verdict, vetoes(ask(before, 'A'))]).toEqual([
      'escalate',
      ['entry@1 irreversible_effect_policy effect@2'],
    ]);
    for (const kind of ['commit', 'outcome']) {
      const decision = ask([...before, ...story(`${kind} A`)], 'A');
      expect([decision.verdict, moves(decision)]).toEqual(['restore', [`A ${kind}@3`]]);
      expect(vetoes(decision)).toEqual(['entry@1 irreversible_effect_policy effect@2']);
    }
  });

  test('an unknown idempotent effect does not block', () => {
    const decision = ask(story('enter A', 'effect A idempotent unknown'), 'A');
    expect([decision.verdict, vetoes(decision)]).toEqual(['restore', []]);
  });

  test('an unknown reversible effect does', () => {
    const decision = ask(story('enter A', 'effect A reversible unknown'), 'A');
    expect([decision.verdict, vetoes(decision)]).toEqual(['escalate', ['entry@1 effect_outcome_unknown effect@2']]);
  });

  test('the effect of a consumer is a floor, too', () => {
    const events = story('enter A', 'enter B', 'write A a', 'read B a', 'effect B irreversible confirmed');
    expect(vetoes(ask(events, 'A'))).toEqual(['entry@1 irreversible_effect_policy effect@5']);
  });

  test('of several instances are reported in the order of their intents', () => {
    const events = story(
      ...['enter A', 'enter B', 'write A a', 'read B a'],
      ...['effect B irreversible confirmed', 'effect A irreversible unknown', 'effect B reversible confirmed'],
    );
    expect(vetoes(ask(events, 'A'))).toEqual([
      'entry@1 irreversible_effect_policy effect@5',
      'entry@1 effect_outcome_unknown effect@6',
      'entry@1 compensation_missing effect@7',
    ]);
  });

  test('news of an effect changes what is known of it, not its place', () => {
    const events = story(
      'enter A',
      'effect A irreversible buffered e',
      'commit A',
      'effect A irreversible confirmed e',
    );
    const decision = ask(events, 'A');
    expect([decision.verdict, moves(decision)]).toEqual(['restore', ['A commit@3']]);
    expect(vetoes(decision)).toEqual(['entry@1 irreversible_effect_policy effect@2']);
  });

  test('an effect of a bystander forbids the rerun and not the restore', () => {
    const events = story('enter A', 'enter B', 'effect B irreversible confirmed', 'write A a');
    expect(ask(events, 'A').verdict).toBe('restore');
    const abstained = ask(events, 'A', line, 'b');
    expect([abstained.verdict, vetoes(abstained)]).toEqual(['escalate', ['- ambiguous_instance A']]);
  });
});

describe('candidates', () => {
  test('an exit counts as committed, is no position, and says so', () => {
    const events = story('enter A', 'write A a', 'exit A', 'enter B', 'read B a', 'exit B');
    const decision = ask(events, 'A');
    expect(vetoes(decision)).toEqual(['exit@3 exit_not_restorable A', 'entry@1 committed_consumers_present B']);
    expect(moves(decision)).toEqual(['A entry@1', 'B entry@4']);
  });

  test('with a suspect only checkpoints before its first suspect write are tried', () => {
    const events = story('enter A', 'commit A', 'write A a', 'commit A', 'write A a', 'write A b', 'exit A');
    expect(moves(ask(events, 'A', line, 'a'))).toEqual(['A commit@2']);
    expect(moves(ask(events, 'A', line, 'b'))).toEqual(['A commit@4']);
    expect(moves(ask(events, 'A', line, '**'))).toEqual(['A commit@2']);
    expect(vetoes(ask(events, 'A', line, 'a'))).toEqual([]);
  });

  test('a committed instance that fails does not raise the level by its own commits', () => {
    const decision = ask(story('enter A', 'write A a', 'commit A'), 'A', line, 'a');
    expect([decision.verdict, decision.line?.level]).toEqual(['restore', 0]);
  });

  test('a suspicion of a write that never happened names nobody', () => {
    const decision = ask(story('enter A', 'write A a'), 'A', line, 'b');
    expect([...told(decision)]).toEqual([
      {
        code: 'ambiguous_instance',
        candidate: null,
        instance: { skeleton: 'S', entity: 'A', ordinal: 0 },
        key: 'b',
        why: 'never_wrote',
      },
    ]);
  });

  test('an instance that was never entered is nobody', () => {
    const decision = ask(story('enter A'), 'B');
    expect([decision.verdict, decision.line, vetoes(decision)]).toEqual(['rerun', null, ['- ambiguous_instance B']]);
    expect([...told(decision)]).toMatchObject([{ why: 'never_entered', key: null }]);
  });
});

test('a consumer that an older candidate moves further is one reason, not two', () => {
  const events = story(
    ...['enter A', 'enter B', 'write A a', 'read B a', 'commit B'],
    ...['commit A', 'write A b', 'read B b', 'commit B'],
  );
  expect(vetoes(ask(events, 'A'))).toEqual([
    'commit@6 committed_consumers_present B',
    'entry@1 committed_consumers_present B',
  ]);
});

describe('starts', () => {
  test('undoing a start undoes the started instance, inputs and all, and it may have committed', () => {
    const events = story('enter A', 'enter B A', 'write B b', 'commit B');
    const decision = ask(events, 'A');
    expect([decision.verdict, moves(decision)]).toEqual(['rerun', ['A entry@1', 'B none']]);
    expect(vetoes(decision)).toEqual(['entry@1 committed_consumers_present B']);
  });

  test('mere succession is no dependency', () => {
    expect(moves(ask(story('enter A', 'exit A', 'enter B', 'write B b'), 'A'))).toEqual(['A entry@1']);
  });

  test('a started instance that fails may itself fall to nothing, since it will be started again', () => {
    const events = story('enter A', 'enter B A', 'write B b', 'read A b');
    expect(moves(ask(events, 'B'))).toEqual(['B none', 'A entry@1']);
  });

  test('static undoes the start of a failed instance whose starter it reaches', () => {
    const events = story('enter A', 'enter B A', 'write B b', 'read A b');
    expect(moves(ask(events, 'B', { policy: 'static', joint: 'none' }))).toEqual(['A entry@1', 'B none']);
  });
});

describe('of several reasons the first is the witness', () => {
  const events = story('enter A', 'enter B', 'write A a', 'write A b', 'read B a', 'read B b', 'read B a', 'commit B');
  test.each(['line', 'static', 'dart'] as const)('under the policy %s', (policy) => {
    const [veto] = told(ask(events, 'A', { policy, joint: 'none' }));
    expect(veto).toMatchObject({ dependence: { write: 3, step: 5 } });
  });

  test('and what it forces, the cause of the move', () => {
    const [, move] = ask(events, 'A').line?.moves ?? [];
    expect(move).toMatchObject({ instance: { entity: 'B' }, cause: { write: 3, step: 5 } });
  });

  test('a start is one, and static names it', () => {
    const started = story('enter A', 'enter B A', 'commit B');
    const [veto] = told(ask(started, 'A', { policy: 'static', joint: 'none' }));
    const [producer, consumer] = ['A', 'B'].map((entity) => ({ skeleton: 'S', entity, ordinal: 0 }));
    expect(veto).toMatchObject({ dependence: { kind: 'start', producer, consumer, step: 2 } });
  });
});

test('without rules the policy is line, and no commitment of others is crossed', () => {
  const events = story('enter A', 'write A a', 'enter B', 'read B a', 'commit B');
  const history = historyOf(events);
  const failure = { in: { skeleton: 'S', entity: 'A', ordinal: 0 }, key: null };
  expect(decide(history, failure)).toEqual(decide(history, failure, line));
  expect(decide(history, failure).policy).toBe('line');
  expect(decide(history, failure).verdict).toBe('rerun');
});

test('the names in a decision are the identities that were given', () => {
  const decision = ask(story('enter A'), 'A');
  expect(decision.failed && instanceName(decision.failed)).toBe('S::A::0');
});
