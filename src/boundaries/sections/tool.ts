/**
 * Compiles one tool: the keys that a call touches, its effect on the world, the events that it waits for, and the
 * budgets that it spends.
 */
import { EFFECT_CLASSES, type EffectClass } from '../../model/effect.ts';
import { compilePredicate } from '../../predicates/compile.ts';
import { LEAVING_SCOPE } from '../../predicates/lint.ts';
import { suggest } from '../../predicates/suggest.ts';
import type { Spend, Tool } from '../config.ts';
import { keyTemplatesIn, nameIn } from '../keys/names.ts';
import type { Scopes } from '../keys/scopes.ts';
import { amountIn } from '../page/amount.ts';
import { compiledText } from '../page/condition.ts';
import { entriesOf, field, type Item, itemsOf, numberOf, plain, textOf } from '../page/document.ts';
import type { Findings, Place } from '../page/finding.ts';
import { LONGEST_WAIT, timeIn } from '../page/time.ts';
import { argumentsIn } from './arguments.ts';
import { editsIn } from './edits.ts';
import { obligationsIn } from './obligations.ts';
import { onceIn } from './once.ts';
import { outputSchema } from './output-schema.ts';
import { redactedPartsIn } from './redact.ts';
import { checkLooks, revalidateIn, seeIn } from './revalidate.ts';
import { inSandbox } from './sandboxes.ts';

/**
 * The number of times that a counterparty is asked, and the wait before the second time, unless the config says
 * otherwise.
 */
const ASKING = { tries: 6, wait: 20, settles: null, refusesKey: false, outlivesKey: false, patient: false };

/**
 * The wait before a tool is called again, and its factor before each further call, unless the config says otherwise.
 */
const BACKOFF = { wait: 100, factor: 2 };

/** The parts of the file that tools refer to: the budgets that they may spend of, and the kinds of schemes. */
interface About {
  readonly budgets: ReadonlyMap<string, number>;
  readonly scopes: Scopes;
}

/** Compiles a tool, and reports its errors to `findings`. */
export function compileTool(name: string, at: Place, item: Item, { budgets, scopes }: About, findings: Findings): Tool {
  const effect = EFFECT_CLASSES.find((known) => known === textOf(field(item, 'effect'))) ?? 'irreversible';
  const undo = named(field(item, 'undo'), findings);
  if (undo === null && mayBeUndone(effect)) {
    const message = `"${name}" is ${effect} and names no undo: once confirmed, it blocks every rollback past it`;
    findings.report('undo_missing', 'warning', at, message, 'Add undo, or call it irreversible.');
  }
  checkHolds(name, effect, item, findings);
  checkDecides(name, effect, item, findings);
  checkLooks(name, effect, item, findings);
  return {
    name,
    effect,
    undo,
    reads: keyTemplatesIn(field(item, 'reads'), scopes, findings),
    writes: keyTemplatesIn(field(item, 'writes'), scopes, findings),
    ...reconcileOf(field(item, 'reconcile'), findings),
    retry: retryOf(field(item, 'retry'), findings),
    gate: gateOf(item, findings),
    buffer: bufferOf(field(item, 'buffer'), findings),
    once: onceIn(field(item, 'once'), findings),
    when: predicateIn(field(item, 'when'), findings),
    check: named(field(item, 'check'), findings),
    spends: spendsOf(field(item, 'spends'), budgets, findings),
    decides: isTrue(field(item, 'decides')),
    revalidate: revalidateIn(field(item, 'revalidate'), findings),
    see: seeIn(field(item, 'reconcile'), findings),
    keyValid: timeIn(field(item, 'key_valid'), findings, LONGEST_WAIT),
    obligations: obligationsIn(name, effect, field(item, 'obligations'), findings),
    redact: redactedPartsIn(field(item, 'redact'), findings),
    in: inSandbox(field(item, 'in'), effect, findings),
    timeout: timeIn(field(item, 'timeout'), findings),
    ...argumentsIn(item, findings),
    ...outputOf(field(item, 'output'), findings),
  };
}

function predicateIn(item: Item | null, findings: Findings): Tool['when'] {
  const text = textOf(item);
  return item === null || text === null ? null : compiledText(compilePredicate(text, LEAVING_SCOPE), item, findings);
}

function named(item: Item | null, findings: Findings): string | null {
  const text = textOf(item);
  return item === null || text === null ? null : nameIn(text, item.at, findings);
}

function isTrue(item: Item | null): boolean {
  return item?.kind === 'scalar' && item.value === true;
}

function mayBeUndone(effect: EffectClass): boolean {
  return effect === 'reversible' || effect === 'compensable';
}

