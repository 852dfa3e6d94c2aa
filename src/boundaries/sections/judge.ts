/** Compiles the judge of a boundary: the tool whose verdict the boundary waits for, and how its answers are read (semantics.md JU1 to JU6). */
import { compileJudged, compilePredicate } from '../../predicates/compile.ts';
import { JUDGED_SCOPE } from '../../predicates/lint.ts';
import type { Expression, Predicate } from '../../predicates/predicate.ts';
import { suggest } from '../../predicates/suggest.ts';
import type { Judge, Tool } from '../config.ts';
import { compiledText } from '../page/condition.ts';
import { entriesOf, field, type Item, itemsOf, textOf } from '../page/document.ts';
import type { Findings } from '../page/finding.ts';

/** Compiles a judge, and reports its errors to `findings`; null for a boundary without one. */
export function judgeIn(item: Item | null, findings: Findings): Judge | null {
  if (item === null) return null;
  return {
    by: textOf(field(item, 'by')) ?? '',
    pass: conditionIn(field(item, 'pass'), findings) ?? NEVER,
    sure: conditionIn(field(item, 'sure'), findings),
    why: textIn(field(item, 'why'), findings),
    found: textIn(field(item, 'found'), findings),
    weak: textOf(field(item, 'weak')) === 'reject' ? 'reject' : 'review',
    reject: textOf(field(item, 'reject')) === 'abort' ? 'abort' : 'restore',
  };
}

const NEVER: Predicate = { text: '', ask: () => ({ is: 'unknown', reason: 'no_predicate' }) };

function conditionIn(item: Item | null, findings: Findings): Predicate | null {
  const text = textOf(item);
  return item === null || text === null ? null : compiledText(compilePredicate(text, JUDGED_SCOPE), item, findings);
}

function textIn(item: Item | null, findings: Findings): Expression | null {
  const text = textOf(item);
  return item === null || text === null ? null : compiledText(compileJudged(text), item, findings);
}

/** The fields of a tool that say how its calls wait, or where they work: a judge is asked at once, by the sidecar alone. */
const UNFIT = ['gate', 'buffer', 'in', 'when', 'check', 'revalidate'] as const;

/** Reports each judge that is no tool, that may change the world, or whose calls would wait for something else. */
export function checkJudges(root: Item, tools: ReadonlyMap<string, Pick<Tool, 'effect'>>, findings: Findings): void {
  const declared = new Map(entriesOf(field(root, 'tools')).map(([name, { item }]) => [name, item]));
  const [alternatives] = entriesOf(field(root, 'alternatives'));
  for (const judge of judgesOf(root)) {
    const by = field(judge, 'by');
    const name = textOf(by);
    if (by === null || name === null) continue;
    const refuse = (what: string, mend: string) => findings.report('bad_judge', 'error', by.at, what, mend);
    const effect = tools.get(name)?.effect;
    const unfit = UNFIT.find((each) => field(declared.get(name) ?? null, each) !== null);
    if (effect === undefined)
      findings.report('unknown_tool', 'error', by.at, `"${name}" is no tool of this config`, () =>
        suggest(name, tools.keys()),
      );
    else if (effect !== 'none')
      refuse(`"${name}" is ${effect}: a judge changes nothing`, 'Name a tool with effect: none.');
    else if (unfit !== undefined)
      refuse(`"${name}" has ${unfit}, and a judge is asked as it is`, `Take ${unfit} out, or name another tool.`);
    else if (alternatives !== undefined)
      refuse(`a judge beside the alternatives "${alternatives[0]}"`, 'Take one of both out.');
  }
}

function judgesOf(root: Item): Item[] {
  return entriesOf(field(root, 'skeletons')).flatMap(([, { item }]) =>
    ['commit', 'exit'].flatMap((kind) =>
      itemsOf(field(item, kind)).flatMap((boundary) => field(boundary, 'judge') ?? []),
    ),
  );
}
