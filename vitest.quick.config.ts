import { configDefaults, defineConfig, mergeConfig } from 'vitest/config';
import whole from './vitest.config.ts';

/** The tests that run the sources in one process: no built command, no killed process, no server, no sweep, no real world. At most 90 seconds. */
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
        'test/site/page.test.ts',
        'test/boundaries/{hostile-cost,written-check}.test.ts',
        'test/journal/{claims-oracle,encrypted,faults,file,inbox,lease,lost-tail,private,refusing-medium}.test.ts',
        'test/journal/postgres/**',
        'test/langgraph/{faults,growth,page}.test.ts',
        'test/langgraph/enumeration/**',
        'test/recovery/{exhaustive-*,random*}.test.ts',
        'test/scenarios/{exported-trace,held-back,model-based,shapes,zoo,zoo-kills}.test.ts',
        'test/scenarios/effects/contention.test.ts',
        'test/sidecar/ninety-days.test.ts',
        'test/workers/{contention,fail,postgres,worker}.test.ts',
      ],
    },
  }),
);
