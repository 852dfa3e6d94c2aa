import { configDefaults, defineConfig, mergeConfig } from 'vitest/config';
import whole from './vitest.config.ts';

/** The tests that run the sources in one process: no built command, no killed process, no sweep, no real world. */
export default mergeConfig(
  whole,
  defineConfig({
    test: {
      exclude: [
        ...configDefaults.exclude,
        ...['adapters', 'audit', 'cli', 'commands', 'crash', 'domains', 'enumeration', 'mutants', 'rehearsal'].map(
          (folder) => `test/${folder}/**`,
        ),
        ...['simulation', 'walk', 'workloads'].map((folder) => `test/${folder}/**`),
        'test/{docs,examples,guide,public}.test.ts',
        'test/journal/{encrypted,faults,file,inbox,lease,lost-tail,private,refusing-medium}.test.ts',
        'test/recovery/{exhaustive-*,random*}.test.ts',
        'test/scenarios/model-based.test.ts',
        'test/sidecar/ninety-days.test.ts',
      ],
    },
  }),
);
