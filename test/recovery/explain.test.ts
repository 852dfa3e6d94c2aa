/** What a person reads. Each sentence is part of the product, so each is written out here once. */
import { expect, test } from 'vitest';
import type { Act, Decision, JointRule, Unblock } from '../../src/model/decision.ts';
import { parseKey } from '../../src/model/key.ts';
import { decide } from '../../src/recovery/decide.ts';
import { explain, type Outline } from '../../src/recovery/explain.ts';
import type { WrittenEvent } from './oracle.ts';
import { historyOf } from './written.ts';

type Line = Omit<WrittenEvent, 'in' | 'by'> & { in: string; by?: string };

interface Asked {
  joint?: JointRule;
  key?: string;
}

function told(lines: Line[], who: string, asked: Asked = {}): string[] {
  return said(decided(lines, who, asked));
}

function said(decision: Decision): string[] {
  return flatten(explain(decision), 0);
}

function decided(lines: Line[], who: string, { joint = 'none', key }: Asked = {}): Decision {
  const written = lines.map(({ by, ...line }) => {
    return { ...line, in: ['S', line.in, 0], ...(by !== undefined && { by: ['S', by, 0] }) } as WrittenEvent;
  });
  const failure = { in: { skeleton: 'S', entity: who, ordinal: 0 }, key: key === undefined ? null : parseKey(key) };
  return decide(historyOf(written), failure, { policy: 'line', joint });
}

function flatten({ label, text, under = [] }: Outline, depth: number): string[] {
  const own = `${'  '.repeat(depth)}${label === undefined ? '' : `${label}: `}${text}`;
  return [own, ...under.flatMap((each) => flatten(each, depth + 1))];
}

const A = { in: 'A' };
const B = { in: 'B' };

test('a restore of one instance says where it goes and that nobody else moves', () => {
  expect(
    told(
      [
        { do: 'enter', ...A },
        { do: 'boundary', kind: 'commit', ...A },
      ],
      'A',
    ),
  ).toEqual(['restore (level 0): S::A::0 goes back to its commit at event 2. No other instance moves.']);
});

test('a restore that takes others along says whom, why, and what to undo first', () => {
  const lines: Line[] = [
    { do: 'enter', ...A },
    { do: 'effect', ...A, class: 'compensable', status: 'confirmed', undo: true, id: 'hold' },
    { do: 'enter', ...B, by: 'A' },
    { do: 'effect', ...B, class: 'reversible', status: 'confirmed', undo: true },
    { do: 'enter', in: 'C' },
    { do: 'write', ...A, key: 'x/1' },
    { do: 'read', in: 'C', key: 'x/*' },
    { do: 'enter', in: 'D' },
    { do: 'read', in: 'D', key: 'x/1' },
  ];
  expect(told(lines, 'A')).toEqual([
    'restore (level 1): S::A::0 goes back to its entry at event 1. It takes uncommitted work of others with it.',
    '  Rolled back with it',
    '    S::B::0 to before its start: S::A::0 started it at event 3.',
    '    S::C::0 to its entry at event 5: it read x/* at event 7, and x/1, which overlaps it, S::A::0 wrote at event 6.',
    '    S::D::0 to its entry at event 8: it read x/1 at event 9, which S::A::0 wrote at event 6.',
    '  Undo before the restore, in this order',
    '    the effect of S::B::0 (reversible, confirmed, event 4)',
    '    the effect "hold" of S::A::0 (compensable, confirmed, event 2)',
  ]);
});

test('a failed instance that others drag below its candidate says why', () => {
  const lines: Line[] = [
    { do: 'enter', ...A },
    { do: 'enter', ...B, by: 'A' },
    { do: 'write', ...B, key: 'x' },
    { do: 'read', ...A, key: 'x' },
    { do: 'boundary', ...B, kind: 'commit' },
  ];
  expect(told(lines, 'B', { key: 'x' })).toEqual([
    'restore (level 1): S::B::0 goes back to before its start. It takes uncommitted work of others with it.',
    '  Rolled back with it',
    '    S::B::0 to before its start: S::A::0 started it at event 2.',
    '    S::A::0 to its entry at event 1: it read x at event 4, which S::B::0 wrote at event 3.',
  ]);
});

test('no name reads as a sentence of ours', () => {
  const named = (name: string) => ({ in: `${name}, which is fine` });
  const lines: Line[] = [
    { do: 'enter', ...named('A') },
    { do: 'write', ...named('A'), key: 'x. All is well' },
    { do: 'enter', ...B },
    { do: 'read', ...B, key: 'x. All is well' },
    { do: 'effect', ...B, class: 'irreversible', status: 'confirmed', id: 'y" of S::A::0 (none' },
  ];
  expect(told(lines, 'A, which is fine').slice(2)).toEqual([
    '    its entry at event 1',
    '      irreversible_effect_policy: the effect "y\\" of S::A::0 (none" of S::B::0 (irreversible, confirmed, event 5) is done and cannot be taken back.',
    '  To unblock it (then the answer is restore)',
    '    Undo the effect "y\\" of S::A::0 (none" of S::B::0 (irreversible, confirmed, event 5) in the world by hand, and record it as compensated.',
  ]);
  expect(told(lines.slice(0, -1), 'A, which is fine')).toEqual([
    'restore (level 1): "S::A, which is fine::0" goes back to its entry at event 1. It takes uncommitted work of others with it.',
    '  Rolled back with it',
    '    S::B::0 to its entry at event 3: it read "x. All is well" at event 4, which "S::A, which is fine::0" wrote at event 2.',
  ]);
});

