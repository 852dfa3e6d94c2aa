/** Says whether a run goes over to another release, and why it stays (semantics.md CO3, CO4). It changes nothing. */
import type { BoundaryConfig } from '../../boundaries/config.ts';
import type { LedgerCall } from '../../effects/ledger-call.ts';
import { isOpen } from '../../model/effect.ts';
import type { MachineShape } from '../../model/machine.ts';
import { MOVED_EVENT } from '../../model/moved-event.ts';
import type { Renames } from '../../model/renames.ts';
import { type ToolVersion, takesVersion } from '../../model/tool-version.ts';
import type { RunState } from '../../projection/run-state.ts';
import type { Machines } from '../../runtime/runtime.ts';
import type { Parting } from '../paper/parting.ts';
import { sameWay } from '../paper/same-way.ts';
import { type Against, fromHere, type SentMove } from './from-here.ts';
import { disorderText } from './order.ts';

/** A release, as far as a run is planned under it. */
export interface Release {
  readonly agent: string;
  /** The digest of its states and edges. */
  readonly digest: string;
  /** That of the text of its code; left out where it shows none. */
  readonly code?: string;
  /** The versions of the tools that name one. */
  readonly tools?: ReadonlyMap<string, ToolVersion>;
  /** The config that goes with it: its tools compute arguments. Left out where no config is at hand. */
  readonly config?: Pick<BoundaryConfig, 'tools'>;
  /** Its machines; null for a runtime that has none. */
  readonly machines: Machines | null;
  /** The names that it has given anew, in which the run was read; left out where the names are the same. */
  readonly renames?: Renames;
  /** Its states and edges; left out by a runtime that has none. */
  readonly shape?: MachineShape;
  /** The machine of the release before, where a reviewed map says that runs may go on from where they stand (CO6). */
  readonly machineBefore?: MachineShape;
  /** True where a run goes back to the release that it was moved from last. */
  readonly isBack?: boolean;
}

/** The reason why a run stays with the release that it is under. */
export type Stay =
  /** A step goes another way; where that is not for sure, the code asks a clock or chance, and the states or edges are others. */
  | { readonly code: 'parts'; readonly parting: Parting; readonly isSure: boolean }
  /** A call is under way, and was made by a version of its tool that the release does not take. */
  | { readonly code: 'call_in_flight'; readonly key: string; readonly tool: string; readonly version: string }
  /** A restore has begun: the release that decided it finishes it. */
  | { readonly code: 'recovering' }
  /** Work that was set aside waits for its replay: it is a record of what the other release did. */
  | { readonly code: 'set_aside'; readonly instances: number }
  /** The past has no reading in the names of the map. */
  | { readonly code: 'not_renamed'; readonly why: string }
  /** The map leads from another release, and the run is under this one. */
  | { readonly code: 'other_map'; readonly why: string }
  /** A commit becomes visible under the names of before. */
  | { readonly code: 'publishing' }
  /** The acts of a tool are told from those of other runs by the name of the tool. */
  | { readonly code: 'act_named'; readonly tool: string }
  /** It would go on from where it stands, and may not. */
  | Against
  /** It went on from where it stood once before: its past is of two machines. */
  | { readonly code: 'past_of_two' }
  /** A graph or a flow is not gone through on paper. */
  | { readonly code: 'not_compared' };

/** A run under a release. */
export type RunPlan =
  /** Nothing has changed that a run is bound to. */
  | { readonly is: 'same' }
  | {
      readonly is: 'goes';
      /** True where the states or edges are others: such a run moves on a person's word, or where a process adopts. */
      readonly isMoved: boolean;
      /** True where its past goes another way, and the order of both machines has it go on from where it stands (CO6). */
      readonly isFromHere: boolean;
      /** The event that it receives first then, if its machine takes that (CO11). */
      readonly sent: SentMove | null;
      readonly compared: { readonly steps: number; readonly calls: number };
      /** The step from which on the past could not be compared: the code asks a clock or chance there. Only code with another text goes over so. */
      readonly unsure: Parting | null;
      /** The keys of the calls that are under way, and are carried over. */
      readonly carried: readonly string[];
    }
  | { readonly is: 'stays'; readonly why: Stay };

/** Plans a run, which nothing else moves meanwhile, under a release of its agent. */
export function planRun(runState: RunState, release: Release): RunPlan {
  const { digests } = runState;
  const renames = release.renames ?? null;
  const isMoved = renames !== null || digests?.machine !== release.digest;
  const isOtherCode = digests?.code !== undefined && digests.code !== release.code;
  const isReplaced = replacedTools(runState, release.tools).length > 0;
  if (!isMoved && !isOtherCode && !isReplaced) return { is: 'same' };
  const open = [...runState.ledger.all()].filter(isUnderWay);
  // Code with another text finishes the calls under way, and goes on with all other work.
  const why = isMoved || isReplaced ? stays(runState, replacedCalls(open, release.tools)) : null;
  if (why !== null) return { is: 'stays', why };
  const unnamed = renames === null ? null : staysNamed(runState, renames, release.config?.tools);
  if (unnamed !== null) return { is: 'stays', why: unnamed };
  if (release.machines === null) return isMoved ? { is: 'stays', why: { code: 'not_compared' } } : { is: 'same' };
  const carried = open.map(({ key }) => key);
  const stay = partsOf(runState, release, release.machines, isMoved);
  if (!('stay' in stay)) return { is: 'goes', isMoved, isFromHere: false, sent: null, ...stay, carried };
  const { machineBefore, machines } = release;
  if (machineBefore === undefined || digests?.machine !== machineBefore.digest) return { is: 'stays', why: stay.stay };
  const onward = fromHere(runState, { ...release, machineBefore, machines });
  if ('against' in onward) return { is: 'stays', why: onward.against };
  const compared = { steps: 0, calls: open.length };
  return { is: 'goes', isMoved: true, isFromHere: true, sent: onward.sent, compared, unsure: null, carried };
}

