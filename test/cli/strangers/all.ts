/** All of them. */
import { BESIDE } from './beside.ts';
import { FIRST } from './machines.ts';
import { MORE } from './more.ts';

export const STRANGERS = [...FIRST, ...BESIDE, ...MORE];
