/** The cut over data and control (semantics.md C1, C2), on histories and places that are written by hand. */
import { describe, expect, test } from 'vitest';
import { History } from '../../src/history/history.ts';
import { Places } from '../../src/history/places.ts';
import type { PlacedStep } from '../../src/history/step-lists.ts';
import type { Decision, JointRule } from '../../src/model/decision.ts';
import type { EffectClass, EffectStatus } from '../../src/model/effect.ts';
import { type InstanceId, instanceName, ROOT } from '../../src/model/instance.ts';
import { parseKey } from '../../src/model/key.ts';
import type { Region } from '../../src/model/region.ts';
import { decide } from '../../src/recovery/decide.ts';

const WHOLE = '0:';

/** `A` is `S::A::0`; `(root) REGION` is the root of a region. */
function idOf(name: string): InstanceId {
  return name.startsWith(ROOT)
    ? { skeleton: ROOT, entity: name.slice(ROOT.length + 1), ordinal: 0 }
    : { skeleton: 'S', entity: name, ordinal: 0 };
}

/** What a step does besides its acts. */
interface StepParts {
  /** The regions whose control it reads and writes. */
  readonly moves?: readonly Region[];
  /** The region that it enters instances in; the first that it moves if left out. */
  readonly into?: Region;
  readonly ties?: readonly PlacedStep[];
  readonly actor?: number;
}

/** A run that is written down act by act. */
class Written {
  readonly history = new History();
  readonly places = new Places();

  constructor() {
    this.places.actors.push({ parent: null, at: '', started: null });
  }

  /** A call, between the steps: `A irreversible confirmed`, with an id where one follows. */
  calls(text: string): this {
    const [who, effectClass, status, id = null] = text.split(' ') as [string, EffectClass, EffectStatus, string?];
    this.history.apply({ do: 'effect', in: idOf(who), id, class: effectClass, status, undo: null });
    return this;
  }

  /** A step: `enter A`, `read A k`, `write A k`, `commit A`, `exit A` (certified), `close A` (not certified). */
  step(acts: readonly string[], { moves = [WHOLE], into, ties = [], actor = 0 }: StepParts = {}): PlacedStep {
    const act = this.history.head;
    const parsed = acts.map((text) => text.split(',').map((part) => part.trim()) as [string, string, string?]);
    for (const [verb, who, key] of parsed) this.#apply(verb, idOf(who), key);
    const entered = parsed.filter(([verb]) => verb === 'enter').map(([, who]) => idOf(who));
    const parties = new Set(parsed.filter(([verb]) => verb !== 'enter').map(([, who]) => instanceName(idOf(who))));
    const region = into ?? (moves[0] as Region);
    const step: PlacedStep = {
      nth: this.places.next,
      act,
      to: this.history.head,
      actor,
      parties: [...parties].map((name) => ({ name, region: this.places.of(name)?.region ?? region })),
      moves,
      looks: [],
      entered: entered.map(instanceName),
      leads: [],
      owes: 0,
      ties,
      spawns: false,
      gone: false,
    };
    this.places.add(step);
    for (const id of entered) this.places.enter(id, region, id.skeleton === ROOT, step);
    for (const [verb, who] of parsed) {
      const place = this.places.of(instanceName(idOf(who)));
      if (place === undefined || (verb !== 'exit' && verb !== 'close')) continue;
      place.closed = step;
      place.certified = verb === 'exit';
    }
    return step;
  }

  /** What is decided where an instance is found wrong. */
  fail(who: string, { joint = 'none', suspects = [] }: { joint?: JointRule; suspects?: readonly string[] } = {}) {
    const names = new Set(suspects.map((name) => instanceName(idOf(name))));
    const control = { places: this.places, suspects: names, escapes: () => [] };
    const failure = { in: idOf(who), key: null };
    return decide(this.history, failure, { policy: 'line', joint }, { control, unavailable: () => null });
  }

  #apply(verb: string, id: InstanceId, key?: string): void {
    if (verb === 'enter') this.history.apply({ do: 'enter', in: id, by: null });
    else if (verb === 'read') this.history.apply({ do: 'read', in: id, key: parseKey(key as string) });
    else if (verb === 'write')
      this.history.apply({ do: 'write', in: id, key: parseKey(key as string), mode: 'update' });
    else if (verb === 'commit' || verb === 'exit') this.history.apply({ do: 'boundary', in: id, kind: verb });
  }
}

/** What moves: `A entry`, `B none`. */
function moves({ line }: Decision): string[] | null {
  return (
    line?.moves.map(({ instance, keep }) => `${instance.entity} ${keep === 'none' ? keep : keep.kind}`).sort() ?? null
  );
}

