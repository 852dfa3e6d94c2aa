/**
 * The life of a run as data (semantics.md LC1): nine regions that move each for itself, the questions that are asked of
 * them, and the answer that each state gives to each question. What a row does not name is yes; the answer of the run
 * is the strictest of its nine states.
 */

/** The states of each region, the first one first. */
export const REGIONS = {
  /** The hold of a process on the run: `leaving` from `close()` on, `broken` once its journal refuses. */
  hold: ['none', 'opening', 'held', 'leaving', 'broken'],
  /**
   * The way of the run: `ending` while its machine is at its end and that is being decided, `aborting` while what it
   * did is undone, `finishing` once the end is written.
   */
  will: ['unbegun', 'going', 'ending', 'cancelling', 'aborting', 'finishing', 'over'],
  /**
   * The question that is open: a failure (`deciding`), a complaint (`suspecting`), a fenced plan (`carrying`), an undo
   * that is owed (`stuck`), an outcome that a counterparty will be asked about (`asking`), a person's word (`parked`),
   * or what it was parked on, asked again (`rejudging`).
   */
  question: ['clear', 'deciding', 'suspecting', 'carrying', 'stuck', 'asking', 'parked', 'rejudging'],
  /**
   * The machine, graph or flow: `asleep` while it was not started, `claiming` while work that was set aside waits for
   * its claim.
   */
  machine: ['absent', 'asleep', 'awake', 'claiming'],
  /** The commit under way: `owed` where a person has to settle it. */
  commit: ['quiet', 'preparing', 'publishing', 'owed'],
  /** The pause by a person's word. */
  pause: ['off', 'on'],
  /**
   * An attempt before the choice: `waiting` once nothing of it goes on without the choice. `none`: chosen, or no
   * attempt.
   */
  attempt: ['none', 'trying', 'waiting'],
  /**
   * The mandate that the run acts under: `over` once it has ended, `wanted` once a call or a commit waits for another
   * one.
   */
  mandate: ['stands', 'over', 'wanted'],
  /** The verdict on a boundary: `awaited` from its judge or a person, and while rejected work stands. */
  verdict: ['none', 'awaited'],
} as const;

export type RegionOfLife = keyof typeof REGIONS;

/** The state of a run: one of each region. */
export type Configuration = { readonly [R in RegionOfLife]: (typeof REGIONS)[R][number] };

/** The questions: what may happen now? */
export const QUESTIONS = {
  receive: 'may a message be read from the inbox?',
  deliver: 'may an event from outside be handed to the machine?',
  answer: 'may an answer, a chunk, a timer or the end of a child be handed to the machine?',
  call: 'may a new call come up?',
  leave: 'may a call with a durable intent leave?',
  leaveApproved: 'may a call that a person approved leave?',
  leaveForGood: 'may a call leave that nothing takes back?',
  act: 'may a call leave that changes the world?',
  outcome: 'may an outcome be written?',
  ask: 'may a counterparty be asked?',
  complain: 'may a complaint be taken?',
  approve: 'may an approval count?',
  cancel: 'may a person end the run?',
  decide: 'may a failure be decided?',
  plan: 'may a restore be fenced?',
  carry: 'may a fenced plan go on?',
  claim: 'may a replay take a record over?',
  commit: 'may a commit begin?',
  publish: 'may a decided commit become visible?',
  choose: 'may a choice among alternatives be made?',
  judge: 'may a verdict be asked for?',
  end: 'may the end be written?',
  base: 'may a base be written?',
  rest: 'may the process give the run back as at rest?',
} as const;

export type Question = keyof typeof QUESTIONS;

/** The answer of one state: to wait for something, or no, with the code that the asker is told. */
export type Cell = { readonly is: 'wait'; readonly for: string } | { readonly is: 'no'; readonly code: string };

type Row = Readonly<Partial<Record<Question, Cell>>>;

/** The answers of all states. */
export type Table = { readonly [R in RegionOfLife]: Readonly<Record<Configuration[R], Row>> };

const row = (cell: Cell, questions: readonly Question[]): Row =>
  Object.fromEntries(questions.map((question) => [question, cell]));
const waits = (what: string, ...questions: readonly Question[]) => row({ is: 'wait', for: what }, questions);
const refuses = (code: string, ...questions: readonly Question[]) => row({ is: 'no', code }, questions);

/** The moves of the machine, and what is done for it. */
const MOVES = ['deliver', 'answer', 'call', 'leave', 'leaveApproved', 'act', 'claim'] as const;
const ALL_BUT_REST = (Object.keys(QUESTIONS) as Question[]).filter((question) => question !== 'rest');
/** The moves that stand still while it is in question what the work rests on. */
const UNSURE = ['deliver', 'answer', 'call', 'leave', 'claim', 'commit', 'end'] as const;

