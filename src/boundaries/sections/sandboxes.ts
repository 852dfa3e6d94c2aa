/** Compiles the sandboxes of a config, and the field `in` of its tools (semantics.md §30). */
import type { EffectClass } from '../../model/effect.ts';
import { suggest } from '../../predicates/suggest.ts';
import type { Sandbox, Tool } from '../config.ts';
import { nameIn } from '../keys/names.ts';
import { entriesOf, field, type Item, textOf } from '../page/document.ts';
import type { Findings } from '../page/finding.ts';
import { LONGEST_WAIT, timeIn } from '../page/time.ts';

/**
 * The defaults of a sandbox. `ready`: the time that a start may take; `grace`: the time from the end of a run to the
 * destroying.
 */
const USUAL = { provider: 'folder', ready: 120_000, grace: 3_600_000 };

/** The sandboxes, by name. */
export function sandboxesIn(item: Item | null, findings: Findings): ReadonlyMap<string, Sandbox> {
  const sandboxes = new Map<string, Sandbox>();
  for (const [name, { at, item: declared }] of entriesOf(item)) {
    nameIn(name, at, findings);
    const provider = field(declared, 'provider');
    sandboxes.set(name, {
      provider: provider === null ? USUAL.provider : nameIn(textOf(provider) ?? '', provider.at, findings),
      ready: timeIn(field(declared, 'ready'), findings) ?? USUAL.ready,
      grace: timeIn(field(declared, 'grace'), findings, LONGEST_WAIT) ?? USUAL.grace,
      snapshot: isTrue(field(declared, 'snapshot')),
    });
  }
  return sandboxes;
}

/** Compiles `in`: the name of a sandbox, or a map. An irreversible effect always lies beyond the sandbox. */
export function inSandbox(item: Item | null, effect: EffectClass, findings: Findings): Tool['in'] {
  if (item === null) return null;
  const named = item.kind === 'map' ? field(item, 'sandbox') : item;
  if (named === null) return null;
  const beyond = effect === 'irreversible' || (item.kind === 'map' && isTrue(field(item, 'beyond')));
  return { sandbox: nameIn(textOf(named) ?? '', named.at, findings), beyond };
}

/**
 * Reports tools in undeclared sandboxes, and fields of such tools that no enumeration has tried together with a
 * sandbox.
 */
export function checkSandboxes(root: Item, sandboxes: ReadonlyMap<string, Sandbox>, findings: Findings): void {
  const [alternatives] = entriesOf(field(root, 'alternatives'));
  for (const [name, { item }] of entriesOf(field(root, 'tools'))) {
    const at = field(item, 'in');
    if (at === null) continue;
    const sandbox = textOf(at.kind === 'map' ? field(at, 'sandbox') : at) ?? '';
    if (!sandboxes.has(sandbox))
      findings.report('unknown_sandbox', 'error', at.at, `"${sandbox}" is no sandbox of this config`, () =>
        suggest(sandbox, sandboxes.keys()),
      );
    const beside = besideOf(item, alternatives?.[0]);
    if (beside === null) continue;
    findings.report('bad_in', 'error', at.at, `"${name}" works in a sandbox, and ${beside}`, 'Take one of both out.');
  }
}

/** The reason why a tool cannot work in a sandbox; null if there is none. */
function besideOf(item: Item, alternatives: string | undefined): string | null {
  if (alternatives !== undefined) return `"${alternatives}" has alternatives`;
  if (field(item, 'buffer') !== null) return 'is staged: its commit may come when the sandbox is stopped';
  if (field(item, 'revalidate') !== null) return 'is revalidated';
  if (field(field(item, 'reconcile'), 'see') !== null) return 'is settled by looking';
  return null;
}

function isTrue(item: Item | null): boolean {
  return item?.kind === 'scalar' && item.value === true;
}
