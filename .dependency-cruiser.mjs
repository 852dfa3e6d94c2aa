// The layers of the house, as rules. Each comment says what to do when the rule bites.
/** @type {import('dependency-cruiser').IConfiguration} */
export default {
  forbidden: [
    {
      name: 'no-cycles',
      severity: 'error',
      comment: 'Two files that need each other are one idea, or share a third: move the shared part down.',
      from: {},
      to: { circular: true },
    },
    {
      name: 'model-imports-nothing-of-ours',
      severity: 'error',
      comment: 'model/ is the vocabulary. If it needs a fold or a decision, the code belongs in history/ or recovery/.',
      from: { path: '^src/model/' },
      to: { path: '^src/', pathNot: '^src/model/' },
    },
    {
      name: 'history-imports-model-only',
      severity: 'error',
      comment: 'history/ folds events. What decides goes to recovery/, what reads files goes to cli/.',
      from: { path: '^src/history/' },
      to: { path: '^src/', pathNot: '^src/(model|history)/' },
    },
    {
      name: 'recovery-decides-from-history',
      severity: 'error',
      comment: 'recovery/ is a pure function of the folds. Pass what it needs as a value.',
      from: { path: '^src/recovery/' },
      to: { path: '^src/', pathNot: '^src/(model|history|recovery)/' },
    },
    {
      name: 'predicates-import-model-only',
      severity: 'error',
      comment: 'predicates/ is a language. What a config or a step is belongs above it; pass the facts as a value.',
      from: { path: '^src/predicates/' },
      to: { path: '^src/', pathNot: '^src/(model|predicates)/' },
    },
    {
      name: 'one-file-knows-the-cel-library',
      severity: 'error',
      comment: 'The library behind the language is a detail of predicates/cel.ts: import its `Node` from there.',
      from: { path: '^src/', pathNot: '^src/predicates/cel\\.ts$' },
      to: { path: 'node_modules/@marcbachmann/cel-js/' },
    },
    {
      name: 'boundaries-import-predicates-and-model',
      severity: 'error',
      comment:
        'boundaries/ reads reviewed pages. It knows a machine by its shape (model/machine.ts) and no run at all.',
      from: { path: '^src/boundaries/' },
      to: { path: '^src/', pathNot: '^src/(model|predicates|boundaries)/' },
    },
    {
      name: 'only-the-directory-reads-configs',
      severity: 'error',
      comment: 'A config is loaded from its content. Read the file in boundaries/directory.ts and pass the bytes.',
      from: { path: '^src/(boundaries|predicates)/', pathNot: '^src/boundaries/directory\\.ts$' },
      to: {
        dependencyTypes: ['core'],
        path: '^(node:)?(fs|fs/promises|child_process|net|http|https|worker_threads|process)$',
      },
    },
    {
      name: 'xstate-room-imports-effects-and-model',
      severity: 'error',
      comment: 'src/xstate observes, restores and guards machines. What a step means is decided above it.',
      from: { path: '^src/xstate/' },
      to: { path: '^src/', pathNot: '^src/(model|effects|xstate)/' },
    },
    {
      name: 'only-the-xstate-room-knows-xstate',
      severity: 'error',
      comment: 'Everything else sees a machine by its shape and a step by its fields: lift it in src/xstate.',
      from: { path: '^src/', pathNot: '^src/xstate/' },
      to: { path: 'node_modules/xstate/' },
    },
    {
      name: 'pure-core-does-no-io',
      severity: 'error',
      comment:
        'No IO below the shell: read it in cli/ and pass the value down. (Biome bans clocks, the process and the console there.)',
      from: { path: '^src/(model|history|recovery)/' },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'nothing-imports-the-cli',
      severity: 'error',
      comment: 'cli/ is a composition root. Code that others need belongs in the room it speaks of.',
      from: { pathNot: '^(src/cli/|test/cli/)' },
      to: { path: '^src/cli/' },
    },
    {
      name: 'index-is-a-list',
      severity: 'error',
      comment: 'src/index.ts names the public list; inside, import the file that owns the name.',
      from: { path: '^src/' },
      to: { path: '^src/index\\.ts$' },
    },
    {
      name: 'the-oracle-shares-no-code',
      severity: 'error',
      comment: 'An oracle that imports what it judges proves nothing. It reads trace lines and nothing else.',
      from: { path: '^test/recovery/oracle' },
      to: { path: '.', pathNot: '^test/recovery/oracle' },
    },
    {
      name: 'src-needs-no-dev-dependency',
      severity: 'error',
      comment: 'Users do not install devDependencies: move it to dependencies, or do without.',
      from: { path: '^src/' },
      to: { dependencyTypes: ['npm-dev'], pathNot: 'node_modules/(graphology-types|@types|xstate)/' },
    },
    {
      name: 'not-to-unresolvable',
      severity: 'error',
      comment: 'The import does not resolve.',
      from: {},
      to: { couldNotResolve: true },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'types', 'default'] },
  },
};