/** What lies behind a boundary that waits for its verdict. */
const BEHIND = ['deliver', 'answer', 'call', 'claim', 'commit', 'choose', 'end'] as const;

export const TABLE: Table = {
  hold: {
    none: waits('a process that takes it', ...ALL_BUT_REST),
    opening: waits('its machine', ...MOVES, 'complain', 'rest'),
    held: {},
    leaving: {
      ...waits('the next process', ...MOVES, 'ask', 'decide', 'plan', 'carry', 'commit', 'publish', 'end'),
      ...waits('the next process', 'cancel', 'receive', 'choose', 'judge'),
      ...refuses('journal_closed', 'complain', 'approve'),
    },
    broken: refuses('journal_broken', ...ALL_BUT_REST),
  },
  will: {
    unbegun: refuses('not_at_its_end', 'end'),
    going: refuses('not_at_its_end', 'end'),
    ending: waits('the decision about its end', 'deliver', 'call'),
    cancelling: refuses(
      'run_cancelled',
      ...MOVES,
      'decide',
      'plan',
      'commit',
      'complain',
      'approve',
      'cancel',
      'choose',
      'judge',
    ),
    // An undo leaves as the answer to no question: it is not asked for here (AB1).
    aborting: {
      ...refuses('aborting', ...MOVES, 'decide', 'plan', 'commit', 'choose', 'complain', 'approve', 'cancel'),
      ...refuses('aborting', 'judge'),
    },
    finishing: refuses(
      'run_finished',
      ...([...MOVES, 'decide', 'plan', 'carry', 'complain', 'approve', 'cancel', 'end', 'base', 'choose'] as const),
      'judge',
    ),
    // What comes to it is read, to be refused; an outcome is a fact.
    over: refuses(
      'run_finished',
      ...ALL_BUT_REST.filter((question) => question !== 'receive' && question !== 'outcome'),
    ),
  },
  question: {
    clear: {},
    deciding: waits('the answer to a failure', 'claim', 'end', 'rest', 'choose', 'judge'),
    suspecting: {
      ...waits('the answer to a complaint', 'call', 'leave', 'leaveApproved', 'claim', 'commit', 'end'),
      ...waits('the answer to a complaint', 'rest', 'choose', 'judge'),
    },
    carrying: {
      ...waits('the plan', ...MOVES, 'decide', 'plan', 'commit', 'publish', 'end', 'rest', 'choose', 'judge'),
    },
    stuck: {
      ...waits('an undo that is owed', ...MOVES, 'decide', 'plan', 'carry', 'commit', 'publish', 'end', 'choose'),
      ...waits('an undo that is owed', 'judge'),
      ...refuses('stuck', 'complain'),
    },
    asking: waits('a counterparty', ...UNSURE, 'choose', 'judge'),
    parked: waits('a person', ...UNSURE, 'choose', 'judge'),
    rejudging: waits('questions that are asked again', ...UNSURE, 'choose', 'judge', 'leaveApproved', 'rest'),
  },
  machine: {
    absent: waits('its machine', ...MOVES, 'choose', 'judge'),
    asleep: waits('the program, which starts it', ...MOVES, 'choose', 'judge', 'complain'),
    awake: {},
    claiming: waits(
      'the claim of work that was set aside',
      'deliver',
      'answer',
      'call',
      'end',
      'base',
      'choose',
      'judge',
    ),
  },
  commit: {
    quiet: {},
    preparing: waits('the decision about a commit', 'call', 'decide', 'plan', 'end', 'rest'),
    publishing: waits('a commit that becomes visible', 'call', 'decide', 'plan', 'end', 'rest'),
    owed: waits('a person, for a commit', 'call', 'end'),
  },
  pause: {
    off: {},
    // What had begun is finished: the call that undoes, the publication.
    on: waits('the end of the pause', ...MOVES, 'ask', 'decide', 'plan', 'carry', 'commit', 'end', 'choose', 'judge'),
  },
  attempt: {
    none: {},
    trying: waits('the choice among attempts', 'leaveForGood', 'commit', 'end'),
    waiting: waits('the choice among attempts', 'leaveForGood', 'commit', 'end'),
  },
  mandate: {
    stands: {},
    // An undo, a look and a commit that was decided go on: they are not asked for here (MD4).
    over: waits('another mandate', 'act', 'commit'),
    wanted: waits('another mandate', 'act', 'commit'),
  },
  verdict: {
    none: {},
    // A call that had begun is no part of what comes behind the boundary: it leaves (JU1).
    awaited: waits('the verdict on a boundary', ...BEHIND),
  },
};
