/** 400 runs over 20 lists under 8 workers, on SQLite and on PostgreSQL: `npm run soak:claims -- [RUNS] [SEED]`. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';
import { postgresStore } from '../../../src/journal/postgres/store.ts';
import { sqliteStore } from '../../../src/journal/sqlite/store.ts';
import { startServer } from '../../postgres-server.ts';
import { contend } from './trial.ts';