/** What is set aside: `B`, `K within B`. */
function aside({ aside: told = [] }: Decision): string[] {
  return told
    .map(({ instance, within }) => `${instance.entity}${within === undefined ? '' : ` within ${within.entity}`}`)
    .sort();
}

/** The reasons against each candidate: `entry: irreversible_effect_policy`. That an exit is no candidate is left out. */
function against({ refusals }: Decision): string[] {
  return refusals.flatMap((refusal) =>
    'adds' in refusal
      ? [`${refusal.candidate.kind}: ${refusal.adds.map(({ code }) => code).join(', ')}${refusal.all ? ' (all)' : ''}`]
      : [refusal.code].filter((code) => code !== 'exit_not_restorable'),
  );
}

/** A, B and C one after the other in one region. C has begun. */
function row({ read, end = 'exit', call }: { read?: string; end?: 'exit' | 'close'; call?: string } = {}): Written {
  const run = new Written();
  run.step(['enter, A']);
  run.step(['write, A, a', 'exit, A', 'enter, B']);
  if (call !== undefined) run.calls(call);
  run.step([...(read === undefined ? [] : [`read, B, ${read}`]), 'write, B, b', `${end}, B`, 'enter, C']);
  return run;
}

describe('the line lowers over control', () => {
  test('a later step of the region goes back, though nobody has read what was undone', () => {
    const decision = row().fail('A');
    expect(decision).toMatchObject({ verdict: 'restore', line: { level: 1 } });
    expect(moves(decision)).toEqual(['A entry', 'C none']);
    expect(decision.line?.moves.find(({ instance }) => instance.entity === 'C')?.cause).toMatchObject({
      kind: 'control',
      producer: { entity: 'A' },
    });
  });

  test('an earlier step of the region stays', () => {
    const run = row();
    run.step(['write, C, c', 'exit, C', 'enter, D']);
    const decision = run.fail('C');
    expect([moves(decision), aside(decision)]).toEqual([['C entry', 'D none'], []]);
  });

  /** A and B in two regions that are joined before C. */
  function parallel(): Written {
    const run = new Written();
    run.step(['enter, A'], { moves: [WHOLE, '0:p.x', '0:p.y'], into: '0:p.x' });
    run.step(['enter, B'], { moves: ['0:p.y'] });
    run.step(['write, A, a', 'exit, A'], { moves: ['0:p.x'] });
    run.step(['write, B, b', 'exit, B'], { moves: ['0:p.y'] });
    run.step(['enter, C'], { moves: [WHOLE, '0:p.x', '0:p.y'], into: WHOLE });
    return run;
  }

  test('a join goes back with one of its regions, and the other region stays where it was', () => {
    const decision = parallel().fail('A');
    expect([decision.verdict, moves(decision), aside(decision)]).toEqual(['restore', ['A entry', 'C none'], []]);
  });

  test('a step that raised what an undone step has heard goes back with it', () => {
    const run = new Written();
    run.step(['enter, A'], { moves: ['0:x'] });
    run.step(['enter, B'], { moves: ['0:y'] });
    const raised = run.step(['write, B, b'], { moves: ['0:y'] });
    run.step(['write, A, a'], { moves: ['0:x'], ties: [raised] });
    expect(moves(run.fail('A'))).toEqual(['A entry', 'B entry']);
  });

  test('the call in flight of an undone step is dropped, and told by its id', () => {
    const run = row();
    run.calls('C idempotent intended call-1');
    const decision = run.fail('A');
    expect(decision).toMatchObject({ verdict: 'restore', dropped: ['call-1'], undo: [] });
  });
});

