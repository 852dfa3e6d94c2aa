// The layers of the house, as rules. Each comment says what to do when the rule bites.

/** The circles that there still are, by their folders. The list only shrinks; that of sidecar/ goes with its rooms. */
const CIRCLED = [
  'adapters adapters/files adapters/git adapters/rows',
  'boundaries boundaries/keys boundaries/page boundaries/sections',
  'cli/decide cli/terminal',
  'inspector inspector/http inspector/views',
  'journal journal/base journal/codec journal/contents',
  'journal/postgres journal/postgres/bases',
  'journal/sqlite journal/sqlite/archived journal/sqlite/file journal/sqlite/lease journal/sqlite/log',
  'langgraph langgraph/line langgraph/refusals langgraph/tools',
  'projection projection/base projection/set-aside',
  'rehearsal rehearsal/config rehearsal/faults rehearsal/replay rehearsal/trial testing',
  'sidecar sidecar/approvals sidecar/bases sidecar/calls sidecar/commits sidecar/failures sidecar/opening sidecar/plan sidecar/queries sidecar/run sidecar/taking-up',
  'xstate xstate/watch',
].flatMap((circle) => circle.split(' ').map((folder) => `^src/${folder}$`));

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
      name: 'no-circles-between-folders',
      severity: 'error',
      scope: 'folder',
      comment: 'Two folders that need each other are one room, or share a third: move the file to where it is owned.',
      from: { path: '^src/', pathNot: CIRCLED },
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
      name: 'the-clock-imports-nothing-of-ours',
      severity: 'error',
      comment: 'clock/ tells the time and waits. What is waited for is the business of who waits.',
      from: { path: '^src/clock/' },
      to: { path: '^src/', pathNot: '^src/clock/' },
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
      to: { path: '^src/', pathNot: '^src/(model|history|recovery|boundaries|predicates)/' },
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
      name: 'journal-imports-model-only',
      severity: 'error',
      comment: 'journal/ keeps rows. What an entry means is folded above it.',
      from: { path: '^src/journal/' },
      to: { path: '^src/', pathNot: '^src/(model|clock|journal)/' },
    },
    {
      name: 'the-stores-know-no-other-store',
      severity: 'error',
      comment:
        'A store is one folder of journal/. What two of them need is in journal/ itself, or in its lease/: move it up.',
      from: { path: '^src/journal/(memory|sqlite|postgres)/' },
      to: { path: '^src/journal/[^/]+/', pathNot: '^src/journal/($1|lease|base)/' },
    },
    {
      name: 'only-the-postgres-store-knows-pg',
      severity: 'error',
      comment:
        'The package pg is there where a program has installed it: import the store, in cli/ only when it is named.',
      from: { path: '^src/', pathNot: '^src/journal/postgres/' },
      to: { path: 'node_modules/pg/' },
    },
    {
      name: 'effects-import-history-and-the-port',
      severity: 'error',
      comment:
        'effects/ guards a call. It knows its tool, the ledger and the codec; what a failure leads to is decided above it.',
      from: { path: '^src/effects/' },
      to: { path: '^src/', pathNot: '^src/(model|clock|history|boundaries|predicates|effects|journal/[^/]+\\.ts$)' },
    },
    {
      name: 'projections-are-folded-from-entries',
      severity: 'error',
      comment: 'projection/ folds the entries of a run and does no IO. What a run does about them belongs in sidecar/.',
      from: { path: '^src/projection/' },
      to: { path: '^src/', pathNot: '^src/(model|history|boundaries|effects|projection|journal/[^/]+\\.ts$)' },
    },
    {
      name: 'the-runtime-port-knows-the-model',
      severity: 'error',
      comment:
        'runtime/ is the port between a run and what executes it, in words of the model, and what runtimes share that enter their program again. What a runtime does is in its own room.',
      from: { path: '^src/runtime/' },
      to: { path: '^src/', pathNot: '^src/(model|runtime)/' },
    },
    {
      name: 'recording-turns-steps-into-entries',
      severity: 'error',
      comment:
        'recording/ answers what a step is, by the config and the projections. It writes nothing and decides nothing.',
      from: { path: '^src/recording/' },
      to: {
        path: '^src/',
        pathNot:
          '^src/(model|predicates|boundaries|history|recovery|effects|projection|recording|runtime|journal/[^/]+\\.ts$)',
      },
    },
    {
      name: 'reports-read-a-journal',
      severity: 'error',
      comment: 'reports/ is what people read of a run: views of its journal. They act on nothing and know no medium.',
      from: { path: '^src/reports/' },
      to: {
        path: '^src/',
        pathNot:
          '^src/(model|predicates|boundaries/obligations\\.ts|history|recovery|effects|projection|reports|journal/[^/]+\\.ts$)',
      },
    },
    {
      name: 'the-inspector-reads-and-is-handed-its-acts',
      severity: 'error',
      comment:
        'inspector/ shows what reports/ read, and opens no file and runs no agent. Pass what it should do through inspector/port.ts, from cli/.',
      from: { path: '^src/inspector/' },
      to: {
        path: '^src/',
        pathNot: '^src/(model|clock|history|recovery|effects|projection|reports|inspector|journal/[^/]+\\.ts$)',
      },
    },
    {
      name: 'only-the-command-serves-the-inspector',
      severity: 'error',
      comment: 'A run does not know that it is looked at. What the page needs of a run, reports/ tells.',
      from: { path: '^src/', pathNot: '^src/(inspector|cli)/' },
      to: { path: '^src/inspector/' },
    },
    {
      name: 'the-page-shares-types-with-its-server-alone',
      severity: 'error',
      comment:
        'The page runs in a browser: it shares types with its server (inspector/page-data.ts, course-data.ts, files-data.ts), and no code.',
      from: { path: '^inspector/page/' },
      to: { path: '^(src|domains|audit|test|bench)/', pathNot: '^src/inspector/(page|course|files)-data\\.ts$' },
    },
    {
      name: 'sidecar-knows-no-medium-and-no-runtime',
      severity: 'error',
      comment:
        'The sidecar is handed its journal and what executes the run: which these are, the caller says. (Memory is the default.)',
      from: { path: '^src/sidecar/' },
      to: { path: '^src/(cli|journal/(sqlite|postgres)|xstate|flow|loop|ai|langgraph|adapters|testing|rehearsal)/' },
    },
    {
      name: 'a-runtime-opens-runs-over-the-port',
      severity: 'error',
      comment:
        'src/xstate, src/flow and src/loop execute runs, each for itself: they open one in the sidecar, through the port in runtime/. What a step means is decided there.',
      from: { path: '^src/(xstate|flow|loop)/' },
      to: {
        path: '^src/',
        pathNot:
          '^src/(model|clock|runtime|effects/|sidecar/|$1/|recovery/decision-policy\\.ts$|journal/value-codec\\.ts$|predicates/compile\\.ts$)',
      },
    },
    {
      name: 'ai-adapts-loops',
      severity: 'error',
      comment:
        'src/ai makes calls of a loop of what the AI SDK does, and is all that knows that SDK, an optional peer.',
      from: { path: '^src/ai/' },
      to: { path: '^src/', pathNot: '^src/(ai|loop)/' },
    },
    {
      name: 'only-the-ai-room-knows-the-ai-sdk',
      severity: 'error',
      comment: 'The AI SDK is an optional peer: who has not installed it must be able to import everything else.',
      from: { path: '^src/', pathNot: '^src/ai/' },
      to: { path: 'node_modules/(ai|@ai-sdk)/|^src/ai/' },
    },
    {
      name: 'openai-agents-adapts-loops',
      severity: 'error',
      comment:
        'src/openai makes calls of a loop of what the Agents SDK does, and is all that knows that SDK, an optional peer.',
      from: { path: '^src/openai/' },
      to: { path: '^src/', pathNot: '^src/(openai/|loop/|model/argument\\.ts$)' },
    },
    {
      name: 'only-its-room-knows-the-agents-sdk',
      severity: 'error',
      comment: 'The Agents SDK is an optional peer: who has not installed it must be able to import everything else.',
      from: { path: '^src/', pathNot: '^src/openai/' },
      to: { path: 'node_modules/@openai/|^src/openai/' },
    },
    {
      name: 'otel-observes-runs',
      severity: 'error',
      comment:
        'otel/ is told by a run through sidecar/observing.ts, and tells what reports/ reads of it. What it needs to know of a run, add to a happening.',
      from: { path: '^src/otel/' },
      to: {
        path: '^src/',
        pathNot:
          '^src/(otel|model|projection|reports)/|^src/(sidecar/observing|effects/(signals|timed)|history/step-lists)\\.ts$',
      },
    },
    {
      name: 'only-the-otel-room-knows-opentelemetry',
      severity: 'error',
      comment:
        'OpenTelemetry is an optional peer: who has not installed it must be able to import everything else. Tell it in src/otel, which nothing imports.',
      from: { path: '^src/', pathNot: '^src/otel/' },
      to: { path: 'node_modules/@opentelemetry/|^src/otel/' },
    },
    {
      name: 'langgraph-opens-runs-over-the-port',
      severity: 'error',
      comment:
        'src/langgraph executes runs by LangGraph: it opens one in the sidecar, through the port in runtime/, and reads the config to name its lanes. What a step means is decided there.',
      from: { path: '^src/langgraph/' },
      to: {
        path: '^src/',
        pathNot:
          '^src/(model|clock|runtime|langgraph|effects/|sidecar/|boundaries/config\\.ts$|recovery/decision-policy\\.ts$|journal/value-codec\\.ts$)',
      },
    },
    {
      name: 'workers-hand-runs-out-through-the-port',
      severity: 'error',
      comment:
        'workers/ takes runs of any store and has xstate open them. Which store it is, and what is printed, the command knows; what a run does is the business of the sidecar: its opening/ opens a program that is no machine. A fork is made of rows alone, and a choice among attempts of notes and messages.',
      from: { path: '^src/workers/' },
      to: {
        path: '^src/',
        pathNot:
          '^src/(workers|model|clock|predicates|boundaries|effects|reports|xstate)/|^src/(journal/(archive/lines|[^/]+)|sidecar/attempts/group|sidecar/opening/(fork-run|fork-attempts|preview-run|options|open-run|handed-out|config|commands|adopt-run))\\.ts$',
      },
    },
    {
      name: 'only-the-command-works',
      severity: 'error',
      comment: 'A run does not know that it was handed out. Pass what it should do differently as an option.',
      from: { path: '^src/', pathNot: '^src/(workers|cli)/' },
      to: { path: '^src/workers/' },
    },
    {
      name: 'only-langgraph-knows-langgraph',
      severity: 'error',
      comment:
        'LangGraph is an optional peer: who does not run graphs need not have it. Move what uses it into src/langgraph.',
      from: { path: '^src/', pathNot: '^src/(langgraph/|cli/reading/)' },
      to: { path: '(^src/langgraph/|node_modules/@langchain/)' },
    },
    {
      name: 'the-command-reads-the-shape-of-graphs',
      severity: 'error',
      comment:
        'The command runs without LangGraph: it knows the shape of a graph by src/langgraph/shape.ts, which loads nothing of LangGraph, and imports it once a module exports a graph.',
      from: { path: '^src/cli/reading/' },
      to: { path: '(^src/langgraph/(?!shape\\.ts$)|node_modules/@langchain/)' },
    },
    {
      name: 'adapters-import-effects-and-the-tool-call',
      severity: 'error',
      comment:
        'An adapter is what a user could write: it knows what a call is and what it may answer. What the sidecar does with that is not its business.',
      from: { path: '^src/adapters/' },
      to: {
        path: '^src/',
        pathNot:
          '^src/(adapters/|clock/|effects/(counterparty|sandbox|signals)\\.ts$|journal/lease/holder\\.ts$|model/argument\\.ts$|runtime/tool-call\\.ts$)',
      },
    },
    {
      name: 'nothing-imports-the-adapters',
      severity: 'error',
      comment:
        'The sidecar knows no tool. Who uses an adapter takes it from the public list; the command brings the folders of its runs.',
      from: { path: '^src/', pathNot: '^src/(adapters|cli)/' },
      to: { path: '^src/adapters/' },
    },
    {
      name: 'the-testing-kit-imports-the-sidecar-and-below',
      severity: 'error',
      comment:
        'What a test needs of a run, the sidecar tells. Only the list of the kit (testing/index.ts) names rehearsal/.',
      from: { path: '^src/testing/' },
      to: { path: '^src/(cli|adapters|journal/(sqlite|postgres))/' },
    },
    {
      name: 'the-tools-of-the-testing-kit-know-no-rehearsal',
      severity: 'error',
      comment: 'A rehearsal is made of the clock and the recording world. Move what both need into testing/.',
      from: { path: '^src/testing/', pathNot: '^src/testing/index\\.ts$' },
      to: { path: '^src/rehearsal/' },
    },
    {
      name: 'rehearsal-imports-the-sidecar-and-below',
      severity: 'error',
      comment: 'A rehearsal is made in memory. What reads files, prints or opens an agent belongs in cli/.',
      from: { path: '^src/rehearsal/' },
      to: { path: '^src/(cli|adapters|journal/(sqlite|postgres))/' },
    },
    {
      name: 'only-the-command-and-the-testing-kit-rehearse',
      severity: 'error',
      comment: 'The sidecar does not know that it is rehearsed. Pass what it should do differently as an option.',
      from: { path: '^src/', pathNot: '^src/(rehearsal|cli|testing)/' },
      to: { path: '^src/(rehearsal|testing)/' },
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
      comment:
        'cli/ is a composition root. Code that others need belongs in the room it speaks of. The playground of the site answers in the words of `belay decide`.',
      from: { pathNot: '^(src/cli/|test/cli/|test/site/playground\\.test\\.ts$|site/playground/ask\\.ts$)' },
      to: { path: '^src/cli/' },
    },
    {
      name: 'the-playground-decides-in-a-browser',
      severity: 'error',
      comment: 'site/playground is bundled without Node: the decision, its words, and a page around them.',
      from: { path: '^site/playground/' },
      to: {
        path: '^(src|domains|audit|test|bench)/|^node:',
        pathNot: '^src/(model|history|recovery|cli/decide/answer\\.ts$|cli/terminal/terminal\\.ts$)',
      },
    },
    {
      name: 'domains-use-the-public-name',
      severity: 'error',
      comment: 'An agent is a user like any other: what it needs is in the public list, or belongs there.',
      from: { path: '^domains/' },
      to: {
        path: '^(src|audit|test|bench)/',
        pathNot: '^src/((adapters/|recovery/|reports/|testing/|xstate/)?index|journal/(sqlite|postgres)/store)\\.ts$',
      },
    },
    {
      name: 'the-examples-use-the-public-name',
      severity: 'error',
      comment: 'An example shows what a user writes: what it needs is in the public list, or belongs there.',
      from: { path: '^examples/' },
      to: { path: '^(src|domains|audit|test|bench)/', pathNot: '^src/((xstate/|testing/)?index)\\.ts$' },
    },
    {
      name: 'the-audit-uses-the-public-name',
      severity: 'error',
      comment:
        'What the audit observes, a user can observe: read it through the public list. What it takes away or counts of a machine goes through the declared seam.',
      from: { path: '^audit/' },
      to: {
        path: '^(src|test|bench)/',
        pathNot:
          '^src/((adapters/|recovery/|reports/|testing/|langgraph/|xstate/)?index|journal/(sqlite|postgres)/store|(xstate|langgraph)/seam)\\.ts$',
      },
    },
    {
      name: 'the-workloads-use-the-public-name',
      severity: 'error',
      comment:
        'What a comparison attaches, a user can attach: through the public list. Only the rule of a baseline goes through the seam.',
      from: { path: '^audit/workloads/', pathNot: '^audit/workloads/(answer|main)\\.ts$' },
      to: {
        path: '^(src|domains|audit|test|bench)/',
        pathNot:
          '^(src/(((recovery|reports|testing|xstate)/)?index|xstate/seam)\\.ts$|domains/there\\.ts$|audit/workloads/)',
      },
    },
    {
      name: 'nothing-in-the-package-knows-a-data-set',
      severity: 'error',
      comment: 'A data set is its adapter and its config. The command is told a module; it imports none.',
      from: { path: '^(src|domains|bench)/' },
      to: { path: '^audit/workloads/' },
    },
    {
      name: 'the-harness-knows-no-data-set',
      severity: 'error',
      comment: 'What one set needs, its adapter does. What every set needs is in set.ts.',
      from: { path: '^audit/workloads/[^/]+$' },
      to: { path: '^audit/workloads/sets/' },
    },
    {
      name: 'few-files-of-the-workloads-know-xstate',
      severity: 'error',
      comment:
        'plain.ts runs machines without a sidecar; machines are in agent.ts, unit-agent.ts and in the adapters, and generated.ts makes them.',
      from: { path: '^audit/workloads/', pathNot: '^audit/workloads/((plain|agent|unit-agent|generated)\\.ts$|sets/)' },
      to: { path: 'node_modules/xstate/' },
    },
    {
      name: 'only-the-audit-takes-the-seam',
      severity: 'error',
      comment: 'A run has all of its judges. Only the audit takes one away, to show what it is for.',
      from: { path: '.', pathNot: '^(audit|test)/' },
      to: { path: '^src/(xstate|langgraph)/seam\\.ts$' },
    },
    {
      name: 'nothing-imports-the-audit',
      severity: 'error',
      comment: 'audit/ is a composition root. What others need of it belongs in the room it speaks of.',
      from: { pathNot: '^(audit|test/audit|test/workloads)/' },
      to: { path: '^audit/' },
    },
    {
      name: 'nothing-imports-the-domains',
      severity: 'error',
      comment: 'The package knows no agent. (The audit and the tests run them.)',
      from: { path: '^(src|bench)/' },
      to: { path: '^domains/' },
    },
    {
      name: 'few-files-of-the-audit-know-xstate',
      severity: 'error',
      comment:
        'A plain machine runs in audit/workloads/plain.ts, audit/substrate.ts is what every machine runs on, audit/mails/machine.ts is an agent, audit/atomix has three, and audit/interruptions changes agents; everything else goes through the sidecar.',
      from: {
        path: '^audit/',
        pathNot:
          '^audit/(substrate\\.ts$|mails/machine\\.ts$|atomix/(branches|contention|steps)\\.ts$|interruptions/|workloads/)',
      },
      to: { path: 'node_modules/xstate/' },
    },
    {
      name: 'index-is-a-list',
      severity: 'error',
      comment: 'An index names a public list; inside, import the file that owns the name.',
      from: { path: '^src/', pathNot: '^src/testing/' },
      to: { path: '^src/((adapters|recovery|reports|testing|xstate)/)?index\\.ts$' },
    },
    {
      name: 'the-simulation-uses-the-public-name',
      severity: 'error',
      comment:
        'A simulator that shares code with what it judges proves nothing: attach through the public list, judge by the world.',
      from: { path: '^test/simulation/' },
      to: {
        path: '^(src|domains|audit|bench)/',
        // The option that has bases kept often, and old steps paged out, is no code that it judges.
        pathNot:
          '^src/((testing/|xstate/|workers/)?index|journal/(sqlite|postgres)/store|sidecar/opening/options)\\.ts$',
      },
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
      to: {
        dependencyTypes: ['npm-dev'],
        pathNot:
          'node_modules/(graphology-types|@types|xstate|pg|@opentelemetry/api|ai|@openai/agents|@langchain/(core|langgraph))/',
      },
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
    // What a user would write: it imports the built package by its public name.
    // And what imports the peers of the benchmarks, which bench/package.json installs: `npm run check peers` compiles it.
    // The check of configs is written by the build, beside what is built.
    exclude: { path: '^test/cli/fixtures/|^bench/(peers|node_modules)/|boundary\\.check\\.cjs$' },
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'types', 'default'] },
  },
};
