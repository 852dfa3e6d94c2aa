/** Compiles `once`: the parts of a call that say which act it is (semantics.md ON1), and how far an act is one. */
import { Failed, ownPath } from '../../predicates/own.ts';
import type { Once } from '../config.ts';
import { field, type Item, itemsOf, textOf } from '../page/document.ts';
import type { Findings } from '../page/finding.ts';

const PATH = /^args((?:\.[A-Za-z_$][\w$]{0,99}){0,16})$/;

/** Compiles the identity of the acts of a tool; null for a tool whose calls are acts of their own. */
export function onceIn(item: Item | null, findings: Findings): Once | null {
  if (item === null) return null;
  const by = itemsOf(item.kind === 'map' ? field(item, 'by') : item);
  const parts = new Map<string, readonly string[]>();
  for (const part of by) {
    const text = textOf(part) ?? '';
    const path = PATH.exec(text)?.[1];
    const message =
      path === undefined ? `"${text.slice(0, 100)}" names no part of the arguments` : `"${text}" is there twice`;
    if (path === undefined || parts.has(text))
      findings.report('bad_once', 'error', part.at, message, 'Write where the parts are, each once: args.invoice.');
    else parts.set(text, path.split('.').slice(1));
  }
  return {
    by: [...parts.keys()],
    scope: textOf(field(item, 'scope')) === 'store' ? 'store' : 'run',
    identityOf: (args) => identityOf([...parts.values()], args),
  };
}

function identityOf(paths: readonly (readonly string[])[], args: unknown): readonly unknown[] | null {
  const values = paths.map((path) => ownPath(args, path));
  return values.some((value) => (value ?? null) === null || value instanceof Failed) ? null : values;
}
