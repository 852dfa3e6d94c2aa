/** The verbs of `belay`, in the order of its help, each with the file that adds it. */
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

/** The loading of each verb. `deny` comes with `approve`, and every former name with the verb that replaced it. */
const VERBS: Readonly<Record<string, () => Promise<Add>>> = {
  init: async () => (await configs()).addInit,
  check: async () => (await configs()).addCheck,
  review: async () => (await configs()).addReview,
  types: async () => (await configs()).addTypes,
  rehearse: async () => (await import('./commands/rehearse.ts')).addRehearse,
  run: async () => (await agents()).addRun,
  resume: async () => (await agents()).addResume,
  runs: async () => (await journals()).addRuns,
  show: async () => (await journals()).addShow,
  ledger: async () => (await journals()).addLedger,
  why: async () => (await journals()).addWhy,
  explain: async () => (await journals()).addExplain,
  inspect: async () => (await import('./commands/inspect.ts')).addInspect,
  approvals: async () => (await people()).addApprovals,
  approve: async () => (await people()).addApprove,
  settle: async () => (await people()).addSettle,
  reconcile: async () => (await agents()).addReconcile,
  export: async () => (await journals()).addExport,
  decide: async () => (await import('./commands/decide.ts')).addDecide,
  start: async () => (await workers()).addStart,
  send: async () => (await import('./commands/messages.ts')).addSend,
  messages: async () => (await import('./commands/messages.ts')).addMessages,
  events: async () => (await import('./commands/steer.ts')).addEvents,
  follow: async () => (await import('./commands/follow.ts')).addFollow,
  primer: async () => (await journals()).addPrimer,
  steer: async () => (await import('./commands/steer.ts')).addSteer,
  fork: async () => (await import('./commands/fork.ts')).addFork,
  fail: async () => (await ending()).addFail,
  retry: async () => (await import('./commands/retry.ts')).addRetry,
  cancel: async () => (await ending()).addCancel,
  pause: async () => (await import('./commands/pause.ts')).addPause,
  unpause: async () => (await import('./commands/pause.ts')).addUnpause,
  delete: async () => (await ending()).addDelete,
  compact: async () => (await import('./commands/compact.ts')).addCompact,
  work: async () => (await workers()).addWork,
  claims: async () => (await claims()).addClaims,
  release: async () => (await claims()).addRelease,
  verify: async () => (await import('./commands/verify.ts')).addVerify,
  migrate: async () => (await import('./commands/migrate.ts')).addMigrate,
  drains: async () => (await import('./commands/migrate.ts')).addDrains,
  store: async () => (await import('./commands/store.ts')).addStore,
};

/**
 * Finds the function that adds the verb of the first argument, so that a verb loads no code of the others. If the first
 * argument names no verb, finds the functions of all verbs: for the help, and for the names near a mistyped one.
 */
export async function verbs(first: string | undefined): Promise<readonly Add[]> {
  const one = first !== undefined && Object.hasOwn(VERBS, first) ? VERBS[first] : undefined;
  return one === undefined ? Promise.all(Object.values(VERBS).map((add) => add())) : [await one()];
}
