/** The changes of a run's life that its parties can make: what the table of the product is held against, and what its runs are. */

import type { Configuration } from '../../src/sidecar/lifecycle/table.ts';
import { MANDATES } from './mandate-transitions.ts';
import type { Transition } from './transition.ts';
import { VERDICTS } from './verdict-transitions.ts';

/** What outlives a process: the rest begins anew in the next one. */
function lapsed({ will, question, commit, pause, attempt, mandate, verdict }: Configuration): Configuration {
  const questions = { deciding: 'clear', suspecting: 'clear', rejudging: 'parked' } as const;
  return {
    hold: 'none',
    will: will === 'ending' ? 'going' : will,
    question: question in questions ? questions[question as keyof typeof questions] : question,
    machine: 'absent',
    commit: commit === 'preparing' ? 'quiet' : commit === 'owed' ? 'publishing' : commit,
    pause,
    attempt,
    mandate,
    verdict,
  };
}

const to = (change: Partial<Configuration>) => () => change;
const HERE = ['opening', 'held'] as const;
const TOLD = ['awake', 'claiming'] as const;
/** A person ends the run, with its undos or without. */
const ENDED_BY_PERSON = ['cancelling', 'aborting'] as const;
const AFOOT = ['unbegun', 'going', 'ending'] as const;
const JUDGED = ['deciding', 'suspecting', 'rejudging'] as const;
/** A restore puts a machine that was at its end elsewhere, and an attempt waits no more where it stood. */
const elsewhere = ({ will, attempt, mandate }: Configuration): Partial<Configuration> => ({
  ...(will === 'ending' && { will: 'going' }),
  ...(attempt === 'waiting' && { attempt: 'trying' }),
  ...(mandate === 'wanted' && { mandate: 'over' }),
  // What was judged goes back, or is asked about again.
  verdict: 'none',
});

const PROCESS: readonly Transition[] = [
  {
    name: 'open',
    by: 'worker',
    on: { hold: ['none'], will: [...AFOOT, ...ENDED_BY_PERSON, 'finishing'] },
    to: to({ hold: 'opening' }),
  },
  {
    name: 'made',
    by: 'run',
    on: {
      hold: ['opening'],
      question: ['clear', 'parked', 'asking', 'stuck'],
      commit: ['quiet', 'owed'],
      machine: ['absent'],
      pause: ['off'],
      will: ['unbegun', 'going', ...ENDED_BY_PERSON, 'finishing'],
    },
    to: to({ hold: 'held', machine: 'asleep' }),
  },
  {
    name: 'a paused run is given back',
    by: 'run',
    on: { hold: ['opening'], pause: ['on'] },
    to: to({ hold: 'leaving' }),
  },
  {
    name: 'start',
    by: 'program',
    on: { hold: ['held'], machine: ['asleep'], will: ['unbegun', 'going'] },
    to: to({ machine: 'awake' }),
  },
  {
    name: 'start, records wait',
    by: 'program',
    on: { hold: ['held'], machine: ['asleep'], will: ['going'] },
    to: to({ machine: 'claiming' }),
  },
  { name: 'given back at rest', by: 'process', on: { hold: ['held'] }, ask: 'rest', to: to({ hold: 'leaving' }) },
  { name: 'close', by: 'process', on: { hold: HERE }, to: to({ hold: 'leaving' }) },
  { name: 'gone', by: 'run', on: { hold: ['leaving'] }, to: lapsed },
  {
    name: 'let go, as it leaves',
    by: 'run',
    on: { hold: ['leaving'], question: JUDGED },
    to: to({ question: 'clear' }),
  },
  { name: 'die', by: 'death', on: { hold: ['opening', 'held', 'leaving', 'broken'] }, to: lapsed },
  { name: 'break', by: 'death', on: { hold: [...HERE, 'leaving'] }, to: to({ hold: 'broken' }) },
  { name: 'fall', by: 'process', on: { hold: ['broken'] }, to: lapsed },
];

