/** Lints of keys: keys that no tool writes, keys that no input provides, and undeclared reads of predicates. */
import type { MachineShape } from '../../model/machine.ts';
import { readsOf } from '../../predicates/reads.ts';
import type { BoundaryConfig, KeyTemplate, Skeleton, Tool } from '../config.ts';
import { keyTemplate } from '../keys/key-template.ts';
import { coverage, isOfChild, isOfSteps, isOutside } from '../keys/keys.ts';
import { entriesOf, field, type Item, itemsOf, textsOf } from '../page/document.ts';
import type { Findings } from '../page/finding.ts';

/** Reports likely mistakes in the keys of a config. `shape` is its machine; null where none was found. */
export function lintKeys(config: BoundaryConfig, root: Item, findings: Findings, shape: MachineShape | null): void {
  // The channels of a graph and the keys that a machine assigns are written without a tool.
  const channels = [...(shape?.channels ?? []), ...(shape?.assigns?.keys ?? [])];
  const writes = [...config.tools.values()].flatMap((tool) => tool.writes);
  const outputs = [...config.skeletons.values()].flatMap((skeleton) => skeleton.outputs);
  for (const [name, { item }] of entriesOf(field(root, 'skeletons'))) {
    const skeleton = config.skeletons.get(name) as Skeleton;
    const boundaries = [...itemsOf(field(item, 'commit')), ...itemsOf(field(item, 'exit'))];
    for (const list of [item, ...boundaries]) {
      for (const [text, { at }] of textsOf(field(list, 'outputs'))) {
        const key = keyTemplate(text, config.scopes);
        if (isOfSteps(key, channels) || coverage(key, writes).some) continue;
        findings.report(
          'output_unwritten',
          'warning',
          at,
          `no tool writes "${text}"`,
          'Add it to the writes of the tool that does.',
        );
      }
    }
    for (const [text, { at }] of textsOf(field(item, 'inputs'))) {
      const key = keyTemplate(text, config.scopes);
      if (isOutside(text) || isOfSteps(key, channels) || coverage(key, [...writes, ...outputs]).some) continue;
      const mend = "Add it to the writes of a tool, or make sure that the machine's own input has it.";
      findings.report('input_unprovided', 'note', at, `nothing that is declared writes "${text}"`, mend);
    }
    lintReads(skeleton, item, boundaries, findings);
    lintEntity(skeleton, item, findings);
  }
  for (const [name, { item }] of entriesOf(field(root, 'tools'))) lintNone(config.tools.get(name), item, findings);
}

/** A tool that acts on nothing has nothing to write outside: its calls are made again, and never undone. */
function lintNone(tool: Tool | undefined, item: Item, findings: Findings): void {
  if (tool?.effect !== 'none') return;
  for (const [text, { at }] of textsOf(field(item, 'writes'))) {
    if (!isOutside(text)) continue;
    const message = `"${tool.name}" has the class none and writes "${text}", which is outside: its call may be made again, and is never undone`;
    const mend = 'Give it the class of what it does there, or take the name out of its writes.';
    findings.report('none_writes_outside', 'warning', at, message, mend);
  }
}

/** Keys that name the entity tell things apart, and an entity that is one text does not. */
function lintEntity({ entity, name }: Skeleton, item: Item, findings: Findings): void {
  const place = field(item, 'entity');
  if (place === null || !/^\s*("[^"]*"|'[^']*')\s*$/.test(entity.text)) return;
  const keys = ['inputs', 'outputs'].flatMap((list) => textsOf(field(item, list)).map(([text]) => text));
  const naming = keys.find((text) => text.includes('{entity}'));
  if (naming === undefined) return;
  const message = `the entity of ${name} is always ${entity.text.trim()}, and "${naming}" names it: whatever the work is about is one unit`;
  const mend = 'Say which one it is about: args.NAME of the call on entering, for instance.';
  findings.report('entity_constant', 'warning', place.at, message, mend);
}

function lintReads(skeleton: Skeleton, item: Item, boundaries: readonly Item[], findings: Findings): void {
  // What a condition in a child machine reads is that child's own context.
  const isChild = skeleton.states.every((state) => state.includes('/'));
  if (isChild && declared(skeleton, []).some(isOfChild)) return;
  const entity = field(item, 'entity');
  if (entity !== null) lintText(skeleton.entity.text, entity, declared(skeleton, []), skeleton.name, findings);
  for (const [index, boundary] of skeleton.boundaries.entries()) {
    const when = field(boundaries[index] ?? null, 'when');
    if (when !== null)
      lintText(boundary.when.text, when, declared(skeleton, boundary.outputs), skeleton.name, findings);
  }
}

function declared({ inputs, outputs }: Skeleton, more: readonly KeyTemplate[]): readonly KeyTemplate[] {
  return [...inputs, ...outputs, ...more];
}

function lintText(text: string, at: Item, keys: readonly KeyTemplate[], skeleton: string, findings: Findings): void {
  for (const read of readsOf(text)) {
    if (coverage(keyTemplate(read), keys).all) continue;
    const message = `the condition reads "${read}", which is neither an input nor an output of ${skeleton}`;
    findings.report('read_undeclared', 'warning', at.at, message, `Add "${read}" to the inputs.`);
  }
}
