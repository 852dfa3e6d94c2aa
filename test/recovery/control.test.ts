/** Whether control can follow a line (R2), on places that are written down by hand; and what a boundary's four tests are for. */
import { describe, expect, test } from 'vitest';
import { History } from '../../src/history/history.ts';
import { Places, type Region } from '../../src/history/places.ts';
import { type InstanceId, instanceName } from '../../src/model/instance.ts';
import { certify, type Evidence, isCertified, TESTS, type Test } from '../../src/recovery/certify.ts';
import { controlOf, type Moves, regionsBack } from '../../src/recovery/control.ts';

function named(skeleton: string): InstanceId {
  return { skeleton, entity: 'it', ordinal: 0 };
}

/** A run, step by step: who takes part where, whom the step enters, and whom it closes. */
class Written {
  readonly history = new History();
  readonly places = new Places();

  constructor() {
    this.places.actors.push({ parent: null, at: '', started: -1, alive: true });
  }

  /** An actor that a state of another invokes, from the last step on. */
  actor(parent: number, at: string): void {
    this.places.actors.push({ parent, at, started: this.places.steps.length - 1, alive: true });
  }

  step(
    parties: Readonly<Record<string, Region>>,
    more: {
      enters?: Readonly<Record<string, Region>>;
      roots?: readonly string[];
      closes?: string;
      gate?: boolean;
    } = {},
  ): void {
    for (const [name, region] of Object.entries(more.enters ?? {})) {
      this.history.apply({ do: 'enter', in: named(name), by: null });
      this.places.enter(named(name), region, more.roots?.includes(name) ?? false);
    }
    const act = this.history.head;
    const [first = ''] = Object.keys(parties);
    this.history.apply({ do: 'boundary', in: named(first), kind: 'outcome' });
    const placed = Object.entries(parties).map(([name, region]) => ({ name: instanceName(named(name)), region }));
    const actor = Number(placed[0]?.region.split(':')[0]);
    this.places.steps.push({ act, to: this.history.head, actor, parties: placed });
    if (more.closes === undefined) return;
    const place = this.places.of(instanceName(named(more.closes)));
    Object.assign(place as object, { closed: this.places.steps.length - 1, gate: more.gate ?? true });
  }

  moves(...names: readonly string[]): Moves {
    return new Map(
      names.map((name) => {
        const record = this.history.expect(named(name));
        return [record, { keep: record.checkpoints[0] ?? null, cause: null }] as const;
      }),
    );
  }

  demands(...names: readonly string[]): Record<string, string> {
    const demands = controlOf(this.history, this.places).demands(this.moves(...names));
    return Object.fromEntries([...demands].map(([{ id }, { keep }]) => [id.skeleton, keep?.kind ?? 'none']));
  }

  escapes(...names: readonly string[]): string[] {
    return controlOf(this.history, this.places)
      .escapes(this.moves(...names))
      .map(({ instance }) => instance.skeleton);
  }
}

/** The glue G begins A, A's step begins B, and B does something. */
function line(after: { closes?: string; gate?: boolean } = {}): Written {
  const run = new Written();
  run.step({ G: '0:' }, { enters: { G: '0:' }, roots: ['G'] });
  run.step({ G: '0:' }, { enters: { A: '0:' } });
  run.step({ A: '0:' }, { enters: { B: '0:' }, closes: 'A' });
  run.step({ B: '0:' }, after);
  return run;
}