const FORWARD: readonly Transition[] = [
  {
    name: 'first step',
    by: 'run',
    on: { will: ['unbegun'], hold: ['held'], machine: ['asleep', 'awake'] },
    to: to({ will: 'going' }),
  },
  {
    name: 'machine at its end',
    by: 'run',
    on: { will: ['going'], machine: TOLD, hold: ['held'], question: ['clear', 'deciding', 'suspecting'] },

    to: to({ will: 'ending' }),
  },
  {
    name: 'enters work set aside',
    by: 'run',
    on: { will: ['going'], machine: ['awake'] },
    ask: 'answer',
    to: to({ machine: 'claiming' }),
  },
  { name: 'claimed', by: 'run', on: { machine: ['claiming'] }, ask: 'claim', to: to({ machine: 'awake' }) },
  {
    name: 'claims are let go, for a cancel',
    by: 'run',
    on: { machine: ['claiming'], will: [...ENDED_BY_PERSON], hold: ['held'] },
    to: to({ machine: 'awake' }),
  },
];

const FAILURES: readonly Transition[] = [
  {
    name: 'a step or a call fails',
    by: 'world',
    on: { will: AFOOT, question: ['clear'], hold: ['held'], machine: TOLD },
    to: to({ question: 'deciding' }),
  },
  {
    name: 'a complaint',
    by: 'person',
    on: { question: ['clear', 'deciding'], machine: TOLD },
    ask: 'complain',
    to: to({ question: 'suspecting' }),
  },
  {
    name: 'an invariant breaks',
    by: 'run',
    on: { will: ['going', 'ending'], question: ['clear', 'deciding'], hold: ['held'], machine: ['awake'] },
    to: to({ question: 'suspecting' }),
  },
  {
    name: 'an effect is gone as the run is taken up',
    by: 'run',
    on: { will: ['going'], question: ['clear', 'parked', 'asking'], hold: ['held'], machine: ['asleep'] },
    to: to({ question: 'rejudging' }),
  },
  {
    name: 'restored, and more is to be answered',
    by: 'run',
    on: { question: ['carrying'] },
    ask: 'carry',
    to: (from) => ({ question: 'deciding', ...elsewhere(from) }),
  },
  {
    name: 'a complaint, more',
    by: 'person',
    on: { question: ['asking', 'parked'], machine: TOLD },
    ask: 'complain',
    to: to({ question: 'rejudging' }),
  },
  {
    // What had begun as a person paused the run is finished: the undo of a wrong act.
    name: 'a call is aborted or an act undone, to decide',
    by: 'run',
    on: { question: ['deciding', 'suspecting'], hold: ['held'], machine: TOLD },
    to: to({ question: 'rejudging' }),
  },
  { name: 'settled', by: 'run', on: { question: JUDGED }, ask: 'decide', to: to({ question: 'clear' }) },
  {
    name: 'settled, others stay',
    by: 'run',
    on: { question: ['rejudging'] },
    ask: 'decide',
    to: to({ question: 'parked' }),
  },
  { name: 'fenced', by: 'run', on: { question: JUDGED }, ask: 'plan', to: to({ question: 'carrying' }) },
  {
    name: 'fenced while opening',
    by: 'run',
    on: { question: ['parked', 'clear'], hold: ['opening'] },
    ask: 'plan',
    to: to({ question: 'carrying' }),
  },
  {
    name: 'asked while opening',
    by: 'run',
    on: { question: ['parked'], hold: ['opening'] },
    ask: 'decide',
    to: to({ question: 'clear' }),
  },
  {
    name: 'nothing to be restored',
    by: 'run',
    on: { question: JUDGED },
    ask: 'decide',
    to: to({ question: 'parked' }),
  },
  {
    name: 'nothing to be restored yet',
    by: 'run',
    on: { question: JUDGED },
    ask: 'decide',
    to: to({ question: 'asking' }),
  },
  {
    name: 'restored',
    by: 'run',
    on: { question: ['carrying'] },
    ask: 'carry',
    to: (from) => ({ question: 'clear', ...elsewhere(from) }),
  },
  {
    name: 'restored, others stay',
    by: 'run',
    on: { question: ['carrying'], hold: ['held'] },
    ask: 'carry',
    to: (from) => ({ question: 'rejudging', ...elsewhere(from) }),
  },
  {
    name: 'restored, records wait',
    by: 'run',
    on: { question: ['carrying'], machine: TOLD },
    ask: 'carry',
    to: (from) => ({ question: 'clear', machine: 'claiming', ...elsewhere(from) }),
  },
  { name: 'an undo fails', by: 'world', on: { question: ['carrying'] }, ask: 'carry', to: to({ question: 'stuck' }) },
  {
    name: 'the owed undo is tried again',
    by: 'person',
    on: { question: ['stuck'], hold: HERE, pause: ['off'] },
    to: to({ question: 'carrying' }),
  },
  {
    name: 'a counterparty knows',
    by: 'world',
    on: { question: ['asking'] },
    ask: 'ask',
    to: to({ question: 'rejudging' }),
  },
  {
    name: 'no counterparty is left',
    by: 'world',
    on: { question: ['asking'] },
    ask: 'ask',
    to: to({ question: 'parked' }),
  },
  {
    name: 'a person settles',
    by: 'person',
    on: { question: ['parked', 'asking'], will: [...AFOOT, ...ENDED_BY_PERSON], pause: ['off'] },
    ask: 'outcome',
    to: to({ question: 'rejudging' }),
  },
  {
    name: 'rerun',
    by: 'person',
    on: { question: ['parked'], hold: ['held'], machine: TOLD },
    ask: 'plan',
    to: to({ question: 'carrying' }),
  },
  {
    name: 'retry',
    by: 'person',
    on: { question: ['parked'], hold: HERE },
    ask: 'decide',
    to: to({ question: 'clear' }),
  },
];

