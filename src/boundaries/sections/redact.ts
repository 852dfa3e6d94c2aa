/**
 * Values that a config keeps out of everything that people read: keys of the context, and parts of arguments and
 * outputs.
 */
import type { Key } from '../../model/key.ts';
import type { RedactionRules } from '../../model/redaction.ts';
import { readsOf } from '../../predicates/reads.ts';
import type { Skeleton, Tool } from '../config.ts';
import { keyTemplate } from '../keys/key-template.ts';
import { coverage } from '../keys/keys.ts';
import { keysIn } from '../keys/names.ts';
import { BUILT_IN } from '../keys/scopes.ts';
import { entriesOf, field, type Item, textsOf } from '../page/document.ts';
import type { Findings } from '../page/finding.ts';

/** A part of a call: `args.card`, `output.tokens.*`, or all of it. */
const PART = /^(?:args|output)(?:\.(?:\*|[A-Za-z0-9_][\w-]*))*$/;

/** The keys of the context that a config redacts. */
export function redactedKeysIn(list: Item | null, findings: Findings): readonly Key[] {
  for (const [text, { at }] of textsOf(list)) {
    const scheme = /^[a-z][a-z0-9+.-]*:/.exec(text)?.[0];
    if (scheme === undefined || scheme === 'actor:') continue;
    const message = `"${text.slice(0, 100)}" lies outside of the context, where Belay sees no value`;
    const mend = 'Name the part of the call that has it, at its tool: redact: [args.card, output.token].';
    findings.report('bad_redaction', 'error', at, message, mend);
  }
  return keysIn(list, BUILT_IN, findings);
}

/** The parts of its calls that a tool redacts. */
export function redactedPartsIn(list: Item | null, findings: Findings): readonly string[] {
  return textsOf(list).flatMap(([text, { at }]) => {
    if (PART.test(text)) return [text];
    const message = `"${text.slice(0, 100)}" is no part of a call`;
    findings.report('bad_redaction', 'error', at, message, 'Write args.NAME or output.NAME, with * for every member.');
    return [];
  });
}

/** The rules as a run journals them, for a reader without the config. */
export function redactionRules({
  redact,
  tools,
}: {
  readonly redact: readonly Key[];
  readonly tools: ReadonlyMap<string, Pick<Tool, 'redact'>>;
}): RedactionRules {
  const parts = [...tools].filter(([, tool]) => tool.redact.length > 0).map(([name, tool]) => [name, tool.redact]);
  return { keys: redact.map(({ text }) => text), tools: Object.fromEntries(parts) };
}

/** Refuses redacted values in names: keys and the names of instances stand in every text. */
export function checkNames(
  root: Item,
  skeletons: ReadonlyMap<string, Skeleton>,
  tools: ReadonlyMap<string, Tool>,
  findings: Findings,
): void {
  const mend = 'Name it by something that people may read, such as an id that stands for it.';
  const parts = [...tools.values()].flatMap((tool) => tool.redact.filter((part) => part.startsWith('args')));
  for (const [name, { item }] of entriesOf(field(root, 'tools'))) {
    const own = tools.get(name)?.redact ?? [];
    for (const [text, { at }] of [...textsOf(field(item, 'reads')), ...textsOf(field(item, 'writes'))]) {
      const hole = holesOf(text).find((path) => own.some((part) => isWithin(path, part)));
      if (hole === undefined) continue;
      findings.report('redacted_name', 'error', at, `a key would show "${hole}", which "${name}" redacts`, mend);
    }
  }
  const keys = textsOf(field(root, 'redact')).map(([text]) => text);
  for (const [name, { item }] of entriesOf(field(root, 'skeletons'))) {
    const entity = field(item, 'entity');
    const text = skeletons.get(name)?.entity.text ?? '';
    const shown = [
      ...memoryOf(text, keys),
      ...argsOf(text).filter((path) => parts.some((part) => isWithin(path, part))),
    ][0];
    if (entity === null || shown === undefined) continue;
    findings.report('redacted_name', 'error', entity.at, `the entity would show "${shown}", which is redacted`, mend);
  }
}

function holesOf(text: string): string[] {
  return [...text.matchAll(/\{(args[^{}]*)\}/g)].map(([, path = '']) => path);
}

function argsOf(expression: string): string[] {
  return [...expression.matchAll(/\bargs(?:\.\??[A-Za-z_]\w*)*/g)].map(([path]) => path.replaceAll('?', ''));
}

/** The redacted keys that an expression reads. */
function memoryOf(expression: string, keys: readonly string[]): string[] {
  try {
    const redacted = keys.map((key) => keyTemplate(key));
    return readsOf(expression).filter((read) => coverage(keyTemplate(read), redacted).some);
  } catch {
    return []; // the expression, or the key, is refused elsewhere
  }
}

/** True if one member path lies under the other, or holds it. */
function isWithin(path: string, part: string): boolean {
  const [one, other] = [path.split('.'), part.split('.')];
  return one.slice(0, other.length).every((name, index) => other[index] === '*' || other[index] === name);
}