describe('R2: control follows a line', () => {
  test('a region goes back to the earliest position that is moved in it', () => {
    const run = line();
    const back = regionsBack(run.places, [
      [named('B'), { kind: 'entry', at: 6 }],
      [named('A'), { kind: 'entry', at: 3 }],
    ]);
    expect(back.get('0:')).toEqual({ step: 1, by: named('A') });
  });

  test('what is not started is kept up to before the step that entered it', () => {
    expect(regionsBack(line().places, [[named('A'), null]]).get('0:')?.step).toBe(0);
  });

  test('the root gives way: what it did later is undone, what it did before is kept', () => {
    const run = line({ closes: 'B' });
    run.step({ G: '0:' });
    expect(run.demands('A')).toEqual({ G: 'outcome' });
    const [[record, placement] = []] = [...controlOf(run.history, run.places).demands(run.moves('A'))];
    expect(record?.id).toEqual(named('G'));
    expect(placement?.keep?.at).toBe(4);
    expect(placement?.cause).toMatchObject({ kind: 'control', producer: named('A'), consumer: named('G') });
    expect(run.escapes('A')).toEqual(['G']);
    const given: Moves = new Map([...run.moves('A'), ...controlOf(run.history, run.places).demands(run.moves('A'))]);
    expect(controlOf(run.history, run.places).escapes(given)).toEqual([]);
    expect(controlOf(run.history, run.places).demands(given).size).toBe(0);
  });

  test('a root that did nothing later stays', () => {
    expect(line({ closes: 'B' }).demands('A')).toEqual({});
  });

  test('an instance that is kept and has not closed is left behind', () => {
    expect(line().escapes('A')).toEqual(['B']);
  });

  test('one that closed without a certified boundary is left behind as well', () => {
    expect(line({ closes: 'B', gate: false }).escapes('A')).toEqual(['B']);
  });

  test('one that closed with a certified boundary is a gate', () => {
    expect(line({ closes: 'B' }).escapes('A')).toEqual([]);
  });

  test('one that goes back as well is not left behind', () => {
    expect(line().escapes('A', 'B')).toEqual([]);
  });

  test('one that goes back, but not far enough, is', () => {
    const run = new Written();
    run.step({ G: '0:' }, { enters: { G: '0:' }, roots: ['G'] });
    run.step({ G: '0:' }, { enters: { A: '0:' } });
    run.step({ A: '0:' }, { enters: { B: '0:' } });
    run.step({ B: '0:' });
    run.step({ B: '0:' });
    const b = run.history.expect(named('B'));
    const moves: Moves = new Map([...run.moves('A'), [b, { keep: b.checkpoints[1] ?? null, cause: null }]]);
    expect(
      controlOf(run.history, run.places)
        .escapes(moves)
        .map(({ instance }) => instance.skeleton),
    ).toEqual(['B']);
  });

  test('another region does not go back', () => {
    const run = line({ closes: 'B' });
    run.step({ H: '0:other' }, { enters: { H: '0:other' } });
    const back = regionsBack(run.places, [[named('H'), null]]);
    expect([...back.keys()]).toEqual(['0:other']);
    expect(run.escapes('H')).toEqual([]);
  });

  test('a region within one that goes back was entered later: it is undone, with whoever lives there', () => {
    const run = line({ closes: 'B' });
    run.step({ C: '0:x.y' }, { enters: { C: '0:x.y' } });
    expect(run.demands('A')).toEqual({ C: 'none' });
  });

  test('a machine that was invoked later goes with the region that invokes it', () => {
    const run = line({ closes: 'B' });
    run.actor(0, 'x');
    run.step({ C: '1:' }, { enters: { C: '1:' } });
    expect(run.demands('A')).toEqual({ C: 'none' });
  });

  test('a machine that was there before, and still is, goes on as it is', () => {
    const run = new Written();
    run.step({ G: '0:' }, { enters: { G: '0:' }, roots: ['G'] });
    run.actor(0, 'x');
    run.step({ G: '0:' }, { enters: { A: '0:' } });
    run.step({ C: '1:' }, { enters: { C: '1:' } });
    run.step({ A: '0:' });
    expect(run.demands('A')).toEqual({});
    expect(run.escapes('A')).toEqual([]);
    expect([...regionsBack(run.places, [[named('A'), { kind: 'entry', at: 3 }]]).keys()]).toEqual(['0:']);
  });
});

describe('§4: each of the four tests is necessary', () => {
  const good: Evidence = {
    owners: 1,
    predicate: { is: 'yes' },
    missing: [],
    stray: null,
    broken: null,
    neighbours: 0,
    resumable: true,
    anchored: true,
    open: [],
    orphans: [],
  };
  const bad: readonly (readonly [Test, string, Partial<Evidence>, 'no' | 'unknown'])[] = [
    ['decidable', 'two live instances own it', { owners: 2 }, 'unknown'],
    ['decidable', 'nobody owns it', { owners: 0 }, 'unknown'],
    ['closed', 'its predicate says no', { predicate: { is: 'no' } }, 'no'],
    ['closed', 'its predicate cannot tell', { predicate: { is: 'unknown', reason: 'no such member' } }, 'unknown'],
    ['closed', 'an output has no version', { missing: ['slots/0'] }, 'unknown'],
    ['closed', 'it wrote outside of its outputs', { stray: 'wrote elsewhere' }, 'unknown'],
    ['separable', 'somebody else shares the region', { neighbours: 1 }, 'unknown'],
    ['separable', 'there is no state to resume from', { resumable: false }, 'unknown'],
    ['controllable', 'it is no anchor', { anchored: false }, 'no'],
    ['controllable', 'an effect is open', { open: ['key'] }, 'unknown'],
    ['controllable', 'a kept effect was not claimed', { orphans: ['key'] }, 'unknown'],
  ];

  test('four yeses certify', () => {
    expect(isCertified(certify(good))).toBe(true);
    expect(TESTS.map((each) => certify(good)[each].is)).toEqual(['yes', 'yes', 'yes', 'yes']);
  });

  test.each(bad)('%s alone stands against it: %s', (which, _, wrong, answer) => {
    const verdicts = certify({ ...good, ...wrong });
    expect(TESTS.filter((each) => verdicts[each].is !== 'yes')).toEqual([which]);
    expect(verdicts[which].is).toBe(answer);
    expect(isCertified(verdicts)).toBe(false);
  });
});
