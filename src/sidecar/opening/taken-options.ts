/** Checks the options of a run against the values that a program gives. */

import { CONFIG } from '../../boundaries/config-argument.ts';
import { isMandate } from '../../effects/messages/mandates.ts';
import { STORE } from '../../journal/store-argument.ts';
import {
  CODE,
  type Fields,
  FLAG,
  having,
  kind,
  listOf,
  NAME,
  namedBy,
  OBJECT,
  optional,
} from '../../model/argument.ts';
import type { RunOptions } from './options.ts';

const UNDO = kind('a function, or an inverse: { undo, moved }', (value) => CODE.takes(value) || INVERSE.takes(value));
const INVERSE = having('an inverse', 'undo', 'moved');

const SANDBOX = having('a provider of sandboxes: { start, probe, stop, destroy }', 'start', 'probe', 'stop', 'destroy');

const MANDATE = kind(
  'a mandate, { by, until, ... } in plain JSON, or "required"',
  (value) => value === 'required' || isMandate(value),
);

export const RUN_FIELDS: Fields<RunOptions> = {
  run: { ...NAME, words: 'the name of the run, a text' },
  config: CONFIG,
  version: optional(NAME),
  adopt: optional(FLAG),
  reviewed: optional(FLAG),
  journal: optional(STORE),
  reconcilers: optional(namedBy(CODE)),
  undo: optional(namedBy(UNDO)),
  buffers: optional(namedBy(having('a staging area: { publish, discard }', 'publish', 'discard'))),
  checks: optional(namedBy(CODE)),
  sandboxes: optional(namedBy(SANDBOX)),
  guards: optional(namedBy(CODE)),
  codecs: optional(listOf(OBJECT)),
  governor: optional(CODE),
  mandate: optional(MANDATE),
  claims: optional(having('claims, as claimsIn() makes them', 'take')),
  onGate: optional(CODE),
  keepAlive: optional(FLAG),
  onCommit: optional(CODE),
  onDecision: optional(CODE),
  onFinding: optional(CODE),
  redeliver: optional(FLAG),
  verify: optional(FLAG),
  now: optional(CODE),
};
