import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { expect, test } from 'vitest';

test.each([
  ['belay-sidecar', '../src/index.ts', 'apply'],
  ['belay-sidecar/testing', '../src/testing/index.ts', 'snapshot'],
])('every public name of %s, and every member of a public class, says what it is', (_, list, member) => {
  const index = fileURLToPath(new URL(list, import.meta.url));
  const program = ts.createProgram([index], {
    strict: true,
    target: ts.ScriptTarget.ES2023,
    module: ts.ModuleKind.NodeNext,
    allowImportingTsExtensions: true,
    noEmit: true,
  });
  const checker = program.getTypeChecker();
  const module = checker.getSymbolAtLocation(program.getSourceFile(index) as ts.SourceFile) as ts.Symbol;
  const names = checker.getExportsOfModule(module).map((name) => {
    return (name.flags & ts.SymbolFlags.Alias) !== 0 ? checker.getAliasedSymbol(name) : name;
  });
  expect(names.length).toBeGreaterThan(15);
  const silent = names.filter((name) => name.getDocumentationComment(checker).length === 0);
  expect(silent.map((name) => name.getName())).toEqual([]);

  const classes = names.filter((name) => (name.flags & ts.SymbolFlags.Class) !== 0 && !/Error$/.test(name.getName()));
  const members = classes.flatMap((name) => [...(name.members?.values() ?? [])]);
  const open = members.filter((each) => !/^(__|#)/.test(each.getName()));
  expect(open.map((each) => each.getName())).toContain(member);
  const undocumented = open.filter((each) => {
    const internal = each.getJsDocTags(checker).some((tag) => tag.name === 'internal');
    return !internal && each.getDocumentationComment(checker).length === 0;
  });
  expect(undocumented.map((each) => each.getName())).toEqual([]);
});
