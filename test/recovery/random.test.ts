/** Random histories, longer and stranger than the exhaustive ones, held against the same oracle. */
import { describe, expect, test } from 'vitest';
import { instanceName } from '../../src/model/instance.ts';
import { vetoes } from '../../src/recovery/vetoes.ts';
import { greatest, includes } from './oracle.ts';
import {
  checkpoints,
  codeOf,
  expectDependence,
  forQuestions,
  type Question,
  safeLines,
  vetoWords,
} from './questions.ts';

describe('under the policy line', () => {
  test('the line is the greatest safe one, or there is none, and the level is what it crosses', () => {
    forQuestions((question) => {
      const decision = question.ask({ policy: 'line', joint: 'none' });
      const safe = question.suspectAt === 0 ? [] : safeLines(question);
      const best = greatest(safe);
      expect(question.line(decision)).toEqual(best);
      if (best === null) return;
      expect(includes(safe, best)).toBe(true);
      expect(decision.line?.level).toBe(question.known.levelOf(best, question.failed));
    });
  });

  test('the verdict is the first rung that holds', () => {
    forQuestions((question) => {
      const best = question.suspectAt === 0 ? null : greatest(safeLines(question));
      const level = best === null ? null : question.known.levelOf(best, question.failed);
      const otherwise = question.known.blocking.length === 0 ? 'rerun' : 'escalate';
      const admitted = level !== null && level < 2 ? 'restore' : null;
      expect(question.ask({ policy: 'line', joint: 'none' }).verdict).toBe(admitted ?? otherwise);
      const joint = level === 2 ? 'restore_joint' : admitted;
      expect(question.ask({ policy: 'line', joint: 'all' }).verdict).toBe(joint ?? otherwise);
    });
  });

  test('every veto of every candidate is reported, newest first, and no other', () => {
    forQuestions((question) => {
      const { known, failed } = question;
      const decision = question.ask({ policy: 'line', joint: 'none' });
      if (question.suspectAt === 0) {
        expect(vetoWords(question, decision)).toEqual(['ambiguous_instance']);
        return;
      }
      const lines = known.lines();
      const expected = checkpoints(question).map(({ at, kind }) => {
        if (kind === 'exit') return [`${at} exit_not_restorable`];
        const line = greatest(known.open(lines, failed, at + 1)) as number[];
        const consumers = known.seen.flatMap((me, i) =>
          i !== failed && (line[i] as number) < me.committed ? [`${at} committed_consumers_present ${i}`] : [],
        );
        const effects = known.blocking.filter((effect) => effect.at > (line[effect.of] as number));
        return [...consumers, ...effects.map((effect) => `${at} ${codeOf(effect)} ${effect.at}`)];
      });
      const words = vetoWords(question, decision);
      expect([...words].sort()).toEqual(expected.flat().sort());
      const order = [...vetoes(decision)].map((veto) => veto.candidate?.at as number);
      expect(order).toEqual([...order].sort((a, b) => b - a));
      const allowed = vetoWords(question, question.ask({ policy: 'line', joint: 'all' }));
      expect(allowed).toEqual(words.filter((word) => !word.includes('committed_consumers_present')));
    });
  });

  test('every witness is a dependency that the history has, from something undone to something undone', () => {
    forQuestions((question) => {
      const { known } = question;
      const decision = question.ask({ policy: 'line', joint: 'none' });
      const at = question.line(decision);
      const moves = (decision.line?.moves ?? []).flatMap(({ cause, keep, instance }) => {
        return cause === null ? [] : [{ cause, keep, instance }];
      });
      for (const { cause, keep, instance } of moves) {
        expect(instanceName(cause.consumer)).toBe(instanceName(instance));
        expect(cause.step).toBeGreaterThan(keep === 'none' ? 0 : keep.at);
        if (cause.kind === 'read')
          expect(cause.write).toBeGreaterThan(at?.[question.indexOf(cause.producer)] as number);
      }
      const vetoed = [...vetoes(decision)].flatMap((veto) => ('dependence' in veto ? [veto] : []));
      for (const { dependence, committed } of vetoed) {
        expect(committed.at).toBe(known.seen[question.indexOf(dependence.consumer)]?.committed);
      }
      for (const cause of [...moves.map((move) => move.cause), ...vetoed.map((veto) => veto.dependence)]) {
        expectDependence(question, cause);
      }
    });
  });

  test('what has to be undone before is listed, newest intent first', () => {
    forQuestions((question) => {
      const decision = question.ask({ policy: 'line', joint: 'none' });
      const kept = decision.verdict === 'restore' ? question.line(decision) : null;
      const owed = question.known.effects.filter((effect) => {
        const undoable = effect.class === 'reversible' || effect.class === 'compensable';
        const crossed = effect.at > (kept?.[effect.of] ?? 0);
        return undoable && effect.status === 'confirmed' && effect.undo && crossed;
      });
      const expected = decision.verdict === 'escalate' ? [] : owed.map((effect) => effect.at).sort((a, b) => b - a);
      expect(decision.undo.map((effect) => effect.at)).toEqual(expected);
    });
  });

  test('asking leaves the history as it was', () => {
    forQuestions((question) => {
      const first = question.ask({ policy: 'line', joint: 'none' });
      question.ask({ policy: 'dart', joint: 'all' });
      question.ask({ policy: 'static', joint: 'all' });
      expect(question.ask({ policy: 'line', joint: 'none' })).toEqual(first);
    });
  });
});

