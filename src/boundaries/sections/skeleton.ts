/** Compiles one skeleton: its entity, its begin and end, its boundaries, and the limits of its rollback. */
import {
  compileEntity,
  compileMessage,
  compilePredicate,
  type Guards,
  guardPredicate,
} from '../../predicates/compile.ts';
import type { Expression, Predicate } from '../../predicates/predicate.ts';
import { suggest } from '../../predicates/suggest.ts';
import type { Boundary, Discard, Invariant, KeyTemplate, Rollback, Site, Skeleton } from '../config.ts';
import { keyTemplatesIn, nameIn } from '../keys/names.ts';
import type { Scopes } from '../keys/scopes.ts';
import { amountIn } from '../page/amount.ts';
import { compiledText } from '../page/condition.ts';
import { entriesOf, field, type Item, itemsOf, numberOf, textOf, textsOf } from '../page/document.ts';
import type { Findings, Place } from '../page/finding.ts';
import { judgeIn } from './judge.ts';

/** A guard as a text: the other form is a map with the field `guard`. */
const GUARD_TEXT = /^guard:\s*(.*)$/s;
const GUARD = /^[^@\s]{1,200}@[0-9a-f]{16}$/;

/** The context in which the texts of a skeleton are read. */
interface Terms {
  readonly guards: Guards;
  readonly scopes: Scopes;
}

/** Compiles a skeleton, and reports its errors to `findings`. */
export function compileSkeleton(name: string, at: Place, item: Item, terms: Terms, findings: Findings): Skeleton {
  const { scopes } = terms;
  const outputs = keyTemplatesIn(field(item, 'outputs'), scopes, findings);
  const boundaries = (['commit', 'exit'] as const).flatMap((kind) => {
    return itemsOf(field(item, kind)).map((boundary) => compileBoundary(kind, boundary, outputs, terms, findings));
  });
  checkIds(item, findings);
  const states = textsOf(field(item, 'states')).map(([text]) => text);
  const entry = textsOf(field(item, 'entry'));
  for (const [state, where] of entry) {
    if (states.length === 0 || states.some((outer) => isWithin(state, outer))) continue;
    findings.report('entry_outside_states', 'error', where.at, `"${state}" is not among the states of ${name}`, () =>
      suggest(state, states),
    );
  }
  const rollback = compileRollback(field(item, 'rollback'), boundaries, findings);
  if (rollback.anchors.length === 0 && boundaries.length > 0) {
    const message = `${name} has no anchors: no boundary of it ever certifies, and only its entry can be restored`;
    findings.report('nothing_restorable_but_entry', 'warning', at, message, 'List boundaries under rollback.anchors.');
  }
  return {
    name,
    entity: entityOf(field(item, 'entity'), findings),
    states,
    entry: entry.map(([state]) => state),
    inputs: keyTemplatesIn(field(item, 'inputs'), scopes, findings),
    required: requiredOf(item, scopes, findings),
    outputs,
    boundaries,
    discards: itemsOf(field(item, 'discard')).map((edge) => discardOf(edge, findings)),
    rollback,
  };
}

/** True if a state is another or lies within it, by their paths. */
export function isWithin(state: string, outer: string): boolean {
  if (outer === '' || outer.endsWith('/')) return state.startsWith(outer);
  return state === outer || state.startsWith(`${outer}.`);
}

function requiredOf(item: Item, scopes: Scopes, findings: Findings): readonly KeyTemplate[] {
  const inputs = textsOf(field(item, 'inputs')).map(([text]) => text);
  for (const [text, { at }] of textsOf(field(item, 'required'))) {
    if (inputs.includes(text)) continue;
    findings.report('required_not_input', 'error', at, `"${text}" is required but is no input`, () =>
      suggest(text, inputs),
    );
  }
  return keyTemplatesIn(field(item, 'required'), scopes, findings);
}

function compileBoundary(
  kind: 'commit' | 'exit',
  item: Item,
  outputs: readonly KeyTemplate[],
  { guards, scopes }: Terms,
  findings: Findings,
): Boundary {
  const id = field(item, 'id');
  const own = field(item, 'outputs');
  return {
    id: id === null ? '' : nameIn(textOf(id) ?? '', id.at, findings),
    kind,
    site: siteOf(field(item, 'at'), findings),
    when: conditionOf(field(item, 'when'), guards, findings),
    outputs: own === null ? outputs : keyTemplatesIn(own, scopes, findings),
    invariants: itemsOf(field(item, 'invariants')).map((invariant) => invariantOf(invariant, findings)),
    release: releasedIn(field(item, 'release'), scopes, findings),
    message: messageOf(field(item, 'message'), findings),
    judge: judgeIn(field(item, 'judge'), findings),
  };
}

function messageOf(item: Item | null, findings: Findings): Expression | null {
  const text = textOf(item);
  return item === null || text === null ? null : compiledText(compileMessage(text), item, findings);
}

/** The keys that are released at a boundary: those of the context are claimed by no run. */
function releasedIn(list: Item | null, scopes: Scopes, findings: Findings): readonly KeyTemplate[] {
  for (const [text, { at }] of textsOf(list)) {
    if (text === '' || /^[a-z][a-z0-9+.-]*:/.test(text)) continue;
    const mend = 'Name what tools touch outside: stock:{entity}.';
    findings.report('bad_key', 'error', at, `"${text.slice(0, 100)}" lies in the context, which no run claims`, mend);
  }
  return keyTemplatesIn(list, scopes, findings);
}

