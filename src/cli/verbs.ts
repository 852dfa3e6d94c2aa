/**
 * The verbs of `belay`, in the order and the groups of its help: the summary of a verb, and the file that adds the
 * verb.
 */
import type { Command } from 'commander';

/** Adds one verb to the program. */
type Add = (program: Command) => void;

const agents = () => import('./commands/agents.ts');
const configs = () => import('./commands/configs.ts');
const journals = () => import('./commands/journals.ts');
const claims = () => import('./commands/claims.ts');
const people = () => import('./commands/people.ts');
const ending = () => import('./commands/ending.ts');
const workers = () => import('./commands/workers.ts');

/** A verb: what it does, for the help, and the loading of the file that adds it. */
type Verb = readonly [about: string, load: () => Promise<Add>];

/** The verbs, by who needs them. */
const GROUPS: Readonly<Record<string, Readonly<Record<string, Verb>>>> = {
  'Configs:': {
    init: [
      'write a boundary config to start from, with at most two questions a tool, each a TODO',
      async () => (await configs()).addInit,
    ],
    check: [
      'report the errors and likely mistakes of boundary configs, each with its place and its fix',
      async () => (await configs()).addCheck,
    ],
    review: [
      'show what a person should see before vouching for a config, and record who has',
      async () => (await configs()).addReview,
    ],
    types: [
      'write the names of a config as TypeScript, so that the compiler checks what attach and fail are given',
      async () => (await configs()).addTypes,
    ],
    rehearse: [
      'run an agent once for each fault, in worlds of their own, and judge each run by the world it leaves',
      async () => (await import('./commands/rehearse.ts')).addRehearse,
    ],
  },
  'Runs:': {
    run: [
      'begin a run of an agent under the sidecar; --fail-at rehearses a failure',
      async () => (await agents()).addRun,
    ],
    resume: [
      'take a run up where its journal ends; --settle says what became of a call',
      async () => (await agents()).addResume,
    ],
    start: [
      'leave a run for the workers of a store: it begins when one takes it',
      async () => (await workers()).addStart,
    ],
    work: [
      'take runs that can go on, go on with them, and give back what waits',
      async () => (await workers()).addWork,
    ],
    send: [
      'leave an event for a run: the process that has it sends it to the machine, once',
      async () => (await import('./commands/messages.ts')).addSend,
    ],
    fork: [
      'make a run with the past of another one, which goes on by itself',
      async () => (await import('./commands/fork.ts')).addFork,
    ],
    attempts: [
      'the attempts of a run: what each waits for, its score, and what it has cost',
      async () => (await import('./commands/attempts.ts')).addAttempts,
    ],
    keep: [
      'keep one of several attempts of a run; the others are undone',
      async () => (await import('./commands/keep.ts')).addKeep,
    ],
    steer: [
      'say that an event of a run says something else, never was, or still holds',
      async () => (await import('./commands/steer.ts')).addSteer,
    ],
  },
  'Reading:': {
    runs: ['list the runs of a journal file, each with its status', async () => (await journals()).addRuns],
    show: [
      'show what happened in a run: its instances, effects, decisions and findings',
      async () => (await journals()).addShow,
    ],
    explain: [
      'explain the decisions of a run: what was restored or refused, why, and what would unblock it',
      async () => (await journals()).addExplain,
    ],
    why: [
      'show what a call, or a value, rests on: answers, decisions, events, the input',
      async () => (await journals()).addWhy,
    ],
    ledger: ['show why a run acted, what it did, and what it owes', async () => (await journals()).addLedger],
    events: [
      'list what a run was sent from outside, and what each event says now',
      async () => (await import('./commands/steer.ts')).addEvents,
    ],
    messages: [
      'list what reached a run from outside, and what became of each',
      async () => (await import('./commands/messages.ts')).addMessages,
    ],
    follow: [
      'print the rows of a run as they become durable, until it ends',
      async () => (await import('./commands/follow.ts')).addFollow,
    ],
    primer: [
      'write what a run is about, owes, was told and has done, for a model that goes on',
      async () => (await journals()).addPrimer,
    ],
    inspect: [
      'serve a page on this machine: the runs of a journal, why one stands still, and the acts that help',
      async () => (await import('./commands/inspect.ts')).addInspect,
    ],
    export: ['write a run, whole or as a trace for belay decide', async () => (await journals()).addExport],
    decide: [
      'answer every failure in a trace: what to restore, or why not and what would unblock it',
      async () => (await import('./commands/decide.ts')).addDecide,
    ],
  },
  'On call:': {
    approvals: [
      'list what runs ask of people, and the commands that answer it',
      async () => (await people()).addApprovals,
    ],
    approve: ['let a call leave that waits for an approval', async () => (await people()).addApprove],
    deny: ['refuse a call that waits for an approval', async () => (await people()).addDeny],
    settle: ['say what became of a call whose outcome only a person can tell', async () => (await people()).addSettle],
    supply: [
      'hand over the answer of a call whose act a person has made by hand',
      async () => (await people()).addSupply,
    ],
    reconcile: [
      'ask counterparties what became of the calls of a run whose outcome is open',
      async () => (await agents()).addReconcile,
    ],
    retry: [
      'have a step tried again that threw: its code was put right, or its limit is raised',
      async () => (await import('./commands/retry.ts')).addRetry,
    ],
    fail: [
      'say that work of a run was found wrong: it is taken back and done again',
      async () => (await ending()).addFail,
    ],
    cancel: [
      'end a run: nothing of it acts anew, and what it has done stands, or is undone',
      async () => (await ending()).addCancel,
    ],
    mandate: [
      'give a run a mandate: what it may do, and until when',
      async () => (await import('./commands/mandates.ts')).addMandate,
    ],
    revoke: [
      'withdraw a mandate: nothing leaves any more but undos, before another one is given',
      async () => (await import('./commands/mandates.ts')).addRevoke,
    ],
    pause: [
      'have runs stand still: nothing leaves before a person says unpause',
      async () => (await import('./commands/pause.ts')).addPause,
    ],
    unpause: ['have paused runs go on', async () => (await import('./commands/pause.ts')).addUnpause],
    claims: [
      'list what runs keep to themselves, since when, and which runs wait for them',
      async () => (await claims()).addClaims,
    ],
    pools: [
      'list the budgets that runs share, who has spent of them, and set their limits',
      async () => (await claims()).addPools,
    ],
    sandboxes: [
      'list what the tools of runs work in, and destroy what is due',
      async () => (await import('./commands/sandboxes.ts')).addSandboxes,
    ],
    release: ['free the claims of a run that will not be taken up again', async () => (await claims()).addRelease],
    notify: [
      'tell a webhook, once for each cause, that runs need a person',
      async () => (await import('./commands/notify.ts')).addNotify,
    ],
  },
  'Releases and stores:': {
    verify: [
      "send today's machines through recorded runs, and say at which step they part",
      async () => (await import('./commands/verify.ts')).addVerify,
    ],
    migrate: [
      'move runs to another release of their agent, or say why they stay',
      async () => (await import('./commands/migrate.ts')).addMigrate,
    ],
    drains: [
      'list which runs still need which release of their agent',
      async () => (await import('./commands/migrate.ts')).addDrains,
    ],
    delete: [
      'delete a run that has ended, or was cancelled, and owes nothing: for good',
      async () => (await ending()).addDelete,
    ],
    project: [
      'write the checkpointer of a graph anew, from the journal of a thread',
      async () => (await import('./commands/project.ts')).addProject,
    ],
    compact: [
      'archive the runs that are over and the oldest rows of the others, and say why the rest stays',
      async () => (await import('./commands/compact.ts')).addCompact,
    ],
    store: ['look after the place where runs are kept', async () => (await import('./commands/store.ts')).addStore],
  },
};

/**
 * Adds every verb to the program. The code of a verb is loaded if an argument names the verb; the others are there for
 * the help, and for a name that is typed wrong.
 */
export async function addVerbs(program: Command, args: readonly string[]): Promise<void> {
  const named = args.find((arg) => Object.values(GROUPS).some((verbs) => Object.hasOwn(verbs, arg)));
  for (const [group, verbs] of Object.entries(GROUPS))
    for (const [name, [about, load]] of Object.entries(verbs)) {
      if (name === named) (await load())(program);
      else program.command(name);
      program.commands.at(-1)?.description(about).helpGroup(group);
    }
}
