/** Gives each property that names no seed the one of this run of the tests, before each file. */
import fc from 'fast-check';
import { seedOf } from './seed.ts';

fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: seedOf(process.env.BELAY_SEED) });
