import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { expect, test } from 'vitest';

const LISTS: readonly (readonly [name: string, list: string])[] = [
  ['belay-sidecar', '../src/index.ts'],
  ['belay-sidecar/adapters', '../src/adapters/index.ts'],
  ['belay-sidecar/decision', '../src/recovery/index.ts'],
  ['belay-sidecar/flow', '../src/flow/flow.ts'],
  ['belay-sidecar/loop', '../src/loop/loop.ts'],
  ['belay-sidecar/ai', '../src/ai/index.ts'],
  ['belay-sidecar/openai-agents', '../src/openai/index.ts'],
  ['belay-sidecar/postgres', '../src/journal/postgres/store.ts'],
  ['belay-sidecar/otel', '../src/otel/otel.ts'],
  ['belay-sidecar/langgraph', '../src/langgraph/index.ts'],
  ['belay-sidecar/reports', '../src/reports/index.ts'],
  ['belay-sidecar/sqlite', '../src/journal/sqlite/store.ts'],
  ['belay-sidecar/testing', '../src/testing/index.ts'],
  ['belay-sidecar/workers', '../src/workers/index.ts'],
  ['belay-sidecar/xstate', '../src/xstate/index.ts'],
];

/** The names of the global scope that a public name would hide from its user. */
const GLOBALS = new Set(Object.getOwnPropertyNames(globalThis));

const fileOf = (list: string) => fileURLToPath(new URL(list, import.meta.url));
const program = ts.createProgram(
  LISTS.map(([, list]) => fileOf(list)),
  {
    strict: true,
    target: ts.ScriptTarget.ES2023,
    module: ts.ModuleKind.NodeNext,
    allowImportingTsExtensions: true,
    noEmit: true,
  },
);
const checker = program.getTypeChecker();

function namesOf(list: string): readonly ts.Symbol[] {
  const module = checker.getSymbolAtLocation(program.getSourceFile(fileOf(list)) as ts.SourceFile) as ts.Symbol;
  return checker.getExportsOfModule(module).map((name) => {
    return (name.flags & ts.SymbolFlags.Alias) !== 0 ? checker.getAliasedSymbol(name) : name;
  });
}

test.each(LISTS)('%s exports the names of its list, and none of them hides a global', async (name, list) => {
  const names = namesOf(list)
    .map((each) => each.getName())
    .sort();
  expect(names.filter((each) => GLOBALS.has(each))).toEqual([]);
  expect(names.length).toBeLessThanOrEqual(80);
  await expect(`${names.join('\n')}\n`).toMatchFileSnapshot(`public/${name.replace('/', '-')}.txt`);
});

test.each(LISTS)('every public name of %s, and every member of a public class, has a summary', (_, list) => {
  const names = namesOf(list);
  expect(names.length).toBeGreaterThan(1);
  const silent = names.filter((name) => name.getDocumentationComment(checker).length === 0);
  expect(silent.map((name) => name.getName())).toEqual([]);

  const classes = names.filter((name) => (name.flags & ts.SymbolFlags.Class) !== 0 && !/Error$/.test(name.getName()));
  const members = classes.flatMap((name) => [...(name.members?.values() ?? [])]);
  const open = members.filter((each) => !/^(__|#)/.test(each.getName()));
  const undocumented = open.filter((each) => {
    const internal = each.getJsDocTags(checker).some((tag) => tag.name === 'internal');
    return !internal && each.getDocumentationComment(checker).length === 0;
  });
  expect(undocumented.map((each) => each.getName())).toEqual([]);
});
