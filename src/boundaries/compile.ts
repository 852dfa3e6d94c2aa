/**
 * From a document to a config. Reads as much as makes sense whatever else is wrong, so that every problem of a file is reported at
 * once; what comes out is a config only if nothing was refused.
 */
import { EFFECT_CLASSES, type EffectClass } from '../model/effect.ts';
import { SIGNALS, type Signal } from '../model/failure.ts';
import type { Guards } from '../predicates/compile.ts';
import { suggest } from '../predicates/suggest.ts';
import type { BoundaryConfig, Skeleton, Tool } from './config.ts';
import { contentDigest } from './digest.ts';
import { entriesOf, field, type Item, itemsOf, plain, textOf, textsOf } from './document.ts';
import type { Findings, Place } from './finding.ts';
import { keysIn, keyTemplatesIn, nameIn } from './names.ts';
import { outputSchema } from './output-schema.ts';
import { compileSkeleton } from './skeleton.ts';

/** Compiles a document, telling `findings` what is wrong with it. */
export function compileConfig(root: Item, guards: Guards, findings: Findings): BoundaryConfig {
  const tools = new Map<string, Tool>();
  for (const [name, { at, item }] of entriesOf(field(root, 'tools'))) {
    nameIn(name, at, findings);
    tools.set(name, compileTool(name, at, item, findings));
  }
  const skeletons = new Map<string, Skeleton>();
  for (const [name, { at, item }] of entriesOf(field(root, 'skeletons'))) {
    nameIn(name, at, findings);
    skeletons.set(name, compileSkeleton(name, at, item, guards, findings));
  }
  checkJoint(root, skeletons, findings);
  const agent = field(root, 'agent');
  const keys = field(root, 'keys');
  return {
    agent: agent === null ? '' : nameIn(textOf(agent) ?? '', agent.at, findings),
    digest: contentDigest(plain(root)),
    tools,
    skeletons,
    blind: keysIn(field(keys, 'blind'), findings),
    append: keysIn(field(keys, 'append'), findings),
    recover: itemsOf(field(root, 'recover')).map((rule) => compileRecover(rule, tools, findings)),
    tries: numberOf(field(root, 'tries')) ?? 20,
  };
}

function compileTool(name: string, at: Place, item: Item, findings: Findings): Tool {
  const effect = EFFECT_CLASSES.find((known) => known === textOf(field(item, 'effect'))) ?? 'irreversible';
  const named = (what: string) => {
    const found = field(item, what);
    const text = textOf(found);
    return found === null || text === null ? null : nameIn(text, found.at, findings);
  };
  const undo = named('undo');
  if (undo === null && mayBeUndone(effect)) {
    const message = `"${name}" is ${effect} and names no undo: once confirmed, it blocks every rollback past it`;
    findings.report('undo_missing', 'warning', at, message, 'Add undo, or call it irreversible.');
  }
  return {
    name,
    effect,
    undo,
    reads: keyTemplatesIn(field(item, 'reads'), findings),
    writes: keyTemplatesIn(field(item, 'writes'), findings),
    reconcile: named('reconcile'),
    timeout: timeoutOf(field(item, 'timeout'), findings),
    refuses: outputOf(field(item, 'output'), findings),
  };
}

function mayBeUndone(effect: EffectClass): boolean {
  return effect === 'reversible' || effect === 'compensable';
}

const UNITS = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 } as const;
/** What a timer of the platform can wait for. */
const LONGEST_WAIT = 2 ** 31 - 1;

function timeoutOf(item: Item | null, findings: Findings): number | null {
  if (item === null) return null;
  const text = textOf(item);
  if (text === null) return numberOf(item);
  const parts = /^(\d{1,12}(?:\.\d{1,6})?)\s*(ms|s|m|h)$/.exec(text);
  const wait = parts === null ? Number.NaN : Math.round(Number(parts[1]) * UNITS[parts[2] as keyof typeof UNITS]);
  if (wait >= 1 && wait <= LONGEST_WAIT) return wait;
  const mend = 'Write milliseconds, or 500ms, 5s, 2m, 1h; at most 24 days.';
  findings.report('bad_timeout', 'error', item.at, `"${text.slice(0, 100)}" is no time`, mend);
  return null;
}

function outputOf(item: Item | null, findings: Findings): Tool['refuses'] {
  if (item === null) return () => null;
  const compiled = outputSchema(plain(item));
  if ('refuses' in compiled) return compiled.refuses;
  const mend = 'Use types, properties, items, enumerations and limits; no references and no patterns.';
  findings.report('bad_output_schema', 'error', item.at, `the output schema is refused: ${compiled.problem}`, mend);
  return () => null;
}

function compileRecover(
  rule: Item,
  tools: ReadonlyMap<string, Tool>,
  findings: Findings,
): { readonly tool: string; readonly signals: readonly Signal[] } {
  const named = field(rule, 'tool');
  const tool = textOf(named) ?? '';
  if (named !== null && tool !== '' && !tools.has(tool)) {
    findings.report('unknown_tool', 'error', named.at, `"${tool}" is no tool of this config`, () =>
      suggest(tool, tools.keys()),
    );
  }
  const texts = textsOf(field(rule, 'signals')).map(([text]) => text);
  return { tool, signals: SIGNALS.filter((signal) => texts.includes(signal)) };
}

function checkJoint(root: Item, skeletons: ReadonlyMap<string, Skeleton>, findings: Findings): void {
  for (const [, { item }] of entriesOf(field(root, 'skeletons'))) {
    for (const [name, at] of textsOf(field(field(item, 'rollback'), 'joint'))) {
      if (skeletons.has(name)) continue;
      findings.report('unknown_skeleton', 'error', at.at, `"${name}" is no skeleton of this config`, () =>
        suggest(name, skeletons.keys()),
      );
    }
  }
}

function numberOf(item: Item | null): number | null {
  return item?.kind === 'scalar' && typeof item.value === 'number' ? item.value : null;
}
