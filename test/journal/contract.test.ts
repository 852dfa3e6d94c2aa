import { randomBytes } from 'node:crypto';
import { memoryStore } from '../../src/journal/memory/store.ts';
import { sqliteStore } from '../../src/journal/sqlite/store.ts';
import { journalContract } from './contract.ts';
import { freshPath } from './files.ts';

journalContract('memory', (now) => memoryStore({ now }));
journalContract('sqlite', (now) => sqliteStore(freshPath(), { now }));
journalContract('sqlite, encrypted', (now) => sqliteStore(freshPath(), { now, key: randomBytes(32) }));
