/**
 * Lints `release`: finds keys that a boundary releases and that a state behind it may touch again (semantics.md ER9).
 */
import { type Key, overlaps } from '../../model/key.ts';
import type { Boundary, BoundaryConfig, KeyTemplate } from '../config.ts';
import { widened } from '../keys/key-template.ts';
import { entriesOf, field, type Item, itemsOf, textOf } from '../page/document.ts';
import type { Findings } from '../page/finding.ts';
import type { Reach } from './reach.ts';

/** Reports the tools that a state behind a boundary may call on a key that the boundary releases. */
export function lintReleases(config: BoundaryConfig, root: Item, reach: Reach, findings: Findings): void {
  for (const [name, { item }] of entriesOf(field(root, 'skeletons'))) {
    for (const boundary of config.skeletons.get(name)?.boundaries ?? []) {
      const at = releaseOf(item, boundary.id)?.at;
      if (at === undefined || boundary.release.length === 0) continue;
      for (const [tool, state] of toolsBehind(boundary, reach)) {
        const met = touchedBy(config, tool, boundary.release);
        if (met === null) continue;
        const message = `"${tool}" in "${state}" may touch ${met.text} again, which ${boundary.id} promises not to touch`;
        const mend = 'Such a call is refused, late_touch: release the key at a later boundary.';
        findings.report('release_touched_later', met.isSure ? 'warning' : 'note', at, message, mend);
      }
    }
  }
}

function releaseOf(skeleton: Item | null, id: string): Item | null {
  const boundaries = ['commit', 'exit'].flatMap((kind) => itemsOf(field(skeleton, kind)));
  return field(boundaries.find((each) => textOf(field(each, 'id')) === id) ?? null, 'release');
}

/** The tools that states behind a boundary call, each with the first such state. */
function toolsBehind({ site }: Boundary, reach: Reach): ReadonlyMap<string, string> {
  const tools = new Map<string, string>();
  const seen = new Set<string>();
  const next = ['at' in site ? site.at : site.to];
  for (let to = next.pop(); to !== undefined; to = next.pop()) {
    if (seen.has(to) || !reach.states.has(to)) continue;
    seen.add(to);
    for (const path of reach.entered(to)) next.push(...behind(path, reach, tools));
  }
  return tools;
}

/** Notes the tools of a state. @returns the states that follow it, and the roots of the machines that it invokes. */
function behind(path: string, { states, shape }: Reach, tools: Map<string, string>): readonly string[] {
  const prefix = path.slice(0, path.lastIndexOf('/') + 1);
  const next = shape.edges.filter(({ from }) => from === path).map(({ to }) => to);
  for (const { tool } of states.get(path)?.invokes ?? []) {
    if (tool !== null && states.has(`${prefix}${tool}/`)) next.push(`${prefix}${tool}/`);
    else if (tool !== null && !tools.has(tool)) tools.set(tool, path);
  }
  return next;
}

/**
 * The released key that a tool may touch; `isSure` if both keys name one thing. Another lint reports undeclared tools.
 */
function touchedBy(
  { tools }: BoundaryConfig,
  name: string,
  release: readonly KeyTemplate[],
): { readonly text: string; readonly isSure: boolean } | null {
  const tool = tools.get(name);
  if (tool === undefined) return null;
  const touched = [...tool.reads, ...tool.writes].flatMap((template) => [...widened(template)]);
  const isOne = (key: Key, template: KeyTemplate) => !key.pattern && !template.text.includes('{');
  for (const template of release)
    for (const key of widened(template)) {
      const met = touched.find((each) => overlaps(each, key));
      if (met !== undefined) return { text: template.text, isSure: isOne(key, template) && !met.pattern };
    }
  return null;
}
