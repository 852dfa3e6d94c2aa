/** Compiles `edits` of a gate: the parts of the arguments that the person who approves a call may change (semantics.md PE1). */
import { entriesOf, field, type Item, itemsOf, textOf } from '../page/document.ts';
import type { Findings } from '../page/finding.ts';

const PLACE = /^args(?:\.(?!(?:__proto__|prototype|constructor)(?:\.|$))[A-Za-z_$][\w$]{0,99}){1,16}$/;
const HOLE = /\{(args[^{}]*)\}/g;

/** A part of the arguments that no person may change, and why. */
type Fixed = readonly [place: string, why: string];

/** Compiles the parts of the arguments of a tool that an approval may change. */
export function editsIn(tool: Item, findings: Findings): readonly string[] {
  const places: string[] = [];
  const fixed = fixedIn(tool);
  for (const item of itemsOf(field(field(tool, 'gate'), 'edits'))) {
    const text = textOf(item) ?? '';
    const why = whyNot(text, places, fixed);
    if (why === null) places.push(text);
    else findings.report('bad_edits', 'error', item.at, `"${text.slice(0, 100)}" ${why[0]}`, why[1]);
  }
  return places;
}

function whyNot(text: string, places: readonly string[], fixed: readonly Fixed[]): readonly [string, string] | null {
  if (!PLACE.test(text)) return ['names no part of the arguments', 'Write where the part is: args.cents.'];
  const other = places.find((place) => isOver(place, text));
  if (other !== undefined) return [`is there twice: as "${other}", too`, 'Take one of them out.'];
  const held = fixed.find(([place]) => isOver(place, text));
  return held === undefined ? null : [`cannot be changed: ${held[1]}`, 'Take it out: deny such a call instead.'];
}

/** True where one of two places lies within the other. */
function isOver(one: string, other: string): boolean {
  return `${one}.`.startsWith(`${other}.`) || `${other}.`.startsWith(`${one}.`);
}

/** The parts of the arguments that identify the act, fill a key, name an obligation, or are computed. */
function fixedIn(tool: Item): Fixed[] {
  const once = field(tool, 'once');
  const texts = (items: readonly Item[]) => items.map((item) => textOf(item) ?? '');
  const acts = texts(itemsOf(once?.kind === 'map' ? field(once, 'by') : once));
  const touched = ['reads', 'writes'].flatMap((name) => texts(itemsOf(field(tool, name))));
  const each = textOf(field(field(tool, 'obligations'), 'each'));
  return [
    ...acts.map((place) => [place, 'once names the act by it'] as const),
    ...touched.flatMap((text) =>
      [...text.matchAll(HOLE)].map(([, place = '']) => [place, `"${text}" is named by it`] as const),
    ),
    ...(each === null ? [] : [[each, 'obligations are read off it'] as const]),
    ...entriesOf(field(tool, 'computed')).map(([name]) => [`args.${name}`, 'it is computed'] as const),
  ];
}