describe('finished work beyond the cut', () => {
  test('is set aside where it is certified and has read nothing undone, and crosses no promise', () => {
    const decision = row({ read: 'elsewhere' }).fail('A');
    expect([decision.verdict, aside(decision), against(decision)]).toEqual(['restore', ['B'], []]);
    expect(decision.aside).toMatchObject([{ cause: { kind: 'control', producer: { entity: 'A' } } }]);
  });

  test('is undone where it has read what is undone, and its promise stands against that', () => {
    const run = row({ read: 'a' });
    const decision = run.fail('A');
    expect(decision).toMatchObject({ verdict: 'rerun', line: { level: 2 } });
    expect([moves(decision), aside(decision)]).toEqual([['A entry', 'B none', 'C none'], []]);
    expect(against(decision)).toEqual(['entry: committed_consumers_present']);
    expect(run.fail('A', { joint: 'all' }).verdict).toBe('restore_joint');
  });

  test('is undone with whoever it has read from, where that one is undone', () => {
    const run = row({ read: 'a' });
    run.step(['read, C, b', 'write, C, c', 'exit, C']);
    const decision = run.fail('A', { joint: 'all' });
    expect([moves(decision), aside(decision)]).toEqual([['A entry', 'B none', 'C none'], []]);
  });

  test('is set aside where it has read only other work that is set aside', () => {
    const run = row();
    run.step(['read, C, b', 'write, C, c', 'exit, C', 'enter, D']);
    const decision = run.fail('A');
    expect([decision.verdict, moves(decision), aside(decision)]).toEqual([
      'restore',
      ['A entry', 'D none'],
      ['B', 'C'],
    ]);
  });

  test('does not block with its irreversible effect where it is set aside', () => {
    const decision = row({ call: 'B irreversible confirmed' }).fail('A');
    expect([decision.verdict, aside(decision), against(decision)]).toEqual(['restore', ['B'], []]);
  });

  test('blocks with its irreversible effect where it is not certified, and so undone', () => {
    const decision = row({ call: 'B irreversible confirmed', end: 'close' }).fail('A');
    expect([decision.verdict, decision.line, aside(decision)]).toEqual(['escalate', null, []]);
    expect(against(decision)).toEqual(['entry: irreversible_effect_policy']);
  });

  test('is undone where it was itself found wrong', () => {
    const decision = row().fail('A', { joint: 'all', suspects: ['B'] });
    expect(decision.verdict).toBe('restore_joint');
    expect([moves(decision), aside(decision)]).toEqual([['A entry', 'B none', 'C none'], []]);
  });

  test('takes the work of its child machine along, certified or not', () => {
    const run = new Written();
    run.step(['enter, A']);
    const started = run.step(['write, A, a', 'exit, A', 'enter, B']);
    run.places.actors.push({ parent: 0, at: 'b', started });
    // Starting a child machine writes the control of the region that it is invoked in, too.
    run.step(['enter, K'], { moves: ['1:', WHOLE], into: '1:', actor: 1 });
    run.step(['write, K, k', 'close, K'], { moves: ['1:'], actor: 1 });
    run.step(['write, B, b', 'exit, B']);
    expect(aside(run.fail('A'))).toEqual(['B', 'K within B']);
  });
});

describe('candidates', () => {
  /**
   * X is entered after A's entry and before A's commit, and has read what a root has written in A's tail: going back to the commit
   * cuts X in two, going back to the entry leaves it whole.
   */
  function tail(end: 'exit' | 'close'): Written {
    const root = `${ROOT} 0:x`;
    const run = new Written();
    run.step(['enter, A', `enter, ${root}`], { moves: ['0:x'] });
    run.step(['write, A, a', 'enter, X'], { moves: ['0:x', '0:y'], into: '0:y' });
    run.step(['write, A, b', 'commit, A'], { moves: ['0:x'] });
    run.step(['write, A, c', `write, ${root}, r`], { moves: ['0:x'] });
    run.calls('X irreversible confirmed');
    run.step(['read, X, r', 'write, X, x', `${end}, X`], { moves: ['0:y'] });
    return run;
  }

  test('an older one is admitted where a newer one is refused, because the blocked tail becomes a record', () => {
    const decision = tail('exit').fail('A');
    expect(decision).toMatchObject({ verdict: 'restore' });
    expect(moves(decision)).toContain('A entry');
    expect(aside(decision)).toEqual(['X']);
    expect(against(decision)).toEqual([
      'commit: committed_consumers_present, irreversible_effect_policy',
      'entry:  (all)',
    ]);
  });

  test('an older one that has the same reasons against it adds none', () => {
    const decision = tail('close').fail('A');
    expect(decision.verdict).toBe('escalate');
    expect(against(decision)).toEqual(['commit: irreversible_effect_policy', 'entry: ']);
  });

  test('reasons that an older one has not are not passed on to it: `all` lists those that it has', () => {
    const run = tail('exit');
    // E is entered by A's first step and finished without a certificate: only the entry undoes it, and its act.
    const first = run.places.steps.at(1) as PlacedStep;
    run.history.apply({ do: 'enter', in: idOf('E'), by: null });
    run.places.enter(idOf('E'), '0:z', false, first);
    (first.entered as string[]).push(instanceName(idOf('E')));
    run.calls('E irreversible confirmed');
    const decision = run.fail('A');
    expect([decision.verdict, decision.line]).toEqual(['escalate', null]);
    expect(against(decision)).toEqual([
      'commit: committed_consumers_present, irreversible_effect_policy',
      'entry: irreversible_effect_policy (all)',
    ]);
  });
});
