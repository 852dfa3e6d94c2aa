/** `planMigration`: the runs of a journal, planned under the release that a program has (semantics.md CO3). Nothing is written, and nothing is called. */

import { holdsUnder } from '../../boundaries/certificate.ts';
import type { BoundaryConfig } from '../../boundaries/config.ts';
import { CONFIG } from '../../boundaries/config-argument.ts';
import { readConfig } from '../../boundaries/directory.ts';
import { gathered } from '../../journal/gathered.ts';
import { JournalError, type JournalStore } from '../../journal/journal.ts';
import { STORE } from '../../journal/store-argument.ts';
import type { ValueCodec } from '../../journal/value-codec.ts';
import { CODE, listOf, namedBy, OBJECT, optional, refuseOther, shape, TEXT } from '../../model/argument.ts';
import type { Digests, KeptClass } from '../../model/entry.ts';
import type { Renames } from '../../model/renames.ts';
import type { Guards } from '../../predicates/compile.ts';
import type { RunState } from '../../projection/run-state.ts';
import { type Naming, namesFor, planning, readable } from '../../sidecar/migration/names.ts';
import { planRun, type Release, replacedTools, type Stay, stayText, unsureText } from '../../sidecar/migration/plan.ts';
import { keptClasses } from '../../sidecar/opening/kept-classes.ts';
import { readRun } from '../../sidecar/opening/read-run.ts';
import type { AnyStateMachine } from '../../xstate/actor.ts';
import { releaseOf } from '../../xstate/attach.ts';
import { MACHINE } from '../../xstate/machine-argument.ts';
import { RehearsalError } from '../rehearsal-error.ts';
import type { VerifyOptions } from './verify-runs.ts';

/** The runs that are planned, and their release. Without a config only the machine is planned; without names all runs of it that are not over are. */
export type PlanOptions = Omit<VerifyOptions, 'ignore'>;

/** A run under another release. */
export interface PlannedRun {
  readonly run: string;
  readonly agent: string | null;
  /** `same`: it is under that release already. `goes`: it takes the whole past the same way. `stays`: it does not, `why` says where. */
  readonly is: 'same' | 'goes' | 'stays';
  /** The code of the reason to stay; null where it does not. */
  readonly code: Stay['code'] | 'no_machine' | 'codec_missing' | 'memory_lost' | 'rows_archived' | 'unreadable' | null;
  /** The reason to stay in words; of a run that goes, why its past could not be compared to its end. */
  readonly why: string | null;
  /** The reason with its step, its key and its shapes, where a step parts. */
  readonly stay: Stay | null;
  /** The steps that were gone through, the calls that asked the same, and the keys of the calls that are carried over. */
  readonly compared: { readonly steps: number; readonly calls: number } | null;
  readonly carried: readonly string[];
  /** True where the checkpoints from before are stale under the config (CO1); null where no config was given. */
  readonly isStale: boolean | null;
  /** True where its past goes another way, and it goes on from where it stands by the order of both machines (CO6). */
  readonly isFromHere: boolean;
  /** The states that the event of the move leads to; null where the run does not receive it (CO11). */
  readonly sentTo: string | null;
  /** The calls that are kept as another class under it (CO2). */
  readonly classes: readonly KeptClass[];
  /** The digests that the run goes by; null where they cannot be read. */
  readonly under: Digests | null;
}

/** The runs of a journal under another release. */
export interface MigrationPlan {
  readonly runs: readonly PlannedRun[];
  readonly same: number;
  readonly goes: number;
  readonly stays: number;
}

/**
 * Plans the runs of a journal under a machine and its config: which go over, and at which step the others part. Nothing is called, and nothing
 * is written; `belay migrate apply` moves those that go.
 * @throws RehearsalError `config_refused`.
 * @example
 * import { setup } from 'xstate';
 * import { memoryStore } from 'belay-sidecar';
 * import { planMigration } from 'belay-sidecar/testing';
 *
 * const machine = setup({}).createMachine({ id: 'order', initial: 'idle', states: { idle: {} } });
 * const { stays } = await planMigration({ journal: memoryStore(), machine }); // a journal without runs
 * assert.equal(stays, 0);
 */
export async function planMigration(options: PlanOptions): Promise<MigrationPlan> {
  refuseOther('planMigration', { options: [options, PLAN_OPTIONS] });
  const { journal, machine, config, guards, codecs = [], runs } = options;
  const loaded = config === undefined ? null : configOf(config, guards);
  const names = runs ?? (await journal.runs()).map(({ run }) => run);
  const planned: PlannedRun[] = [];
  for (const run of names) {
    const one = await planIn(journal, run, codecs, (agent) =>
      agent === machine.id ? { machine, config: loaded } : null,
    );
    if (one !== null && (runs !== undefined || one.code !== 'no_machine')) planned.push(one);
  }
  return counted(planned);
}

