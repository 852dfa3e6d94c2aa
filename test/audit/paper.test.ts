/** The paper's study on LangGraph, as the audit has it: what its text says of the figures holds of them, so that none is misplaced. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { readPaper } from '../../audit/paper.ts';
import { read, sources } from '../pages.ts';

const { langgraph, universe, depth } = readPaper();
const DOMAINS = ['navigation', 'schedule-form'];
const sorted = (rows: object) => Object.keys(rows).sort();

/** Every member of a value that is no list, with its path. */
function members(value: unknown, path: readonly string[] = []): [string, Record<string, unknown>][] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [];
  const own: [string, Record<string, unknown>] = [path.join('.'), value as Record<string, unknown>];
  return [own, ...Object.entries(value).flatMap(([name, member]) => members(member, [...path, name]))];
}

describe('the figures of the study on LangGraph', () => {
  test('say where in the paper each table stands', () => {
    const tables = Object.entries(langgraph).filter(([name]) => name !== 'source');
    expect(tables.map(([name]) => name).sort()).toEqual(
      ['direct', 'equivalent', 'runtimes', 'semiReal', 'threeWay', 'transplant', 'witness'].sort(),
    );
    for (const [name, table] of tables)
      expect([name, (table as { source?: string }).source]).toEqual([
        name,
        expect.stringMatching(/^(tables? |appendix F)/),
      ]);
  });

  test('are of the two domains of the study, which are domains of the audit, by track and by regime', () => {
    expect(Object.keys(universe)).toEqual(expect.arrayContaining(DOMAINS));
    expect(sorted(langgraph.direct.rows)).toEqual(DOMAINS);
    expect(sorted(langgraph.semiReal.rows)).toEqual(['official', 'regime-balanced']);
    expect(sorted(langgraph.threeWay.rows)).toEqual(['commit-sensitive', 'entry-aligned']);
    for (const by of [...Object.values(langgraph.semiReal.rows), ...Object.values(langgraph.threeWay.rows)])
      expect(sorted(by)).toEqual(DOMAINS);
  });

  test('have a latency exactly where something succeeded', () => {
    const cells = members(langgraph).filter(([, cell]) => 'latency' in cell);
    expect(cells).toHaveLength(4 * 2 + 4 * 3);
    for (const [path, { success, replay, latency }] of cells) {
      expect([path, latency === null]).toEqual([path, success === 0]);
      if (success === 0) expect(replay).toBe(0);
    }
  });

  test('are what the text says of them: one cell fails, Direct is faster, DART redoes one step, a whole rerun most', () => {
    const cells = members(langgraph.threeWay.rows).filter(([, cell]) => 'success' in cell);
    const failed = cells.filter(([, { success }]) => success !== 1).map(([path]) => path);
    expect(failed).toEqual(['commit-sensitive.schedule-form.langgraph']);
    for (const [own, dart] of Object.values(langgraph.direct.rows)) expect(own).toBeLessThan(dart);
    for (const { retry, langgraph: other, dart } of Object.values(langgraph.threeWay.rows).flatMap(Object.values)) {
      expect(retry.replay).toBeGreaterThan(dart.replay);
      expect(retry.replay).toBeGreaterThan(other.replay);
      expect(retry.latency).toBeGreaterThan(dart.latency);
    }
    for (const { dart } of Object.values(langgraph.threeWay.rows['commit-sensitive'] ?? {}))
      expect(dart.replay).toBe(1);
  });

  test('count the safe-equivalent pairs of each track by their domains', () => {
    for (const { safe, comparable, ...by } of Object.values(langgraph.equivalent.rows)) {
      expect(safe).toBe(comparable);
      expect(Object.values(by).reduce((sum, count) => sum + count, 0)).toBe(comparable);
    }
  });

  test('have the witness refused by the gate, and past it as many dropped as have consumed', () => {
    const { on, off, langgraph: plain, consumers } = langgraph.witness;
    expect(on).toEqual({ admitted: false, veto: 'committed_consumers_present', dropped: 0 });
    for (const past of [off, plain]) expect(past).toEqual({ admitted: true, veto: null, dropped: consumers.length });
  });
});

test('no figure of the paper is read but through its one file, and none is spelled in the code of the audit', () => {
  const figures = readFileSync(new URL('../../audit/figures.json', import.meta.url), 'utf8');
  const telling = members(langgraph).flatMap(([, { latency }]) =>
    typeof latency === 'number' ? [String(latency)] : [],
  );
  telling.push(String(depth.payloadRatio), ...Object.values(langgraph.direct.rows).flat().map(String));
  for (const figure of telling) expect(figures).toContain(figure);
  for (const file of [...sources('audit'), ...sources('src')]) {
    const text = read(file);
    expect([file, telling.filter((figure) => text.includes(figure))]).toEqual([file, []]);
    if (text.includes('figures.json')) expect(['audit/paper.ts', 'audit/mails/main.ts']).toContain(file);
  }
});
