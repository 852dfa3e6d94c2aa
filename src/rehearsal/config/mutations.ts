/** Rehearses the mistakes that a reviewer may overlook: each loosening of the config is tried until a run does harm. */
import type { BoundaryConfig } from '../../boundaries/config.ts';
import type { ConfigDocument } from '../../boundaries/page/document.ts';
import type { Guards } from '../../predicates/compile.ts';
import { faultId, type RehearsedFault } from '../faults/fault.ts';
import type { Reference } from '../faults/reference.ts';
import { sampled } from '../faults/sample.ts';
import type { RehearsalCell, RehearsedMutation } from '../report.ts';
import type { Dishonesty } from '../trial/dishonesty.ts';
import { loosenings } from './loosenings.ts';
import { edited, type PageEdit, pageOf, placeOfEdit } from './page-edit.ts';

/** The parts that mutations are made of. */
export interface Mutable {
  readonly document: ConfigDocument;
  readonly config: BoundaryConfig;
  readonly guards: Guards;
  readonly references: readonly { readonly reference: Reference; readonly faults: readonly RehearsedFault[] }[];
  /** The cells that were run under the unchanged config, and whether each does harm. */
  readonly known: Map<string, boolean>;
  readonly seed: number;
  /** The most runs for each mutation. */
  readonly most: number;
  run(
    reference: Reference,
    fault: RehearsedFault,
    config: BoundaryConfig,
    dishonest: Dishonesty | null,
  ): Promise<RehearsalCell>;
  onMutation(mutation: { readonly text: string; readonly index: number; readonly of: number }): void;
}

/** Tries every loosening of a config. */
export async function mutationsOf(mutable: Mutable): Promise<readonly RehearsedMutation[]> {
  const edits = loosenings(pageOf(mutable.document));
  const mutations: RehearsedMutation[] = [];
  for (const [index, edit] of edits.entries()) {
    mutable.onMutation({ text: edit.text, index, of: edits.length });
    const config = edited(mutable.document, edit, mutable.config, mutable.guards);
    if (config === null) continue;
    const { kind, text } = edit;
    mutations.push({ kind, text, ...placeOfEdit(mutable.document, edit), found: await foundBy(mutable, edit, config) });
  }
  return mutations;
}

async function foundBy(mutable: Mutable, edit: PageEdit, config: BoundaryConfig): Promise<RehearsedMutation['found']> {
  const { references, seed, most } = mutable;
  const all = references.flatMap(({ reference, faults }) => faults.map((fault) => ({ reference, fault })));
  const near = all.filter(({ fault }) => isNear(edit, fault));
  const name = ({ reference, fault }: (typeof all)[number]) => `${reference.path.name}/${faultId(fault)}`;
  const far = sampled(
    all.filter((each) => !near.includes(each)),
    Math.max(0, most - near.length),
    seed,
    name,
  );
  for (const { reference, fault } of [...sampled(near, most, seed, name), ...far]) {
    const { verdict, id, text } = await mutable.run(reference, fault, config, edit.dishonest ?? null);
    if (verdict.is !== 'harm' || (await isHarmful(mutable, reference, fault, id))) continue;
    return { id, text, harms: verdict.harms };
  }
  return null;
}

/** True where a cell does harm under the config as it is, too. */
async function isHarmful(
  { known, run, config }: Mutable,
  reference: Reference,
  fault: RehearsedFault,
  id: string,
): Promise<boolean> {
  const is = known.get(id) ?? (await run(reference, fault, config, null)).verdict.is === 'harm';
  known.set(id, is);
  return is;
}

/** True for the faults that most often show a loosening: those of its tool, and wrong values where it is about no tool. */
function isNear({ tool }: PageEdit, fault: RehearsedFault): boolean {
  if (fault.kind === 'wrong') return true;
  return tool !== null && 'tool' in fault && fault.tool === tool;
}
