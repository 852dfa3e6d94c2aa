/** The histories of dependence that people argue about, one sentence each. */
import { describe, expect, test } from 'vitest';
import { History } from '../../src/history/history.ts';
import { type InstanceId, instanceName } from '../../src/model/instance.ts';
import { parseKey } from '../../src/model/key.ts';
import { decide } from '../../src/recovery/decide.ts';
import { vetoes as told } from '../../src/recovery/vetoes.ts';
import { ask, enterAll, line, moves, story, vetoes } from './stories.ts';
import { historyOf } from './written.ts';

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
