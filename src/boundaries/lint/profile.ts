/**
 * Checks a config against the needs of a class of agents: without these fields it runs, and fails at the first replay.
 * Pure.
 */
import type { BoundaryConfig, Tool } from '../config.ts';
import { isOutside } from '../keys/keys.ts';
import { entriesOf, field, type Item } from '../page/document.ts';
import type { Finding, Findings } from '../page/finding.ts';

/** The classes of agents. */
export const PROFILES = ['payments', 'browser', 'coding', 'research', 'support'] as const;

/** A class of agents. */
export type Profile = (typeof PROFILES)[number];

interface Missing {
  readonly code: Finding['code'];
  readonly message: string;
  readonly mend: string;
}

/** Reports what a config lacks for a class of agents, as warnings. */
export function lintProfile(profile: Profile, config: BoundaryConfig, root: Item, findings: Findings): void {
  const { ofTool, ofAll = () => [] } = NEEDS[profile];
  for (const [name, { at }] of entriesOf(field(root, 'tools'))) {
    const tool = config.tools.get(name);
    for (const { code, message, mend } of tool === undefined ? [] : ofTool(tool))
      findings.report(code, 'warning', at, `for ${profile}: ${message}`, mend);
  }
  for (const { code, message, mend } of ofAll(config))
    findings.report(code, 'warning', root.at, `for ${profile}: ${message}`, mend);
}

interface Needs {
  readonly ofTool: (tool: Tool) => readonly Missing[];
  readonly ofAll?: (config: BoundaryConfig) => readonly Missing[];
}

const NEEDS: Readonly<Record<Profile, Needs>> = {
  payments: { ofTool: (tool) => [...unknownStays(tool), ...keyWindow(tool), ...actUnnamed(tool)] },
  browser: { ofTool: (tool) => [...notLookedAt(tool), ...noObservation(tool)] },
  coding: { ofTool: (tool) => [...leavesUnasked(tool), ...notTakenBack(tool)] },
  research: { ofTool: searchMadeAgain, ofAll: (config) => [...budgetUnsaid(config), ...notSetAside(config)] },
  support: { ofTool: (tool) => [...leavesUnasked(tool), ...searchMadeAgain(tool)] },
};

function acts({ effect }: Tool): boolean {
  return effect !== 'none' && effect !== 'idempotent';
}

function unknownStays(tool: Tool): Missing[] {
  if (!acts(tool) || tool.reconcile !== null || tool.see !== null) return [];
  const message = `only a person could tell what became of a call of "${tool.name}" whose reply is lost`;
  return [
    { code: 'unknown_stays', message, mend: 'Give it a reconciler: reconcile: NAME, or reconcile: { see: NAME }.' },
  ];
}

function keyWindow(tool: Tool): Missing[] {
  const { effect, keyValid, buffer, asking } = tool;
  if (effect === 'none' || keyValid !== null || (buffer !== null && buffer !== 'call') || asking.outlivesKey) return [];
  const message = `it is not said how long the counterparty of "${tool.name}" remembers a key: a call under a forgotten key is a second act`;
  return [{ code: 'key_window_unsaid', message, mend: 'Say it: key_valid: 24h.' }];
}

function actUnnamed(tool: Tool): Missing[] {
  if (tool.effect !== 'irreversible' || tool.once !== null || tool.gate !== null) return [];
  const message = `nothing says which calls of "${tool.name}" are one act: a model that plans it again makes it again`;
  return [
    { code: 'act_unnamed', message, mend: 'Name the act: once: [args.order], or have a person asked: gate: true.' },
  ];
}

/** True for a tool that only reads outside of the context. */
function looksOutside({ effect, reads }: Tool): boolean {
  return effect === 'none' && reads.some(({ text }) => isOutside(text));
}

function notLookedAt(tool: Tool): Missing[] {
  if (!looksOutside(tool) || tool.revalidate !== null) return [];
  const message = `an act rests on what "${tool.name}" has seen, and it may be another page by then`;
  return [{ code: 'not_looked_at', message, mend: 'Look again right before the act: revalidate: 0s.' }];
}

function noObservation(tool: Tool): Missing[] {
  if (!acts(tool) || tool.see !== null) return [];
  const message = `a page cannot be asked by key what became of "${tool.name}"`;
  return [{ code: 'no_observation', message, mend: 'Settle it by looking: reconcile: { see: TOOL, applied: … }.' }];
}

function leavesUnasked(tool: Tool): Missing[] {
  if (tool.effect !== 'irreversible' || tool.gate !== null || tool.when !== null || tool.check !== null) return [];
  const message = `"${tool.name}" cannot be taken back, and nothing is asked before it leaves`;
  return [{ code: 'leaves_unasked', message, mend: 'Give it gate: true, or a condition: when: ….' }];
}

function notTakenBack(tool: Tool): Missing[] {
  const isKept = tool.effect === 'idempotent' || (acts(tool) && tool.undo === null && tool.effect !== 'irreversible');
  if (!isKept) return [];
  const message = `what "${tool.name}" does stays when its unit goes back`;
  return [{ code: 'not_taken_back', message, mend: 'Make it reversible, with undo: NAME.' }];
}

function searchMadeAgain(tool: Tool): Missing[] {
  if (!looksOutside(tool) || tool.decides || tool.revalidate !== null) return [];
  const message = `"${tool.name}" is made again in each replay, and may find something else`;
  return [{ code: 'search_made_again', message, mend: 'Keep its answers: decides: true.' }];
}

function budgetUnsaid({ budgets }: BoundaryConfig): Missing[] {
  if (budgets.size > 0) return [];
  return [
    {
      code: 'budget_unsaid',
      message: 'no budget limits a run',
      mend: 'Say one: budgets: { calls: 200 }, and spends at its tools.',
    },
  ];
}

function notSetAside({ skeletons }: BoundaryConfig): Missing[] {
  return [...skeletons.values()].flatMap(({ name, boundaries }): Missing[] => {
    if (boundaries.some(({ kind }) => kind === 'exit')) return [];
    const message = `"${name}" has no exit: where something before it goes back, its work is done again`;
    return [{ code: 'not_set_aside', message, mend: 'Give it an exit, so that its work is set aside and taken over.' }];
  });
}
