import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    reporters: ['default', ['json', { outputFile: 'reports/tests.json' }]],
    maxWorkers: 2,
    testTimeout: 60_000,
  },
});