const COMMITS: readonly Transition[] = [
  {
    name: 'a commit is due',
    by: 'run',
    on: { commit: ['quiet'], hold: HERE, will: ['going', 'ending', 'finishing'] },
    ask: 'commit',
    to: to({ commit: 'preparing' }),
  },
  {
    name: 'decided',
    by: 'run',
    on: { commit: ['preparing'], hold: HERE, will: [...AFOOT, 'finishing', 'over'] },
    ask: 'publish',
    to: to({ commit: 'publishing' }),
  },
  {
    name: 'given up, for a cancel',
    by: 'run',
    on: { commit: ['preparing'], will: [...ENDED_BY_PERSON] },
    to: to({ commit: 'quiet' }),
  },
  {
    name: 'refused',
    by: 'world',
    on: {
      commit: ['preparing', 'publishing'],
      hold: HERE,
      question: ['clear', 'deciding', 'suspecting'],
      will: ['going', 'ending'],
    },
    ask: 'publish',
    to: to({ commit: 'quiet', question: 'suspecting' }),
  },
  {
    name: 'refused, more',
    by: 'world',
    on: {
      commit: ['preparing', 'publishing'],
      hold: HERE,
      question: ['parked', 'asking', 'rejudging'],
      will: ['going', 'ending'],
    },
    ask: 'publish',
    to: to({ commit: 'quiet', question: 'rejudging' }),
  },
  {
    name: 'visible',
    by: 'world',
    on: { commit: ['publishing'], hold: HERE },
    ask: 'publish',
    to: ({ will }) => ({ commit: 'quiet', ...(will === 'finishing' && { question: 'clear' }) }),
  },
  {
    name: 'visible, and it was asked about',
    by: 'world',
    on: { commit: ['publishing'], hold: HERE, question: ['parked'] },
    ask: 'publish',
    to: to({ commit: 'quiet', question: 'clear' }),
  },
  {
    name: 'cannot go on',
    by: 'world',
    on: { commit: ['publishing'], hold: HERE },
    ask: 'publish',
    to: ({ question }) => ({ commit: 'owed', ...(question === 'clear' && { question: 'parked' }) }),
  },
  {
    name: 'the commit is tried again',
    by: 'person',
    on: { commit: ['owed'], hold: HERE },
    ask: 'publish',
    to: ({ question }) => ({ commit: 'publishing', ...(question === 'parked' && { question: 'clear' }) }),
  },
];

