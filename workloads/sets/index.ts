/** The adapters, in the order in which they are told. */
import type { DataSet } from '../set.ts';
import { etl } from './etl.ts';
import { forms } from './forms.ts';
import { telecom } from './telecom.ts';
import { trips } from './trips.ts';

export const SETS: readonly DataSet[] = [telecom, forms, trips, etl];
