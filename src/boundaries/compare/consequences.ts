/** The consequence of a change for the runs of an agent, in one sentence: what may happen now that could not, or the reverse. */
import type { Difference, Leaning } from './leaning.ts';

/** A sentence for each side to which a change of a field may lean. */
type Sentences = Readonly<Partial<Record<Leaning, string>>>;

const both = (looser: string, stricter: string, other?: string): Sentences =>
  other === undefined ? { looser, stricter } : { looser, stricter, other };
const neither = (other: string): Sentences => ({ other });

/** The sentences of each field, as a page spells it; what is not listed there is `(whole)`. */
export const CONSEQUENCES: Readonly<
  Record<'config' | 'tool' | 'skeleton' | 'boundary' | 'rollback', Readonly<Record<string, Sentences>>>
> = {
  config: {
    agent: neither('The page is about another agent: runs of the old one cannot be taken up with it.'),
    scopes: neither(
      'Names outside are compared otherwise: calls may be taken for the same object, or not, that were not before.',
    ),
    alternatives: both(
      'The child machines of a state are tried beside each other, and what all but one did is undone.',
      'The child machines of a state are no alternatives any more: what each of them does stands.',
    ),
    'alternatives at': neither('Another state invokes the branches.'),
    'alternatives branch': neither('Other child machines are the branches.'),
    'alternatives rule': both(
      'No person is asked any more which branch is chosen.',
      'A person is asked which branch is chosen, and until then nothing of the choice goes on.',
      'Another branch may be chosen, and at another time.',
    ),
    'alternatives when': both(
      'Branches may be chosen that were refused.',
      'Fewer branches may be chosen.',
      'Other branches may be chosen than before.',
    ),
    'alternatives score': neither('Another branch may be chosen.'),
    'alternatives deadline': neither('The choice is made at another time, among the branches that are over by then.'),
    'alternatives expires': both(
      'A person may take longer to choose a branch.',
      'No branch is chosen where a person takes longer than this.',
    ),
    'alternatives losers': both(
      'An act of a loser that cannot be undone stands, and no person is asked.',
      'An act of a loser that cannot be undone stops the run until a person has acted.',
    ),
    'keys blind': both(
      'A write to this key no longer counts as a read of it: less is taken back with it.',
      'A write to this key counts as a read of it: more is taken back with it.',
    ),
    'keys append': both(
      'What this key has gained is kept where other work goes back.',
      'What this key has gained goes back with the work that added it.',
    ),
    events: neither(
      'An answer of a person is refused for other changes than before: of the keys that its sender has seen.',
    ),
    'events steer': both(
      'Others than its sender may change an event afterwards, or say that it still holds.',
      'Fewer may change an event afterwards, or say that it still holds.',
      'Others may change an event afterwards, or say that it still holds.',
    ),
    'events from': neither(
      'A revision that does not say from where is about another part of the run: its past, or what is to come.',
    ),
    redact: both(
      'A value is shown, in texts, on the page and in exports, that was hidden.',
      'A value is hidden everywhere that was shown.',
    ),
    recover: neither('Other errors of the tool go to Belay, and not to the machine.'),
    tries: both(
      'A run may be restored more often before a person is asked.',
      'A run is parked for a person after fewer restores.',
    ),
    sandboxes: neither('A sandbox is there that was not, or is not any more.'),
    'sandboxes provider': neither('Another function starts and stops the sandbox: one that runs is the old one.'),
    'sandboxes ready': both('A start may take longer.', 'A start counts as lost sooner.'),
    'sandboxes grace': both('A sandbox is kept longer after the end.', 'A sandbox is destroyed sooner after the end.'),
    'sandboxes snapshot': both(
      'A sandbox that is lost is made again with what it held.',
      'A sandbox that is lost is lost with all that was done in it.',
    ),
    budgets: both('A run may spend more.', 'A run may spend less: a call over it is denied.'),
    'budgets pool': neither(
      'Other runs are counted together: what they spend and reserve of a pool is no more for the others.',
    ),
    'claims release': neither(
      'Other runs get the keys of a run at another time. What another run was given, the run can neither undo nor touch again.',
    ),
    'claims line_up': neither(
      'Runs wait for each other at another time: before the first call for all keys, or before each call for its own.',
    ),
    'claims ttl': neither('A call that waits for another run is refused sooner or later.'),
  },
  tool: {
    '(whole)': both(
      'Calls of the tool no longer count as irreversible: work may be done again past them without asking.',
      'Calls of the tool count as irreversible: nothing goes back past them without a person.',
      'The tool counts as irreversible either way.',
    ),
    effect: both(
      'Work may go back past a call, and the call be made again, without asking a person.',
      'Work goes back past fewer calls: a person is asked instead.',
      'Calls that were made before count as irreversible: one class has them made again, the other has them undone.',
    ),
    reads: both(
      'The tool is not taken for a reader: work stays that rests on what it read.',
      'The tool counts as a reader of it: its work goes back with what it read.',
      'Other keys cover it: nothing changes for a run.',
    ),
    writes: both(
      'The tool is not taken for a writer: what rests on its answer is not taken back with it, and runs do not wait for each other over it.',
      'The tool counts as a writer of it: what rests on it goes back with the call.',
      'Other keys cover it: nothing changes for a run.',
    ),
    reconcile: both(
      'A counterparty is asked what became of a call, and its word is acted on without a person.',
      'No counterparty is asked: a lost reply parks the run for a person.',
      'Another function answers what became of a call.',
    ),
    'reconcile tries': neither('A counterparty is asked more or less often before a person is.'),
    'reconcile wait': neither('A counterparty is asked sooner or later again.'),
    'reconcile settles_within': both(
      '"Did not happen" is believed sooner: a call that is still on its way may be made twice.',
      '"Did not happen" is believed later.',
    ),
    'reconcile refuses_key': both(
      '"Did not happen" is believed for good: the call is made again under another key.',
      '"Did not happen" is not believed for good: a person may be asked.',
    ),
    'reconcile outlives_key': both(
      '"Did not happen" is believed also of a call whose key its counterparty has forgotten.',
      'Of a call whose key its counterparty has forgotten, a person is asked.',
    ),
    'reconcile see': both(
      'A look at the world says what became of a call, and is acted on without a person.',
      'No look says what became of a call: a lost reply parks the run for a person.',
      'Another tool looks what became of a call.',
    ),
    'reconcile applied': neither('Other looks at the world say that a call has happened.'),
    'reconcile always': both(
      'A reply is taken for an effect without a look.',
      'A reply counts only once its effect is seen.',
    ),
    'reconcile patient': neither('People are asked at another time while a counterparty does not know.'),
    undo: both(
      'A call is taken back by a function of yours without asking.',
      'A call cannot be taken back: a person undoes it by hand.',
      'Another function takes a call back.',
    ),
    retry: both('A call that failed is made again by itself.', 'A call that failed is not made again by itself.'),
    'retry max': both('A call that failed is made again more often.', 'A call that failed is made again less often.'),
    'retry backoff': neither('A call that failed is made again sooner or later.'),
    'retry factor': neither('A call that failed is made again sooner or later.'),
    'retry jitter': neither('A call that failed is made again sooner or later.'),
    'retry non_retryable': both(
      'A call is made again after an error that ended it before.',
      'A call is not made again after this error.',
    ),
    gate: both('A call leaves without asking a person.', 'A call waits for a person.'),
    'gate expires': both('An approval is waited for longer.', 'An approval lapses sooner.'),
    'gate when': both(
      'Some calls leave without asking a person.',
      'More calls wait for a person.',
      'Other calls wait for a person than before.',
    ),
    'gate edits': both(
      'The person who approves a call may send this with another value.',
      'The person who approves a call sends this as the machine has it.',
    ),
    buffer: both(
      'A call acts at once, before its work is committed: it may have to be undone.',
      'A call acts only once its work is committed.',
      'Calls are staged elsewhere.',
    ),
    once: both('The same act may be made twice.', 'Calls that are the same act are made once.'),
    'in sandbox': neither('Calls work in another sandbox.'),
    'in beyond': neither('What a call has done is said to stand, or not, once its sandbox is gone.'),
    'once by': both(
      'Calls count as different acts that were one: an act may be made twice.',
      'More calls count as one act: a second one is not made.',
    ),
    'once scope': both('Two runs may both make the same act.', 'One act is made once over all runs of the store.'),
    when: both('A call leaves that was denied.', 'A call is denied that left.', 'Other calls are denied than before.'),
    check: both(
      'The world is not looked at once more before a call.',
      'The world is looked at once more before a call.',
      'Another function looks at the world before a call.',
    ),
    spends: both(
      'A call takes nothing of the budget: a run may make more of them.',
      'A call takes of a budget, and is denied where that is used up.',
      'A call takes another amount of the budget.',
    ),
    revalidate: both(
      'An act leaves on what was seen once, however old it is.',
      'What was seen is looked at again before an act, and work is done anew where it has changed.',
    ),
    'revalidate for': both(
      'An act leaves on an older answer without a second look.',
      'An answer is looked at again sooner.',
    ),
    'revalidate same': both(
      'An act leaves on an answer that is not equal any more.',
      'An act leaves only on an equal answer.',
      'Other changes count as none.',
    ),
    'revalidate else': both(
      'Work is done anew by itself where an answer has changed.',
      'A person is asked where an answer has changed.',
    ),
    in: neither('Calls work in another place, or what they do is gone with another one.'),
    obligations: both(
      'A run ends although what a call has promised is not done.',
      'No run ends before what a call has promised is done, or a person has answered for it.',
    ),
    'obligations each': neither('Other things are owed after a call.'),
    'obligations due': both(
      'What is owed is due later, or never.',
      'What is owed is due sooner, and is told as overdue from then on.',
      'What is owed is due at another time.',
    ),
    'obligations kept_by': neither('Another tool keeps what is owed.'),
    'obligations as': both(
      'A call keeps what is owed that did not.',
      'A call does not keep what is owed any more.',
      'Other calls keep what is owed.',
    ),
    'obligations until': both(
      'What is owed is released without a call that keeps it.',
      'What is owed is released in no other way than by a call, or a person.',
      'What is owed is released under another condition.',
    ),
    key_valid: both(
      'A call is sent again under its key for longer.',
      'A call is sent again under its key for a shorter time; after that a person may be asked.',
    ),
    decides: both(
      'A replay asks the tool anew, and may be answered something else; what it was asked is no longer journaled.',
      'A replay that asks the same is answered as before; what the tool is asked is journaled.',
    ),
    redact: both('A part of its calls is shown that was hidden.', 'A part of its calls is hidden that was shown.'),
    timeout: both(
      'A call may take longer before its outcome is asked for.',
      'A call is given up sooner, and its outcome asked for.',
    ),
    input: both(
      'A call leaves with arguments that were refused.',
      'A call is refused for its arguments that left.',
      'Other arguments are refused than before.',
    ),
    computed: both(
      'A call leaves with what the machine gives for this argument.',
      'What the machine gives for this argument is replaced by what is computed.',
      'This argument is computed in another way.',
    ),
    output: both(
      'An answer is taken that was refused.',
      'An answer is refused that was taken.',
      'Other answers are refused than before.',
    ),
  },
  skeleton: {
    '(whole)': both(
      'Failures in its states are restored that parked the run.',
      'Failures in its states park the run: nothing of them is restored.',
    ),
    entity: both(
      'What was several units is one: all of it is trusted, and goes back, together.',
      'What was one unit is several, each restored for itself.',
      'Units are told apart otherwise.',
    ),
    states: both('A failure in this state is restored that parked the run.', 'A failure in this state parks the run.'),
    discard: both(
      'A unit that is left by this edge is discarded: its acts are undone, or stand and are named.',
      'A unit that is left by this edge keeps its acts.',
      'A unit is discarded on another edge.',
    ),
    entry: both(
      'Work that begins in this state is a unit, and is restored.',
      'Work that begins in this state is of no unit.',
    ),
    inputs: both(
      'The unit is not taken for a reader: it stays where this key goes back.',
      'The unit goes back where this key does.',
      'Other keys cover it: nothing changes for a run.',
    ),
    required: both(
      'Work begins without this key.',
      'Work without this key fails: MISSING_INPUT.',
      'Other keys cover it: nothing changes for a run.',
    ),
    outputs: both(
      'A boundary may certify without this key.',
      'No boundary certifies without this key.',
      'Other keys cover it: nothing changes for a run.',
    ),
  },
  boundary: {
    '(whole)': neither('Work is promised at another place: the anchors say whether it is restored to there.'),
    kind: neither('The promise is another one: only a commit is gone back to where no policy has exits restored.'),
    at: neither('Work is promised in another state, or on another edge.'),
    when: both(
      'Work is promised whatever the state of things: a restore keeps what was refused.',
      'Work is promised only where the condition holds.',
      'Work is promised under another condition.',
    ),
    outputs: both(
      'Work is promised without this key.',
      'Work is promised only with this key.',
      'Other keys cover it: nothing changes for a run.',
    ),
    release: both(
      'The run keeps this key behind the boundary, and may touch it again.',
      'Other runs get this key behind the boundary. The run may not touch it again, nor undo under them what it did on it.',
      'Other keys cover it: nothing changes for a run.',
    ),
    message: neither('The ledger says something else of its commits.'),
    judge: both(
      'Work is promised that no judge has looked at.',
      'Work is promised only once a judge lets it stand.',
      'The verdict on this work comes from elsewhere, or is read in another way.',
    ),
    invariants: both(
      'Held calls become visible although their sum is wrong.',
      'Held calls become visible only where their sum is right.',
      'Held calls become visible under another sum.',
    ),
  },
  rollback: {
    anchors: both(
      'A run may be restored to this boundary without asking.',
      'A run is never restored to this boundary: it goes further back, or a person is asked.',
    ),
    pending: neither('The boundary is said to be under review: it certifies nothing meanwhile.'),
    compensable: both(
      'Work goes back past calls that are compensated, without asking.',
      'Work does not go back past calls that would have to be compensated.',
    ),
    joint: both(
      'A restore may take back what this skeleton has promised.',
      'A restore never takes back what this skeleton has promised.',
    ),
    exits: both(
      'A finished unit keeps what it did where it is found wrong without a key and no other unit is behind it.',
      'A finished unit that is found wrong without a key goes back further than its exit, or a person is asked.',
    ),
    outcome_checkpoints: both(
      'A run may be restored to behind a call that cannot be taken back.',
      'A run is not restored to behind a call that cannot be taken back.',
    ),
    resume: both(
      'A unit can be taken up in this state where its boundary lies outside.',
      'A boundary outside of the states is not restored.',
      'A unit is taken up in another state.',
    ),
    tries: both(
      'A unit may be restored more often before a person is asked.',
      'A person is asked after fewer restores of a unit.',
    ),
  },
};

/** The consequence of a difference, by its place in the two pages. */
export function consequenceOf({ path, is }: Pick<Difference, 'path' | 'is'>): string {
  const sentences = sentencesAt(path);
  return sentences?.[is] ?? sentences?.other ?? 'It is said otherwise: hold the two pages against each other.';
}

function sentencesAt([part = '', ...rest]: readonly string[]): Sentences | undefined {
  const { config, tool, skeleton, boundary, rollback } = CONSEQUENCES;
  if (part === 'keys' || part === 'claims') return config[`${part} ${rest[0]}`];
  if (part === 'events') return config[`events ${rest[1]}`] ?? config.events;
  if (part === 'tools') return tool[rest[1] === 'spends' ? 'spends' : rest.slice(1).join(' ') || '(whole)'];
  if (part !== 'skeletons') return config[part];
  const [field, ...within] = rest.slice(1);
  if (field === undefined) return skeleton['(whole)'];
  if (field === 'rollback' && within.length > 0) return rollback[within[0] as string];
  if (within.length === 0 && Object.hasOwn(skeleton, field)) return skeleton[field];
  return boundary[within.at(-1) === 'invariant' ? 'invariants' : (within[0] ?? '(whole)')];
}