describe('under the policy static', () => {
  /** The rule of §9 over sets: order ignored, closed over overlaps and starts. */
  function reached({ known, failed }: Question): Set<number> {
    const found = new Set<number>();
    const queue = [failed];
    for (let i = queue.pop(); i !== undefined; i = queue.pop()) {
      const me = known.seen[i];
      const wrote = new Set(me?.accesses.flatMap((access) => (access.writes ? access.paths : [])));
      for (const [j, other] of known.seen.entries()) {
        const reads = other.accesses.some((access) => access.reads && access.paths.some((path) => wrote.has(path)));
        if (j === i || found.has(j) || !(reads || other.starter === i)) continue;
        found.add(j);
        if (j !== failed) queue.push(j);
      }
    }
    return found;
  }

  test('everyone whom the failed instance reaches goes to its entry or, with its starter, to nothing', () => {
    forQuestions((question) => {
      const { known, failed } = question;
      const decision = question.ask({ policy: 'static', joint: 'none' });
      if (question.suspectAt === 0) return;
      const members = reached(question);
      const [newest] = checkpoints(question).filter(({ kind }) => kind !== 'exit');
      const expected = known.seen.map((me, i) => {
        if (i === failed && !members.has(i)) return newest?.at;
        if (!members.has(i)) return Number.POSITIVE_INFINITY;
        return me.starter === failed || members.has(me.starter) ? 0 : me.checkpoints[0]?.at;
      }) as number[];
      const blocked = known.blocking.some((effect) => effect.at > (expected[effect.of] as number));
      expect(question.line(decision)).toEqual(blocked ? null : expected);
    });
  });

  test('no unsafe line is ever admitted', () => {
    forQuestions((question) => {
      for (const joint of ['none', 'all'] as const) {
        const decision = question.ask({ policy: 'static', joint });
        const at = question.line(decision);
        if (at !== null) expect(includes(safeLines(question), at)).toBe(true);
      }
    });
  });
});

describe('under the policy dart', () => {
  test("a committed reader of anything it wrote refuses every candidate, and else its own effects' floor does", () => {
    forQuestions((question) => {
      const { known, failed } = question;
      if (question.suspectAt === 0) return;
      const decision = question.ask({ policy: 'dart', joint: 'all' });
      const wrote = new Set(known.seen[failed]?.accesses.flatMap((access) => (access.writes ? access.paths : [])));
      const consumers = [...known.seen.entries()].filter(([j, other]) => {
        const reads = other.accesses.some((access) => access.reads && access.paths.some((path) => wrote.has(path)));
        return j !== failed && other.committed > 0 && reads;
      });
      const words = checkpoints(question).flatMap(({ at, kind }) => {
        if (kind === 'exit') return [`${at} exit_not_restorable`];
        const own = known.blocking.filter((effect) => effect.of === failed && effect.at > at);
        return [
          ...consumers.map(([j]) => `${at} committed_consumers_present ${j}`),
          ...own.map((effect) => `${at} ${codeOf(effect)} ${effect.at}`),
        ];
      });
      expect(vetoWords(question, decision).sort()).toEqual(words.sort());
      const [newest] = checkpoints(question).filter(({ kind }) => kind !== 'exit');
      const refused = words.some((word) => word.startsWith(`${newest?.at} `));
      const alone = known.seen.map((_, i) => (i === failed ? newest?.at : Number.POSITIVE_INFINITY));
      expect(question.line(decision)).toEqual(refused ? null : alone);
      expect(decision.verdict === 'restore').toBe(!refused);
    });
  });
});
