import { configDefaults, defineConfig } from 'vitest/config';

/** The tests that judge a mutant: fast ones that run the sources themselves, and neither the command nor the long sweeps. */
export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    exclude: [
      ...configDefaults.exclude,
      'test/cli/**',
      'test/docs.test.ts',
      'test/recovery/exhaustive-{blind,update}.test.ts',
    ],
    env: { BELAY_RUNS: '400' },
    setupFiles: './test/properties/setup.ts',
  },
});
