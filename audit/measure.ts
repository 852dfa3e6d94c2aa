/**
 * The measures of a run: the work that was done again, the work that was kept, and the difference from a run that never
 * failed.
 */
import { type InstanceId, instanceName, type Key, parseKey } from 'belay-sidecar';
import type { Account } from 'belay-sidecar/reports';
import { type Case, CHECKS, type CheckName, type Domain, type Strategy } from './case.ts';
import { isSameIn } from './memory.ts';
import { isSameWork, type Outcome } from './run.ts';
import { type Difference, differenceOf, isSame } from './worlds.ts';

/**
 * The end of a run, in the paper's words: `contract` is done with another result, `no-recov` had no checkpoint to
 * return to.
 */
type Status = 'ok' | 'contract' | 'blocked' | 'no-recov';

/** One run of a case. */
export interface Measured {
  readonly status: Status;
  /** The run came to its end, and to what it had to come to; what it did to the world on the way is another question. */
  readonly success: boolean;
  /** It came to its end, and every check holds, also those that the paper does not ask for in this domain. */
  readonly safe: boolean;
  /** Each check that the case requires; null for the others. */
  readonly checks: Readonly<Record<CheckName, boolean | null>>;
  /** The calls made again until the failed one had succeeded, and those of them that are other instances'. Null where it never did. */
  readonly replay: number | null;
  readonly upstream: number | null;
  /** Instances that were over and had promised something, and that stayed as they were. */
  readonly preserved: readonly string[];
  /** Others who had promised something, and whose promise is gone. */
  readonly dropped: readonly string[];
  /** True if the run went on from a checkpoint, or from the answer to the held call. */
  readonly observed: boolean;
  readonly latency: number | null;
  readonly difference: Difference;
}

/** Where a run went back to. */
interface Back {
  /** The step that a whole snapshot was taken at; null where instances go back one by one, or nothing does. -1 is the start. */
  readonly step: number | null;
  /** The instances that were moved. */
  readonly moved: ReadonlySet<string>;
}

/** Measures a run against the one that never failed. `step` is that of the snapshot that a plain runtime went back to, -1 the start. */
export function measure(
  domain: Domain,
  given: Case,
  strategy: Strategy,
  outcome: Outcome,
  reference: Outcome,
  step: number | null,
): Measured {
  const back = step === null ? backOf(outcome) : { step, moved: new Set<string>() };
  const failed = outcome.decision?.failed ?? null;
  const others = outcome.before.instances.filter(({ id, committed }) => {
    return committed && (failed === null || instanceName(id) !== instanceName(failed));
  });
  const dropped = others.filter((each) => isDropped(each, outcome, back)).map(({ id }) => id);
  const preserved = others
    .filter((each) => !each.live && !back.moved.has(instanceName(each.id)) && !isBehind(each, back))
    .map(({ id }) => id);
  const done = outcome.status === 'done';
  const difference = differenceOf(outcome.world, reference.world);
  const kept = preserved.flatMap((id) => writesOf(outcome.trace, id));
  const checks: Measured['checks'] = {
    semantics: done && isSameIn(domain.semantics, outcome.memory, reference.memory),
    prefix: done && isSameIn(kept, outcome.memory, reference.memory),
    effect: done && isSame(difference),
    committed_prefix: done && dropped.length === 0,
  };
  const safe = CHECKS.every((check) => checks[check] === true);
  const asked = (check: CheckName) => (given.requires.includes(check) ? checks[check] : null);
  const again = replayed(outcome, reference, failed);
  return {
    status: statusOf(outcome, checks.semantics === true),
    success: checks.semantics === true,
    safe,
    checks: {
      semantics: asked('semantics'),
      prefix: asked('prefix'),
      effect: asked('effect'),
      committed_prefix: asked('committed_prefix'),
    },
    replay: again?.all ?? null,
    upstream: again?.upstream ?? null,
    preserved: preserved.map(instanceName),
    dropped: dropped.map(instanceName),
    observed: strategy !== 'retry-only' && done,
    latency: done ? outcome.latency : null,
    difference,
  };
}

