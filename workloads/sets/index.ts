/** The adapters, in the order in which they are told. */
import type { DataSet } from '../set.ts';
import { telecom } from './telecom.ts';

export const SETS: readonly DataSet[] = [telecom];
