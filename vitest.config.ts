import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { testsHoldingTime } from './test/holding-time.ts';

const own = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** The tests that hold the timers of their process, and say when each fires. */
const HOLDING_TIME = testsHoldingTime();

export default defineConfig({
  // domains/ and audit/ use the package by its public names; here those are its source.
  resolve: {
    alias: [
      { find: /^#seam$/, replacement: own('src/xstate/seam.ts') },
      { find: /^#graph-seam$/, replacement: own('src/langgraph/seam.ts') },
      { find: /^belay-sidecar$/, replacement: own('src/index.ts') },
      { find: /^belay-sidecar\/xstate$/, replacement: own('src/xstate/index.ts') },
      { find: /^belay-sidecar\/adapters$/, replacement: own('src/adapters/index.ts') },
      { find: /^belay-sidecar\/flow$/, replacement: own('src/flow/flow.ts') },
      { find: /^belay-sidecar\/loop$/, replacement: own('src/loop/loop.ts') },
      { find: /^belay-sidecar\/ai$/, replacement: own('src/ai/index.ts') },
      { find: /^belay-sidecar\/openai-agents$/, replacement: own('src/openai/index.ts') },
      { find: /^belay-sidecar\/otel$/, replacement: own('src/otel/otel.ts') },
      { find: /^belay-sidecar\/workers$/, replacement: own('src/workers/index.ts') },
      { find: /^belay-sidecar\/langgraph$/, replacement: own('src/langgraph/index.ts') },
      { find: /^belay-sidecar\/decision$/, replacement: own('src/recovery/index.ts') },
      { find: /^belay-sidecar\/reports$/, replacement: own('src/reports/index.ts') },
      { find: /^belay-sidecar\/testing$/, replacement: own('src/testing/index.ts') },
      { find: /^belay-sidecar\/sqlite$/, replacement: own('src/journal/sqlite/store.ts') },
      { find: /^belay-sidecar\/postgres$/, replacement: own('src/journal/postgres/store.ts') },
    ],
  },
  test: {
    projects: [
      { extends: true, test: { name: 'belay', include: ['test/**/*.test.ts'], exclude: HOLDING_TIME } },
      // A timer that an earlier file of the worker has left would be one of theirs.
      { extends: true, test: { name: 'time', include: HOLDING_TIME, isolate: true } },
      {
        // The other end of the range of versions that `peerDependencies` names.
        extends: true,
        resolve: { alias: [{ find: /^@langchain\/langgraph(?=\/|$)/, replacement: 'langgraph-newest' }] },
        test: {
          name: 'langgraph-newest',
          include: ['test/langgraph/{*,rules/*}.test.ts'],
          // Those import LangGraph in a process of their own, and LangChain's agents import the oldest.
          exclude: ['test/langgraph/{page,created}.test.ts'],
        },
      },
      {
        extends: true,
        resolve: {
          alias: [
            { find: /^ai(?=\/|$)/, replacement: 'ai-oldest' },
            { find: /^@openai\/agents(?=\/|$)/, replacement: 'agents-oldest' },
          ],
        },
        test: { name: 'sdks-oldest', include: ['test/loop/{ai,openai-agents,range}.test.ts'] },
      },
    ],
    reporters: ['default', ['json', { outputFile: 'reports/tests.json' }], './test/reporting/folder-times.ts'],
    // A test of a run under way mostly waits for the event loop: more workers than cores use what the others leave idle.
    maxWorkers: 6,
    // Files share the modules of their worker: to load the sources again for each took a third of the time. What a file changes of
    // its process it puts back, and hooks are registered by the file that they are for, never by a module as it loads.
    isolate: false,
    globalSetup: './test/run-folder.ts',
    setupFiles: './test/properties/setup.ts',
    // A limit that only a hang reaches, however busy the machine is.
    testTimeout: 900_000,
    hookTimeout: 900_000,
    expect: { poll: { timeout: 300_000 } },
  },
});