/** The counts of planned runs. */
export function counted(runs: readonly PlannedRun[]): MigrationPlan {
  const count = (is: PlannedRun['is']) => runs.filter((each) => each.is === is).length;
  return { runs, same: count('same'), goes: count('goes'), stays: count('stays') };
}

/** Plans one run of a journal; null where it is over, or nothing of it is recorded. */
export async function planIn(
  journal: JournalStore,
  run: string,
  codecs: readonly ValueCodec[],
  subjectOf: (agent: string) => { readonly machine: AnyStateMachine; readonly config: BoundaryConfig | null } | null,
  naming: Naming = { back: false },
): Promise<PlannedRun | null> {
  const none = {
    run,
    agent: null,
    is: 'stays',
    stay: null,
    compared: null,
    carried: [],
    under: null,
    isStale: null,
    isFromHere: false,
    sentTo: null,
    classes: [],
  } as const;
  try {
    const { runState: found, reader } = readRun(await gathered(journal.read(run)), codecs);
    const { agent, ended } = found;
    if (agent === null || ended !== null) return null;
    const subject = subjectOf(agent);
    if (subject === null)
      return { ...none, agent, code: 'no_machine', why: `there is no machine "${agent}" among those that are given` };
    const under = found.digests;
    const [codec] = reader.unregistered;
    if (codec !== undefined)
      return {
        ...none,
        agent,
        under,
        code: 'codec_missing',
        why: `it has values of the codec "${codec}", which is not given`,
      };
    const [missing] = reader.missing;
    if (missing !== undefined)
      return { ...none, agent, under, code: 'memory_lost', why: `${missing} held a value that no journal can hold` };
    const named = await inNames(journal, run, codecs, found, naming);
    if ('stay' in named)
      return { ...none, agent, under, code: named.stay.code, why: stayText(named.stay), stay: named.stay };
    const { runState, renames } = named;
    const release = {
      ...releaseOf(subject.machine),
      ...(subject.config !== null && { config: subject.config }),
      ...planning(naming, renames),
    };
    const plan = planRun(runState, release);
    const of = { ...none, agent, under, ...underConfig(runState, subject.config, release) };
    if (plan.is === 'same') return { ...of, is: 'same', code: null, why: null };
    if (plan.is === 'stays') return { ...of, code: plan.why.code, why: stayText(plan.why), stay: plan.why };
    const why = plan.unsure === null ? null : unsureText(plan.unsure);
    const { compared, carried, isFromHere, sent } = plan;
    return { ...of, is: 'goes', code: null, why, compared, carried, isFromHere, sentTo: sent?.to ?? null };
  } catch (error) {
    if (!(error instanceof JournalError)) throw error;
    const code = error.code === 'rows_archived' ? 'rows_archived' : 'unreadable';
    return { ...none, code, why: `${error.code} ${error.message}` };
  }
}

/** A run, read in the names of the release that it is planned under. */
async function inNames(
  journal: JournalStore,
  run: string,
  codecs: readonly ValueCodec[],
  found: RunState,
  naming: Naming,
): Promise<{ readonly runState: RunState; readonly renames: Renames | null } | { readonly stay: Stay }> {
  const names = namesFor(found, naming);
  if ('stay' in names || names.renames === null) return 'stay' in names ? names : { runState: found, renames: null };
  const { renames } = names;
  const rows = await gathered(journal.read(run));
  const renamed = await readable(() => readRun(rows, codecs, renames));
  return 'stay' in renamed ? renamed : { runState: renamed.read.runState, renames };
}

function underConfig(
  runState: RunState,
  config: BoundaryConfig | null,
  { tools }: Release,
): Pick<PlannedRun, 'isStale' | 'classes'> {
  const { digests, ledger } = runState;
  const then = digests?.certificate;
  if (config === null) return { isStale: null, classes: [] };
  const isCertified =
    digests?.config === config.digest ||
    (then !== undefined && holdsUnder(then, config.certificate, (tool) => ledger.hasCalled(tool)));
  const isStale = !isCertified || replacedTools(runState, tools).length > 0;
  return { isStale, classes: keptClasses(runState, config, tools) };
}

function configOf(config: string | BoundaryConfig, guards: Guards = {}): BoundaryConfig {
  if (typeof config !== 'string') return config;
  const { config: loaded, findings } = readConfig(config, { guards });
  if (loaded !== null) return loaded;
  const first = findings.find(({ severity }) => severity === 'error');
  throw new RehearsalError('config_refused', `${config}: ${first?.message ?? 'it cannot be read'}`);
}

/** The options, as they are held against what is given. */
const PLAN_OPTIONS = shape<PlanOptions>('an object: { journal, machine }', {
  journal: STORE,
  machine: MACHINE,
  config: optional(CONFIG),
  guards: optional(namedBy(CODE)),
  codecs: optional(listOf(OBJECT)),
  runs: optional(listOf(TEXT)),
});