function checkHolds(name: string, effect: EffectClass, item: Item, findings: Findings): void {
  const [gate, buffer] = [field(item, 'gate'), field(item, 'buffer')];
  const held = gate ?? buffer;
  if (held !== null && effect === 'none')
    findings.report('bad_hold', 'error', held.at, `"${name}" does nothing to the world`, 'Take it out.');
  const once = field(item, 'once');
  if (once !== null && effect === 'none')
    findings.report('bad_once', 'error', once.at, `"${name}" does nothing to the world`, 'Take it out.');
  const refuses = field(field(item, 'reconcile'), 'refuses_key');
  if (buffer !== null && refuses !== null) {
    const message = `"${name}" is made visible under the key that it was staged with, and that key would be refused`;
    findings.report('bad_hold', 'error', refuses.at, message, 'Take refuses_key or buffer, not both.');
  }
  if (gate === null || buffer === null) return;
  const message = `"${name}" would be approved long before it acts`;
  findings.report('bad_hold', 'error', gate.at, message, 'Take gate or buffer, not both.');
}

/** A call that acts has a key, and is answered from the ledger by that: it needs no second way to keep its answer. */
function checkDecides(name: string, effect: EffectClass, item: Item, findings: Findings): void {
  const decides = field(item, 'decides');
  if (!isTrue(decides) || decides === null || effect === 'none') return;
  const message = `"${name}" is ${effect}: its answers are kept by its key, and decides is for a tool that does nothing to the world`;
  findings.report('bad_decides', 'error', decides.at, message, 'Call it effect: none, or take decides out.');
}

function reconcileOf(item: Item | null, findings: Findings): Pick<Tool, 'reconcile' | 'asking'> {
  if (item?.kind !== 'map') return { reconcile: named(item, findings), asking: ASKING };
  return {
    reconcile: named(field(item, 'ask'), findings),
    asking: {
      tries: numberOf(field(item, 'tries')) ?? ASKING.tries,
      wait: timeIn(field(item, 'wait'), findings, LONGEST_WAIT) ?? ASKING.wait,
      settles: timeIn(field(item, 'settles_within'), findings, LONGEST_WAIT),
      refusesKey: isTrue(field(item, 'refuses_key')),
      outlivesKey: isTrue(field(item, 'outlives_key')),
      patient: ['tries', 'wait', 'settles_within'].some((name) => field(item, name) !== null),
    },
  };
}

function retryOf(item: Item | null, findings: Findings): Tool['retry'] {
  if (item === null) return null;
  return {
    max: numberOf(field(item, 'max')) ?? 0,
    backoff: timeIn(field(item, 'backoff'), findings, LONGEST_WAIT) ?? BACKOFF.wait,
    factor: numberOf(field(item, 'factor')) ?? BACKOFF.factor,
    jitter: numberOf(field(item, 'jitter')) ?? 0,
    never: new Set(itemsOf(field(item, 'non_retryable')).flatMap((name) => textOf(name) ?? [])),
  };
}

function gateOf(tool: Item, findings: Findings): Tool['gate'] {
  const item = field(tool, 'gate');
  if (item === null) return null;
  const expires = timeIn(field(item, 'expires'), findings, LONGEST_WAIT);
  return { expires, when: predicateIn(field(item, 'when'), findings), edits: editsIn(tool, findings) };
}

function bufferOf(item: Item | null, findings: Findings): Tool['buffer'] {
  const name = named(item, findings);
  if (name !== null) return { name };
  return item === null ? null : 'call';
}

function spendsOf(
  item: Item | null,
  budgets: ReadonlyMap<string, number>,
  findings: Findings,
): ReadonlyMap<string, Spend> {
  const spends = new Map<string, Spend>();
  for (const [name, { at, item: amount }] of entriesOf(item)) {
    if (!budgets.has(name) || name === 'calls' || name === 'time') {
      const counted = name === 'calls' || name === 'time';
      const message = counted ? `"${name}" is counted by itself` : `there is no budget "${name}"`;
      findings.report('unknown_budget', 'error', at, message, () =>
        counted ? 'Take it out.' : suggest(name, budgets.keys()),
      );
    }
    const parts = amount.kind === 'map';
    spends.set(name, {
      atMost: amountIn(parts ? field(amount, 'at_most') : amount, ['args'], findings),
      charge:
        parts && field(amount, 'charge') !== null
          ? amountIn(field(amount, 'charge'), ['args', 'output'], findings)
          : null,
    });
  }
  return spends;
}

function outputOf(item: Item | null, findings: Findings): Pick<Tool, 'refuses' | 'output'> {
  const refuses = () => null;
  if (item === null) return { refuses };
  const output = plain(item);
  const compiled = outputSchema(output);
  if ('refuses' in compiled) return { refuses: compiled.refuses, output };
  const mend = 'Use types, properties, items, enumerations and limits; no references and no patterns.';
  findings.report('bad_output_schema', 'error', item.at, `the output schema is refused: ${compiled.problem}`, mend);
  return { refuses };
}
