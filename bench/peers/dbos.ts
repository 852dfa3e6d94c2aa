/** DBOS: a workflow whose every step is recorded in PostgreSQL. */
import { DBOS } from '@dbos-inc/dbos-sdk';
import { postgresPlace, schemaBytes } from '../runtimes/postgres.ts';
import { FIRST, type Opener } from '../runtimes/work.ts';

export const workflow: Opener = async (place, pace) => {
  const { address, schema } = postgresPlace(place);
  const chain = DBOS.registerWorkflow(
    async () => {
      let state = FIRST;
      while (pace.more()) {
        const { count } = state;
        const update = await DBOS.runStep(async () => pace.step(count as number), { name: 'work' });
        state = { ...state, ...update };
      }
      return state;
    },
    { name: 'chain' },
  );
  DBOS.setConfig({
    name: 'chain',
    applicationVersion: '1',
    executorID: String(process.pid),
    systemDatabaseUrl: address,
    systemDatabaseSchemaName: schema,
    logLevel: 'error',
  });
  await DBOS.launch();
  return {
    chain: async (run) => {
      const handle = await DBOS.startWorkflow(chain, { workflowID: run })();
      await handle.getResult();
    },
    bytes: () => schemaBytes(address, schema),
    close: () => DBOS.shutdown(),
  };
};