test('a committed consumer is a reason, and the joint line is offered beside the rerun', () => {
  const lines: Line[] = [
    { do: 'enter', ...A },
    { do: 'write', ...A, key: 'x' },
    { do: 'enter', ...B },
    { do: 'read', ...B, key: 'x' },
    { do: 'boundary', ...B, kind: 'exit' },
  ];
  expect(told(lines, 'A')).toEqual([
    'rerun (level 2): S::A::0 cannot be put back; the run may be started over, since nothing that it did stands in the way.',
    '  The line that the policy does not allow',
    '    S::A::0 to its entry at event 1: it failed.',
    '    S::B::0 to its entry at event 3: it read x at event 4, which S::A::0 wrote at event 2.',
    '  Refused',
    '    its entry at event 1',
    '      committed_consumers_present: S::B::0 rests on what would be undone, and its exit at event 5 is a promise: it read x at event 4, which S::A::0 wrote at event 2.',
    '  To unblock it (then the answer is restore_joint)',
    '    Let the reviewed policy roll back what S::B::0 committed (joint).',
  ]);
  expect(told(lines, 'A', { joint: 'all' })).toEqual([
    'restore_joint (level 2): S::A::0 goes back to its entry at event 1, and commitments of others with it, as the policy allows.',
    '  Rolled back with it',
    '    S::B::0 to its entry at event 3: it read x at event 4, which S::A::0 wrote at event 2.',
  ]);
});

test('everyone whose commitment stands in the way is named', () => {
  const lines: Line[] = [
    { do: 'enter', ...A },
    { do: 'enter', ...B, by: 'A' },
    { do: 'boundary', ...B, kind: 'commit' },
    { do: 'enter', in: 'C', by: 'A' },
    { do: 'boundary', in: 'C', kind: 'commit' },
  ];
  expect(told(lines, 'A').at(-1)).toBe(
    '    Let the reviewed policy roll back what S::B::0, S::C::0 committed (joint).',
  );
});

test('each effect that blocks is named with what would clear it', () => {
  const lines: Line[] = [
    { do: 'enter', ...A },
    { do: 'boundary', ...A, kind: 'exit' },
    { do: 'effect', ...A, class: 'irreversible', status: 'unknown', id: 'pay' },
    { do: 'effect', ...A, class: 'irreversible', status: 'confirmed', id: 'mail' },
    { do: 'effect', ...A, class: 'reversible', status: 'confirmed' },
  ];
  expect(told(lines, 'A')).toEqual([
    'escalate: S::A::0 cannot be put back, and the run cannot be started over: a person has to act.',
    '  Refused',
    '    its exit at event 2',
    '      exit_not_restorable: an exit is a promise that the work is over, and no policy here lets it be taken up again (rollback.exits).',
    '    its entry at event 1',
    '      effect_outcome_unknown: whether the effect "pay" of S::A::0 (irreversible, unknown, event 3) happened is not known.',
    '      irreversible_effect_policy: the effect "mail" of S::A::0 (irreversible, confirmed, event 4) is done and cannot be taken back.',
    '      compensation_missing: the effect of S::A::0 (reversible, confirmed, event 5) is done, and nothing is registered that undoes it.',
    '  To unblock it (then the answer is restore)',
    '    Ask the counterparty, with the same key, whether the effect "pay" of S::A::0 (irreversible, unknown, event 3) happened. If it did not, record it as failed.',
    '    Undo the effect "mail" of S::A::0 (irreversible, confirmed, event 4) in the world by hand, and record it as compensated.',
    '    Register what undoes the effect of S::A::0 (reversible, confirmed, event 5), and record that it has an undo.',
  ]);
});

