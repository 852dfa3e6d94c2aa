import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const own = (path: string) => fileURLToPath(new URL(path, import.meta.url));

export default defineConfig({
  // domains/ and audit/ use the package by its public names; here those are its source.
  resolve: {
    alias: [
      { find: /^#seam$/, replacement: own('src/xstate/seam.ts') },
      { find: /^belay-sidecar$/, replacement: own('src/index.ts') },
      { find: /^belay-sidecar\/adapters$/, replacement: own('src/adapters/index.ts') },
      { find: /^belay-sidecar\/flow$/, replacement: own('src/flow/flow.ts') },
      { find: /^belay-sidecar\/decision$/, replacement: own('src/recovery/index.ts') },
      { find: /^belay-sidecar\/reports$/, replacement: own('src/reports/index.ts') },
      { find: /^belay-sidecar\/testing$/, replacement: own('src/testing/index.ts') },
      { find: /^belay-sidecar\/sqlite$/, replacement: own('src/journal/sqlite/store.ts') },
    ],
  },
  test: {
    include: ['test/**/*.test.ts'],
    reporters: ['default', ['json', { outputFile: 'reports/tests.json' }], './test/reporting/folder-times.ts'],
    maxWorkers: 2,
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