function discardOf(item: Item, findings: Findings): Discard {
  const [id, at] = [field(item, 'id'), field(item, 'at')];
  const site = siteOf(at, findings);
  if ('at' in site && at !== null && site.at !== '')
    findings.report('bad_site', 'error', at.at, `"${site.at}" is no edge`, 'Work is discarded on an edge: FROM -> TO.');
  const [from, to] = 'at' in site ? [site.at, site.at] : [site.from, site.to];
  return { id: id === null ? '' : nameIn(textOf(id) ?? '', id.at, findings), from, to };
}

function invariantOf(item: Item, findings: Findings): Invariant {
  const id = field(item, 'id');
  const sum = entriesOf(field(item, 'sum')).map(([tool, { item: amount }]) => {
    return [tool, amountIn(amount, ['args'], findings)] as const;
  });
  return {
    id: id === null ? '' : nameIn(textOf(id) ?? '', id.at, findings),
    sum: new Map(sum),
    is: numberOf(field(item, 'is')) ?? 0,
  };
}

function checkIds(item: Item, findings: Findings): void {
  const seen = new Set<string>();
  for (const boundary of ['commit', 'exit', 'discard'].flatMap((kind) => itemsOf(field(item, kind)))) {
    const id = field(boundary, 'id');
    const text = textOf(id);
    if (id === null || text === null) continue;
    if (seen.has(text)) {
      findings.report(
        'duplicate_boundary',
        'error',
        id.at,
        `there is a boundary "${text}" already`,
        'Give it a name of its own.',
      );
    }
    seen.add(text);
  }
}

function siteOf(item: Item | null, findings: Findings): Site {
  const text = textOf(item);
  if (item === null || text === null) return { at: '' };
  const ends = text.split('->').map((end) => end.trim());
  const [from = '', to] = ends;
  if (ends.length > 2 || ends.includes('')) {
    findings.report(
      'bad_site',
      'error',
      item.at,
      `"${text.slice(0, 100)}" is no state and no edge`,
      'Write STATE, or FROM -> TO.',
    );
  }
  return to === undefined ? { at: from } : { from, to };
}

const NEVER: Predicate = { text: '', ask: () => ({ is: 'unknown', reason: 'no_predicate' }) };

function conditionOf(item: Item | null, guards: Guards, findings: Findings): Predicate {
  if (item === null) return NEVER;
  const text = textOf(item);
  const guard = text === null ? textOf(field(item, 'guard')) : GUARD_TEXT.exec(text)?.[1];
  if (typeof guard === 'string') return guardOf(guard, item, guards, findings);
  if (text === null) return NEVER;
  return compiledText(compilePredicate(text), item, findings) ?? NEVER;
}

/** A missing guard is no refusal: the config runs, and a boundary with that guard never certifies. */
function guardOf(reference: string, item: Item, guards: Guards, findings: Findings): Predicate {
  if (!GUARD.test(reference)) {
    const mend =
      'Write guard: name@digest, the digest being the first 16 hex digits of the SHA-256 of its source text.';
    findings.report('wrong_form', 'error', item.at, `"${reference.slice(0, 100)}" names no guard`, mend);
    return NEVER;
  }
  const { predicate, problems } = guardPredicate(reference, guards);
  for (const { code, message, mend } of problems) {
    findings.report(code, 'warning', item.at, `${message}; a boundary with it never certifies`, mend);
  }
  const message = `${reference} is code, which no reader of this file can see`;
  findings.report('guard_used', 'warning', item.at, message, 'Say it in CEL if CEL can say it.');
  return predicate;
}

function entityOf(item: Item | null, findings: Findings): Expression {
  const text = textOf(item) ?? '';
  const compiled = item === null || text === '' ? null : compiledText(compileEntity(text), item, findings);
  return compiled ?? { text, evaluate: () => ({ reason: 'no_expression' }) };
}

function compileRollback(item: Item | null, boundaries: readonly Boundary[], findings: Findings): Rollback {
  const ids = boundaries.map(({ id }) => id);
  const anchors = textsOf(field(item, 'anchors'));
  for (const [id, { at }] of anchors) {
    if (ids.includes(id)) continue;
    findings.report('unknown_boundary', 'error', at, `"${id}" is no boundary of this skeleton`, () => suggest(id, ids));
  }
  const pending = textsOf(field(item, 'pending'));
  for (const [id, { at }] of pending) {
    const mend = 'An anchor is reviewed: list it in one of the two.';
    if (!ids.includes(id))
      findings.report('unknown_boundary', 'error', at, `"${id}" is no boundary of this skeleton`, () =>
        suggest(id, ids),
      );
    else if (anchors.some(([anchor]) => anchor === id))
      findings.report('pending_anchor', 'error', at, `"${id}" is pending and an anchor`, mend);
  }
  const outcome = field(item, 'outcome_checkpoints');
  const tries = field(item, 'tries');
  return {
    anchors: anchors.map(([id]) => id),
    pending: pending.map(([id]) => id),
    compensable: textOf(field(item, 'compensable')) === 'undo' ? 'undo' : 'block',
    joint: textsOf(field(item, 'joint')).map(([name]) => name),
    exits: textOf(field(item, 'exits')) === 'restorable' ? 'restorable' : 'refused',
    outcomeCheckpoints: outcome?.kind === 'scalar' && outcome.value === true,
    resume: textOf(field(item, 'resume')),
    tries: tries?.kind === 'scalar' && typeof tries.value === 'number' ? tries.value : 3,
  };
}