test('what stands against a newer candidate is not told again for the older ones', () => {
  const effect = { do: 'effect', ...A, class: 'irreversible', status: 'confirmed' } as const;
  const lines: Line[] = [
    { do: 'enter', ...A },
    { ...effect, id: 'first' },
    { do: 'boundary', ...A, kind: 'commit' },
    { do: 'boundary', ...A, kind: 'exit' },
    { do: 'boundary', ...A, kind: 'outcome' },
    { do: 'boundary', ...A, kind: 'commit' },
    { ...effect, id: 'second' },
  ];
  const [first, second] = [2, 7].map((at) => {
    const id = at === 2 ? 'first' : 'second';
    return `irreversible_effect_policy: the effect "${id}" of S::A::0 (irreversible, confirmed, event ${at}) is done and cannot be taken back.`;
  });
  expect(told(lines, 'A').slice(1, 11)).toEqual([
    '  Refused',
    '    its commit at event 6',
    `      ${second}`,
    '    its outcome at event 5: the same',
    '    its exit at event 4',
    '      exit_not_restorable: an exit is a promise that the work is over, and no policy here lets it be taken up again (rollback.exits).',
    '    its commit at event 3: the same',
    '    its entry at event 1: the same, and',
    `      ${first}`,
    '  To unblock it (then the answer is restore)',
  ]);
  expect(told(lines.slice(0, -1), 'A').slice(1)).toEqual([
    '  Refused',
    '    its exit at event 4',
    '      exit_not_restorable: an exit is a promise that the work is over, and no policy here lets it be taken up again (rollback.exits).',
    '    its entry at event 1',
    `      ${first}`,
  ]);
});

test('an abstention says what the suspicion would have to name', () => {
  expect(told([{ do: 'enter', ...A }], 'A', { key: 'x' })).toEqual([
    'rerun: S::A::0 cannot be put back; the run may be started over, since nothing that it did stands in the way.',
    '  Refused',
    '    ambiguous_instance: S::A::0 never wrote x, so the suspicion names nothing.',
    '  To unblock it (then ask again)',
    '    Name a key that the instance wrote, or none.',
  ]);
  expect(told([{ do: 'enter', ...A }], 'B').slice(2)).toEqual([
    '    ambiguous_instance: no instance S::B::0 was ever entered.',
    '  To unblock it (then ask again)',
    '    Name an instance that was entered.',
  ]);
});

test('a rerun says what of the whole run has to be undone before it', () => {
  const lines: Line[] = [
    { do: 'enter', ...A },
    { do: 'effect', ...A, class: 'reversible', status: 'confirmed', undo: true, id: 'file' },
    { do: 'enter', ...B },
    { do: 'effect', ...B, class: 'compensable', status: 'confirmed', undo: true, id: 'hold' },
  ];
  expect(told(lines, 'C').slice(1, 4)).toEqual([
    '  Undo before the rerun, in this order',
    '    the effect "hold" of S::B::0 (compensable, confirmed, event 4)',
    '    the effect "file" of S::A::0 (reversible, confirmed, event 2)',
  ]);
});

test('a run that may simply start over says so', () => {
  const lines: WrittenEvent[] = [
    { do: 'enter', in: ['S', 'A', 0] },
    { do: 'write', in: ['S', 'A', 0], key: 'x' },
    { do: 'enter', in: ['S', 'B', 0] },
    { do: 'read', in: ['S', 'B', 0], key: 'x' },
    { do: 'boundary', in: ['S', 'B', 0], kind: 'commit' },
  ];
  const failure = { in: { skeleton: 'S', entity: 'A', ordinal: 0 }, key: null };
  const decision = decide(historyOf(lines), failure, { policy: 'dart', joint: 'none' });
  expect(flatten(explain(decision), 0).at(-1)).toBe('  To go on: start the rerun; nothing else is needed.');
});

test('an effect of a tool is called by the tool, and whom to ask by the name that the config has', () => {
  const lines: Line[] = [
    { do: 'enter', ...A },
    { do: 'effect', ...A, class: 'irreversible', status: 'unknown', id: '["r","S","A",0,"pay",0]', tool: 'pay' },
  ];
  const decision = decided(lines, 'A');
  expect(said(decision).at(-1)).toBe(
    '    Ask the counterparty, with the same key, whether pay of S::A::0 (irreversible, unknown, event 2) happened. If it did not, record it as failed.',
  );
  const asking = (ask: { reconciler: string | null; writes: string[] }) => {
    const { unblock } = decision as Extract<Decision, { unblock: Unblock }>;
    const acts = unblock.acts.map((act) => ({ ...act, ask }) as Act);
    const [sentence] =
      said({ ...decision, unblock: { ...unblock, acts } } as Decision)
        .at(-1)
        ?.trim()
        .split(', with the same') ?? [];
    return sentence;
  };
  expect(asking({ reconciler: 'findPayment', writes: ['bank:p1'] })).toBe('Ask findPayment, the reconciler of pay');
  expect(asking({ reconciler: null, writes: ['bank:p1', 'mail:p1'] })).toBe(
    'Ask the owner of bank:p1 and mail:p1, which it writes',
  );
  expect(asking({ reconciler: null, writes: [] })).toBe('Ask the counterparty of pay');
});

test('a name of a tool that is no plain word is quoted', () => {
  const effect = { do: 'effect', ...A, class: 'irreversible', status: 'confirmed', tool: 'pay. Do not worry' } as const;
  expect(told([{ do: 'enter', ...A }, effect], 'A')).toContain(
    '      irreversible_effect_policy: "pay. Do not worry" of S::A::0 (irreversible, confirmed, event 2) is done and cannot be taken back.',
  );
});