function statusOf({ status, decision }: Outcome, success: boolean): Status {
  if (status === 'done') return success ? 'ok' : 'contract';
  const codes = decision?.refusals.map((refusal) => ('code' in refusal ? refusal.code : '')) ?? [];
  return status === 'failed' || codes.some((code) => code === 'ambiguous_instance' || code === 'no_stable_checkpoint')
    ? 'no-recov'
    : 'blocked';
}

/** The extent of a restore. Under `dart` the whole machine goes to the candidate's position. */
function backOf({ decision, before }: Outcome): Back {
  if (decision === null || (decision.verdict !== 'restore' && decision.verdict !== 'restore_joint'))
    return { step: null, moved: new Set() };
  const { line, policy, failed } = decision;
  const moved = new Set(line.moves.map(({ instance }) => instanceName(instance)));
  if (policy !== 'dart') return { step: null, moved };
  const keep = line.moves.find(({ instance }) => instanceName(instance) === instanceName(failed))?.keep;
  const own = before.instances.find(({ id }) => instanceName(id) === instanceName(failed));
  const at = keep === undefined || keep === 'none' ? null : keep.at;
  return { step: own?.checkpoints.find((checkpoint) => checkpoint.at === at)?.step ?? null, moved };
}

/** True if an instance made a promise after the step to which the run was restored. */
function isBehind({ checkpoints }: Account['instances'][number], { step }: Back): boolean {
  return step !== null && checkpoints.some((checkpoint) => checkpoint.kind !== 'entry' && checkpoint.step > step);
}

/** True if an instance has lost a promise, without leave. */
function isDropped(instance: Account['instances'][number], { after, decision }: Outcome, back: Back): boolean {
  if (isBehind(instance, back)) return true;
  if (after === null || decision?.verdict === 'restore_joint') return false;
  const now = after.instances.find(({ id }) => instanceName(id) === instanceName(instance.id));
  return now === undefined || !now.committed;
}

/** The keys of the memory that an instance has written. */
function writesOf(trace: readonly string[], { skeleton, entity, ordinal }: InstanceId): readonly Key[] {
  const own = JSON.stringify([skeleton, entity, ordinal]);
  const keys = trace.flatMap((line) => {
    const { do: what, in: id, key }: { do: string; in?: unknown; key?: string } = JSON.parse(line);
    return what === 'write' && JSON.stringify(id) === own && !/^[a-z][a-z0-9+.-]*:/.test(key ?? '') ? [key ?? ''] : [];
  });
  return [...new Set(keys)].map(parseKey);
}

/** The calls since the answer, up to the one that failed, made again; none where it is answered, null where it never succeeded. */
function replayed(
  { calls, mark, failed, decision, status }: Outcome,
  reference: Outcome,
  own: InstanceId | null,
): { readonly all: number; readonly upstream: number } | null {
  if (status !== 'done' || failed === null) return null;
  const since = calls.slice(mark);
  const isAgain = ({ tool, args }: { tool: string; args: string }) => tool === failed.tool && args === failed.args;
  const [first] = since;
  if (decision?.verdict === 'settle' && (first === undefined || !isAgain(first))) return { all: 0, upstream: 0 };
  const same = since.findIndex((call) => isAgain(call) && call.ended !== null);
  const last = same === -1 ? since.findIndex(({ tool, ended }) => tool === failed.tool && ended !== null) : same;
  const made = since.slice(0, last + 1);
  return { all: made.length, upstream: made.filter((call) => own !== null && !isOwn(call, reference, own)).length };
}

/** True if a call is of the failed instance's work: the run that never failed says whose it is. */
function isOwn(call: { tool: string; args: string }, { asked }: Outcome, own: InstanceId): boolean {
  const { skeleton, entity } = own;
  const work = instanceName({ skeleton, entity, ordinal: 0 }).replace(/::0$/, '::');
  const same = asked.find(({ tool, args }) => tool === call.tool && args === call.args);
  return same === undefined || same.instance.startsWith(work);
}

/** True if an instance of the same skeleton and entity is in an account. */
export function occurrencesOf({ instances }: Account, work: InstanceId): Account['instances'] {
  return instances.filter(({ id }) => isSameWork(id, work));
}