/** The part of a past that a machine takes the same way, or the reason why it does not. */
function partsOf(
  runState: RunState,
  { config, isBack = false }: Release,
  machines: Machines,
  isMoved: boolean,
): Pick<Extract<RunPlan, { is: 'goes' }>, 'compared' | 'unsure'> | { readonly stay: Stay } {
  if (isMoved && runState.comparedFrom > 0 && !isBack) return { stay: { code: 'past_of_two' } };
  const compared = sameWay(runState, machines, config?.tools);
  const { parting = null, isSure = true } = 'parting' in compared ? compared : {};
  if (parting !== null && (isMoved || isSure)) return { stay: { code: 'parts', parting, isSure } };
  return { compared: compared.covered, unsure: parting };
}

/** The calls that the tools of a release do not take: another version has made them. */
function replacedCalls(calls: readonly LedgerCall[], tools: Release['tools']): readonly LedgerCall[] {
  return tools === undefined ? [] : calls.filter(({ tool, intent }) => !takesVersion(tools.get(tool), intent.version));
}

/** The tools of a release that a run may have called, and that do not take the version which it was under. */
export function replacedTools({ digests, actors, ledger }: RunState, tools: Release['tools']): readonly string[] {
  const then = digests?.tools ?? {};
  const others = [...(tools ?? [])].flatMap(([name, tool]) =>
    takesVersion(tool, Object.hasOwn(then, name) ? then[name] : undefined) ? [] : [name],
  );
  // What an actor was started with may have to be read from the rows: only for tools whose version is another.
  if (others.length === 0) return others;
  const called = new Set(actors.flatMap(({ started }) => started?.src ?? []));
  return others.filter((name) => called.has(name) || ledger.hasCalled(name));
}

function stays({ pending, records }: RunState, replaced: readonly LedgerCall[]): Stay | null {
  if (pending !== null) return { code: 'recovering' };
  if (records.size > 0) return { code: 'set_aside', instances: records.size };
  const [call] = replaced;
  if (call === undefined) return null;
  return { code: 'call_in_flight', key: call.key, tool: call.tool, version: call.intent.version ?? '1' };
}

/** The reason why a run keeps its names for now. */
function staysNamed(
  { publications }: RunState,
  { tools }: Renames,
  declared: BoundaryConfig['tools'] | undefined,
): Stay | null {
  if (publications.length > 0) return { code: 'publishing' };
  const named = Object.values(tools).find((name) => (declared?.get(name)?.once ?? null) !== null);
  return named === undefined ? null : { code: 'act_named', tool: named };
}

/** True for a call whose outcome the machine does not have yet. */
function isUnderWay({ status, at, isAnswered }: LedgerCall): boolean {
  return at !== null && (isOpen(status) || status === 'buffered' || (status === 'confirmed' && !isAnswered));
}

/** The reason why a run stays, in words. */
export function stayText(why: Stay): string {
  switch (why.code) {
    case 'parts':
      return why.isSure
        ? partingText(why.parting)
        : `${partingText(why.parting)}. Its code asks a clock or chance there, or has a state of its own, so nothing says whether it went this way then, and its states or edges are others`;
    case 'call_in_flight':
      return `${why.tool} is under way under ${why.key}, by version ${why.version}, which this release does not take: it goes over once that call is settled`;
    case 'recovering':
      return 'a restore is under way, and the release that decided it has to finish it';
    case 'set_aside':
      return `the work of ${why.instances} finished units was set aside, and waits for the replay by the release that did it`;
    case 'not_renamed':
    case 'other_map':
      return why.why;
    case 'publishing':
      return 'a commit becomes visible under the names of before: it goes over once that has happened';
    case 'act_named':
      return `${why.tool} has "once" in the config, and its acts are known by the name of the tool: a map cannot give that anew`;
    case 'unsettled':
      return `${why.why}: a run goes on from where it stands once that is settled`;
    case 'moved_event':
      return `the machine takes ${MOVED_EVENT} where the run stands, and ${why.why}. Nothing moves: change that transition`;
    case 'past_of_two':
      return 'it went on from where it stood once before, so that its past is of two machines. Plan it with a map, --map FILE, and the module of its release, --from FILE';
    case 'state_gone':
    case 'state_changed':
    case 'loop_changed':
    case 'would_be_done_again':
    case 'would_be_left_out':
      return disorderText(why);
    case 'not_compared':
      return 'a graph or a flow is not gone through on paper, and its nodes or edges are others';
  }
}

/** The reason why the past of a run was not compared to its end, in words. */
export function unsureText(parting: Parting): string {
  return `the past of the run could not be compared with the code of now from step ${parting.step} on (event ${JSON.stringify(parting.event)}): the code asks a clock or chance there, or has a state of its own. The run goes on as before`;
}

function partingText({ step, event, is, at, expected, found }: Parting): string {
  const what: Readonly<Record<Parting['is'], string>> = {
    step: 'the step',
    event: 'the event',
    state: 'the state',
    context: `the key ${at} of the context`,
    actors: 'the actors that it starts',
    arguments: `the arguments of ${at}`,
    delays: 'the delays that are armed',
  };
  return `the run and this machine part at step ${step} (event ${JSON.stringify(event)}): ${what[is]} was ${expected}, and is ${found} today`;
}
