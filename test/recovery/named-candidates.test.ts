/** The histories that people argue about, of effects and of the checkpoints that are tried. */
import { describe, expect, test } from 'vitest';
import { vetoes as told } from '../../src/recovery/vetoes.ts';
import { ask, line, moves, story, vetoes } from './stories.ts';

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
