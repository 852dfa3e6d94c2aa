/** The rehearsals of the examples: each on a recording world, whose bank and mail do not look at idempotency keys. */
import { fileURLToPath } from 'node:url';
import { type RehearsalOptions, recordingWorld } from 'belay-sidecar/testing';
import { machine as coding } from './coding/machine.ts';
import { machine as itineraries } from './itineraries/machine.ts';
import { machine as research } from './research/machine.ts';
import { machine as scraper } from './scraper/machine.ts';
import { machine as support } from './support/machine.ts';
import { machine as survey } from './survey/machine.ts';
import { machine as treasury } from './treasury/machine.ts';

const configOf = (name: string) => fileURLToPath(new URL(`${name}/boundaries.yaml`, import.meta.url));

/** What each example is rehearsed with, anew for each rehearsal. */
export const rehearsals: Readonly<Record<string, () => RehearsalOptions>> = {
  coding: () => ({
    machine: coding,
    config: configOf('coding'),
    world: recordingWorld({ forgetful: ['push'] }),
    replay: ['plan', 'draft'],
    wrong: {
      draft: (draft: { content: string }) => ({ ...draft, content: `${draft.content}, and more` }),
      test: (tests: { says: string }) => ({ ...tests, says: `${tests.says}, or so` }),
    },
  }),
  itineraries: () => ({
    machine: itineraries,
    config: configOf('itineraries'),
    world: recordingWorld({ forgetful: ['buy'] }),
    wrong: { calendar: () => 12 },
  }),
  research: () => ({
    machine: research,
    config: configOf('research'),
    world: recordingWorld({ forgetful: ['reply'] }),
    replay: ['think'],
    wrong: {
      think: (step: { does: string; about: string }) => ({ ...step, about: `${step.about}, on the moon` }),
    },
  }),
  support: () => ({
    machine: support,
    config: configOf('support'),
    world: recordingWorld({ forgetful: ['payBack', 'sendAnswer'] }),
    replay: ['classify'],
    wrong: { classify: (wish: { order: string }) => ({ ...wish, order: 'o8' }) },
    paths: [
      { name: 'refund', events: [{ type: 'content' }] },
      { name: 'answer', input: { ticket: 't2', text: 'where is o9?' }, events: [{ type: 'content' }] },
    ],
  }),
  scraper: () => ({
    machine: scraper,
    config: configOf('scraper'),
    world: recordingWorld({ forgetful: ['sendDigest'] }),
    replay: ['extract'],
  }),
  survey: () => ({
    machine: survey,
    config: configOf('survey'),
    world: recordingWorld({ forgetful: ['reply'] }),
    replay: ['search'],
    wrong: { search: (found: { says: string; leads: string[] }) => ({ ...found, says: `${found.says}, or so` }) },
  }),
  treasury: () => ({
    machine: treasury,
    config: configOf('treasury'),
    world: recordingWorld({ forgetful: ['wire', 'post', 'file'] }),
    replay: ['decide'],
    mandate: { by: 'cfo', policy: 'cash@2029-11', until: '2030-02-01', cents: 10_000_000 },
    wrong: { rates: () => ({ points: 109 }), balances: () => ({ cents: 8_000_000 }) },
    paths: [{ name: 'hedged' }, { name: 'one leg', input: { pair: 'EURTRY' } }],
  }),
};
