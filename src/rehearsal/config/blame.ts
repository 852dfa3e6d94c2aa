/** Says where a config promises too much: the lines whose tightening removes a harm. */
import type { BoundaryConfig } from '../../boundaries/config.ts';
import type { ConfigDocument } from '../../boundaries/page/document.ts';
import type { Guards } from '../../predicates/compile.ts';
import type { RehearsedFault } from '../faults/fault.ts';
import type { Reference } from '../faults/reference.ts';
import type { Culprit, RehearsalCell } from '../report.ts';
import type { Dishonesty } from '../trial/dishonesty.ts';
import { edited, type Page, type PageEdit, pageOf, placeOfEdit } from './page-edit.ts';
import { tightenings } from './tightenings.ts';

/** A page that is rehearsed, and how it is run. */
export interface Tried {
  readonly document: ConfigDocument;
  /** The page as it is run, where that is not what the document says. */
  readonly page?: Page;
  readonly config: BoundaryConfig;
  readonly guards: Guards;
  readonly dishonest: Dishonesty | null;
  run(config: BoundaryConfig, dishonest: Dishonesty | null): Promise<RehearsalCell>;
}

/** The culprits of a harm, the most exact first. */
export async function culpritsOf(
  { document, page = pageOf(document), config, guards, dishonest, run }: Tried,
  fault: RehearsedFault,
  { course }: Reference,
): Promise<readonly Culprit[]> {
  const tool = 'tool' in fault ? fault.tool : null;
  const isAbout = (edit: PageEdit) => edit.tool !== null && edit.tool === tool;
  const edits = tightenings(page, shownBy(course));
  const near = [...edits.filter(isAbout), ...edits.filter((each) => !isAbout(each))];
  const inOrder = near.toSorted((one, other) => leastRank(one) - leastRank(other));
  const culprits: Culprit[] = [];
  for (const edit of inOrder) {
    // A tightening that is less exact than the culprits found so far says nothing more.
    if (culprits.some((found) => rankOf(found) < leastRank(edit))) break;
    const isOfPage = edit.change !== undefined;
    const change = { ...edit, change: (fresh: Page) => applied(fresh, page, edit) };
    const tightened = isOfPage ? edited(document, change, config, guards) : config;
    if (tightened === null) continue;
    const { verdict } = await run(tightened, edit.dishonest ?? dishonest);
    if (verdict.is !== 'same' && verdict.is !== 'parked') continue;
    culprits.push({ kind: edit.kind, text: edit.text, leadsTo: verdict.is, ...placeOfEdit(document, edit) });
  }
  return culprits.toSorted((one, other) => rankOf(one) - rankOf(other));
}

function shownBy({ seen: { calls } }: Reference['course']): Parameters<typeof tightenings>[1] {
  const keyless = calls.filter(({ key, tookKey, acted }) => key !== null && acted && !tookKey);
  return {
    called: new Set(calls.map(({ tool }) => tool)),
    fields: [...new Set(calls.flatMap(({ args }) => textFields(args)))],
    argless: new Set(calls.flatMap(({ tool, args }) => (args === null ? [tool] : []))),
    keyless: new Set(keyless.map((call) => call.tool)),
  };
}

/** Kinds of tightenings that change nothing but what they are about, the most telling first where they only park. */
const EXACT = [
  ...['entities merged', 'joint all', 'timeout missing', 'key unused', 'undo idle', 'reconciler lies'],
  ...['tool unlisted', 'blind added'],
];
/** The others, the most exact first. */
const BLUNT = ['read removed', 'outside key removed', 'condition always true', 'idempotent', 'append added'];

/**
 * Ranks a tightening, the best first: a run that ends like the run without faults before a run that parks, an exact
 * kind before a blunt kind.
 */
function rankOf({ kind, leadsTo }: Pick<Culprit, 'kind' | 'leadsTo'>): number {
  const exact = EXACT.indexOf(kind);
  if (exact >= 0) return leadsTo === 'same' ? 0 : 3 + exact / 10;
  // To call a tool irreversible parks, as a rule: that is what it is for.
  const isMeant = leadsTo === 'same' || kind === 'idempotent';
  return 2 + BLUNT.indexOf(kind) + (isMeant ? 0 : BLUNT.length);
}

/** The best rank that a tightening can have. */
function leastRank({ kind }: PageEdit): number {
  return rankOf({ kind, leadsTo: 'same' });
}

/** Puts the page that is run in the place of the one that the document says, and edits it. */
function applied(fresh: Page, page: Page, { change }: PageEdit): void {
  for (const name of Object.keys(fresh)) delete fresh[name as keyof Page];
  Object.assign(fresh, structuredClone(page));
  change?.(fresh);
}

function textFields(args: unknown): readonly string[] {
  if (typeof args !== 'object' || args === null) return [];
  return Object.entries(args).flatMap(([name, value]) => (typeof value === 'string' ? [name] : []));
}
