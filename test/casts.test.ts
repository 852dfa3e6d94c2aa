/** Casts in the agents and in the audit: none, but where no type could carry what is known, and that is named here with its reason. */
import ts from 'typescript';
import { expect, test } from 'vitest';
import { read, sources } from './pages.ts';

/** The files that cast: how often, and what no type can say there. `as const` is none, and `as unknown as T` is one cast. */
const CASTS: Readonly<Record<string, readonly [count: number, reason: string]>> = {
  'audit/guards.ts': [2, 'a decision reads parts of a history that its published class does not name'],
  'audit/junit.ts': [1, 'the types of the library say that its builder lies one deeper than it does'],
  'audit/langgraph/tools.ts': [1, 'the actors of a machine answer anything: the types of the answers are elsewhere'],
  'domains/planner/planner.ts': [1, 'the question that was asked decides what its line of the script is shown'],
  'domains/there.ts': [1, 'keys of a value are those of its type only where its maker says so'],
};

/** Counts the casts and the non-null assertions of a text. */
function castsIn(text: string): number {
  let count = 0;
  const look = (node: ts.Node): void => {
    if (isCast(node)) count += 1;
    ts.forEachChild(node, look);
  };
  look(ts.createSourceFile('text.ts', text, ts.ScriptTarget.Latest, true));
  return count;
}

function isCast(node: ts.Node): boolean {
  if (ts.isNonNullExpression(node)) return true;
  if (!ts.isAsExpression(node) && !ts.isTypeAssertionExpression(node)) return false;
  // The inner one of `as unknown as T` is a part of that.
  return !ts.isConstTypeReference(node.type) && !ts.isAsExpression(node.parent);
}

test('agents and the audit cast nowhere but where the table says, and as often as it says', () => {
  const found = [...sources('domains'), ...sources('audit')].flatMap((file): [string, number][] => {
    const count = castsIn(read(file));
    return count === 0 ? [] : [[file, count]];
  });
  const named = Object.entries(CASTS).map(([file, [count]]): [string, number] => [file, count]);
  expect(Object.fromEntries(found)).toEqual(Object.fromEntries(named));
});

test('casts are found whatever their form, and what is no cast is not taken for one', () => {
  const lines = ['const a = b as C;', 'const d = <C>b;', 'const e = b!;', 'const f = (b as unknown as C).g;'];
  const none = [
    "import { a as b } from 'c';",
    "const d = 'as' as const;",
    'export { b as e };',
    'const f = {} satisfies C;',
  ];
  expect(lines.map(castsIn)).toEqual([1, 1, 1, 1]);
  expect(none.map(castsIn)).toEqual([0, 0, 0, 0]);
});
