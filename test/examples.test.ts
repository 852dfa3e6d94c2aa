/** The examples in the docstrings of public functions: each is a program, which is compiled under strict rules and run. */
import { spawnSync } from 'node:child_process';
import ts from 'typescript';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { compiled, read, root, sources, tryout } from './pages.ts';

const LISTS = [
  'src/index.ts',
  'src/recovery/index.ts',
  'src/reports/index.ts',
  'src/adapters/index.ts',
  'src/flow/flow.ts',
  'src/otel/otel.ts',
  'src/langgraph/index.ts',
  'src/testing/index.ts',
  'src/workers/index.ts',
  'src/journal/sqlite/store.ts',
  'src/journal/postgres/store.ts',
];

/** The example of every public function, by its name; an empty text where it has none. */
function examples(): Map<string, string> {
  const program = ts.createProgram(
    LISTS.map((list) => `${root}/${list}`),
    { strict: true, target: ts.ScriptTarget.ES2023, module: ts.ModuleKind.NodeNext, allowImportingTsExtensions: true },
  );
  const checker = program.getTypeChecker();
  const found = new Map<string, string>();
  for (const list of LISTS) {
    const module = checker.getSymbolAtLocation(program.getSourceFile(`${root}/${list}`) as ts.SourceFile) as ts.Symbol;
    for (const name of checker.getExportsOfModule(module)) {
      const symbol = (name.flags & ts.SymbolFlags.Alias) !== 0 ? checker.getAliasedSymbol(name) : name;
      if ((symbol.flags & ts.SymbolFlags.Function) === 0) continue;
      const tag = symbol.getJsDocTags(checker).find((each) => each.name === 'example');
      found.set(symbol.getName(), ts.displayPartsToString(tag?.text));
    }
  }
  return found;
}

describe('the example of', () => {
  const all = examples();
  const { folder, write, remove } = tryout('examples');
  for (const [name, text] of all)
    write(`${name}.ts`, `import assert from 'node:assert/strict';\n${text}\nexport {};\n`);
  afterAll(remove);

  test('every public function is there', () => {
    expect(all.size).toBeGreaterThan(25);
    expect([...all].filter(([, text]) => text === '').map(([name]) => name)).toEqual([]);
  });

  test('each of them compiles under strict rules', () => {
    expect(
      compiled(
        folder,
        [...all.keys()].map((name) => `${name}.ts`),
      ),
    ).toBe('');
  });

  // All in one process, one after the other: loading the package costs more than what they do.
  write(
    'all.ts',
    `const failed: Record<string, string> = {};
    for (const name of process.argv.slice(2))
      await import(\`./\${name}.ts\`).catch((error) => { failed[name] = String(error?.stack ?? error); });
    process.stderr.write(JSON.stringify(failed));`,
  );
  let ran: { readonly stdout: string; readonly stderr: string };
  beforeAll(() => {
    const args = ['--import', 'tsx', 'all.ts', ...all.keys()];
    ran = spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8' });
  });

  test.each([...all.keys()])('%s runs', (name) => {
    expect((JSON.parse(ran.stderr) as Record<string, string>)[name]).toBe(undefined);
  });

  test('none of them prints anything', () => expect(ran.stdout).toBe(''));
});

test('no list re-exports a module under one name', () => {
  for (const file of sources('src')) expect([file, read(file).includes('export * as')]).toEqual([file, false]);
});