const ENDS: readonly Transition[] = [
  {
    name: 'a person ends it',
    by: 'person',
    on: { will: AFOOT },
    ask: 'cancel',
    to: to({ will: 'cancelling', attempt: 'none', verdict: 'none' }),
  },
  {
    name: 'a person aborts it',
    by: 'person',
    on: { will: AFOOT },
    ask: 'cancel',
    to: to({ will: 'aborting', attempt: 'none', verdict: 'none' }),
  },
  {
    name: 'questions are let go',
    by: 'run',
    on: {
      will: [...ENDED_BY_PERSON],
      question: [...JUDGED, 'parked', 'asking'],
      commit: ['quiet', 'preparing', 'publishing'],
      hold: HERE,
      pause: ['off'],
    },
    to: to({ question: 'clear' }),
  },
  {
    name: 'an abort takes the place of a restore',
    by: 'run',
    on: { will: ['aborting'], question: ['carrying', 'stuck'], hold: HERE, pause: ['off'] },
    to: to({ question: 'clear' }),
  },
  {
    name: 'an undo of an abort has failed',
    by: 'world',
    on: { will: ['aborting'], question: ['clear'], commit: ['quiet'], hold: ['held'] },
    ask: 'carry',
    to: to({ question: 'stuck' }),
  },
  {
    name: 'a call is unknown',
    by: 'world',
    on: { will: [...ENDED_BY_PERSON, 'ending'], question: ['clear'], commit: ['quiet'], hold: ['held'] },
    ask: 'ask',
    to: to({ question: 'asking' }),
  },
  {
    name: 'a call is unknown, and nobody to ask',
    by: 'world',
    on: { will: [...ENDED_BY_PERSON, 'ending'], question: ['clear'], commit: ['quiet'], hold: ['held'] },
    ask: 'ask',
    to: to({ question: 'parked' }),
  },
  {
    name: 'it is known',
    by: 'person',
    on: { will: [...ENDED_BY_PERSON], question: ['asking', 'parked'], commit: ['quiet'], hold: ['held'] },
    ask: 'outcome',
    to: to({ question: 'clear' }),
  },
  {
    name: 'the end is written',
    by: 'run',
    on: { will: ['ending', ...ENDED_BY_PERSON] },
    ask: 'end',
    to: to({ will: 'finishing' }),
  },
  {
    name: 'over',
    by: 'run',
    on: { will: ['finishing'], commit: ['quiet'], hold: HERE, question: ['clear'] },
    to: to({ will: 'over' }),
  },
  {
    name: 'cancelled while its machine sleeps',
    by: 'run',
    on: { will: [...ENDED_BY_PERSON, 'finishing'], machine: ['asleep'], hold: ['held'] },
    to: to({ machine: 'awake' }),
  },
  {
    name: 'a person pauses it',
    by: 'person',
    on: { will: AFOOT, pause: ['off'], hold: HERE },
    to: to({ pause: 'on' }),
  },
  // A paused run that is cancelled or finished meanwhile is paused no more.
  {
    name: 'a person has it go on',
    by: 'person',
    on: { pause: ['on'], hold: ['none', ...HERE] },
    to: to({ pause: 'off' }),
  },
];

const ATTEMPTS: readonly Transition[] = [
  {
    name: 'made as an attempt',
    by: 'person',
    on: { hold: ['none'], will: ['unbegun'], attempt: ['none'] },
    to: to({ will: 'going', attempt: 'trying' }),
  },
  {
    name: 'stands before the choice',
    by: 'run',
    on: { attempt: ['trying'], will: ['going', 'ending'] },
    ask: 'choose',
    to: to({ attempt: 'waiting' }),
  },
  {
    name: 'stands in line for the key of another attempt',
    by: 'run',
    on: { attempt: ['trying'], will: ['going'], hold: ['held'], machine: TOLD },
    to: to({ attempt: 'waiting' }),
  },
  {
    name: 'has got its key',
    by: 'world',
    on: { attempt: ['waiting'], will: ['going', 'ending'], hold: ['held'], machine: TOLD },
    to: to({ attempt: 'trying' }),
  },
  {
    name: 'kept',
    by: 'person',
    on: { attempt: ['trying', 'waiting'], will: AFOOT, hold: ['held'], machine: TOLD },
    to: to({ attempt: 'none' }),
  },
];

export const TRANSITIONS: readonly Transition[] = [
  ...PROCESS,
  ...FORWARD,
  ...FAILURES,
  ...COMMITS,
  ...ENDS,
  ...ATTEMPTS,
  ...MANDATES,
  ...VERDICTS,
];
