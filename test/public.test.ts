import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { expect, test } from 'vitest';

test('every public name says what it is', () => {
  const index = fileURLToPath(new URL('../src/index.ts', import.meta.url));
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
  expect(names.length).toBeGreaterThan(30);
  const silent = names.filter((name) => name.getDocumentationComment(checker).length === 0);
  expect(silent.map((name) => name.getName())).toEqual([]);
});
