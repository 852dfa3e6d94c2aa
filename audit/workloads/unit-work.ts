/**
 * Turns the tasks of a set into units of work for the agent of unit-agent.ts, and makes its boundary config: the tools with the effect
 * classes, undos and reconcilers that the set's own reviewed config gives them, and the keys of the units.
 */
import { type BoundaryConfig, loadConfig } from 'belay-sidecar';
import { fieldOf } from '../../domains/there.ts';
import { isStep } from './agent.ts';
import type { Observed } from './observed.ts';
import { DataError, type Task, type UnitOfWork } from './set.ts';
import type { Cursor } from './unit-agent.ts';

/**
 * The units of a task in order; none where its agent does not work on units. A unit uses those that it names, and those before it that
 * change a row that it changes as well.
 * @param reference the run of the task without faults.
 */
export function unitsOf(task: Task, reference: Observed): readonly UnitOfWork[] {
  const units = task.units?.() ?? unitsOfPlan(fieldOf(task.input(), 'plan'));
  const rows = new Map<string, Set<string>>();
  for (const { unit, rows: changed } of reference.wire.applied)
    for (const row of changed) rows.set(unit, (rows.get(unit) ?? new Set()).add(row));
  const meet = (one: string, other: string) => [...(rows.get(one) ?? [])].some((row) => rows.get(other)?.has(row));
  return units.map(({ unit, uses, calls }, index) => {
    const before = units.slice(0, index).map((each) => each.unit);
    const used = before.filter((each) => uses.includes('*') || uses.includes(each) || meet(unit, each));
    return { unit, uses: used, calls };
  });
}

/** Gathers the steps of a plan by their units, in the order in which units begin. */
function unitsOfPlan(plan: unknown): readonly UnitOfWork[] {
  const units = new Map<string, { uses: string[]; calls: UnitOfWork['calls'][number][] }>();
  const steps: readonly unknown[] = Array.isArray(plan) ? plan : [];
  if (!steps.every(isStep)) return [];
  for (const [step, { unit, tool, with: more, uses }] of steps.entries()) {
    const known = units.get(unit) ?? { uses: [], calls: [] };
    known.calls.push({ tool, args: { ...more, step } });
    if (uses !== undefined) known.uses.push(uses);
    units.set(unit, known);
  }
  return [...units].map(([unit, { uses, calls }]) => ({ unit, uses, calls }));
}

/** The units that rely on a unit, and that unit: by what they use, or with a shared cursor all that come after it. */
export function relyingOn(units: readonly UnitOfWork[], wrong: string, cursor: Cursor): ReadonlySet<string> {
  const relying = new Set([wrong]);
  const from = units.findIndex(({ unit }) => unit === wrong);
  for (const { unit, uses } of units.slice(from + 1))
    if (cursor === 'shared' || uses.some((used) => relying.has(used))) relying.add(unit);
  return relying;
}

/** True for a tool whose calls carry what they were decided on. One that may be made twice has constant arguments. */
export function carries(tool: string, config: BoundaryConfig): boolean {
  const { effect = 'irreversible' } = config.tools.get(tool) ?? {};
  return effect !== 'none' && effect !== 'idempotent';
}

/** The boundary config of the agent. @throws DataError where it does not load. */
export function unitConfig(id: string, own: BoundaryConfig, tools: readonly string[], cursor: Cursor): BoundaryConfig {
  const at = cursor === 'shared' ? ['at'] : [];
  const line = (name: string, reads: readonly string[], writes: readonly string[], more: object) =>
    `  ${JSON.stringify(name)}: ${JSON.stringify({ reads: [...reads, ...at], writes: [...writes, ...at], ...more })}`;
  const unit = 'units/{args.unit}';
  const acts = tools.map((name) => {
    const { effect = 'irreversible', undo = null, reconcile = null, asking } = own.tools.get(name) ?? {};
    const asked =
      reconcile === null ? {} : { reconcile: { ask: reconcile, tries: asking?.tries, wait: `${asking?.wait}ms` } };
    const more = { effect, ...(undo !== null && { undo }), ...(effect !== 'none' && asked) };
    const writes = [`${unit}/done`, `${unit}/at`, ...(effect === 'none' ? [] : ['world:{args.unit}'])];
    return line(name, [`${unit}/seen`, `${unit}/relied`], writes, more);
  });
  const text = [
    'belay: 1',
    `agent: ${id}`,
    'tries: 1000',
    'tools:',
    line('look', ['world:{args.unit}'], [`${unit}/seen`], { effect: 'none' }),
    line('consult', ['units/{args.of}', 'world:{args.of}'], [`${unit}/relied`], { effect: 'none' }),
    line('verify', [`${unit}/done`, 'world:{args.unit}'], [`${unit}/well`], { effect: 'none' }),
    ...acts,
    'skeletons:',
    '  Unit:',
    '    entity: args.unit',
    '    states: [unit]',
    '    entry: [unit.LOOKING]',
    `    inputs: ${JSON.stringify(['plan', 'units/{entity}', ...at])}`,
    `    outputs: ${JSON.stringify(['units/{entity}', 'world:{entity}', ...at])}`,
    '    commit:',
    "      - { id: made, at: unit.MADE, when: 'memory.units[entity].?done.hasValue()', outputs: ['units/{entity}/done'] }",
    '    exit:',
    "      - { id: verified, at: unit.VERIFYING -> NEXT, when: 'memory.units[entity].?well.hasValue()', outputs: ['units/{entity}/well'] }",
    // A unit's commit promises nothing outside of the run; its calls are guarded by their classes.
    '    rollback: { anchors: [made, verified], resume: unit.LOOKING, tries: 100, joint: [Unit] }',
    '',
  ].join('\n');
  const { config, findings } = loadConfig(text, { file: `${id}.yaml` });
  if (config === null) throw new DataError(`${id}.yaml:${findings[0]?.line}: ${findings[0]?.message}`);
  return config;
}
