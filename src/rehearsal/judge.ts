/** Judges a run by the world that it left and its final context, against the run without faults. */
import type { BoundaryConfig } from '../boundaries/config.ts';
import type { Decision } from '../model/decision.ts';
import type { Key } from '../model/key.ts';
import { explain, type Outline } from '../recovery/explain.ts';
import { contextHarms, type Harm, type KeyNames, withKeyNames, withoutKeys, worldHarms } from './difference.ts';
import type { RehearsedFault } from './faults/fault.ts';
import type { Judged } from './trial/course.ts';

/** The answer of the judge. */
export type RehearsalVerdict =
  /** The world and the context are those of the run without faults. */
  | { readonly is: 'same' }
  /** The run stands still, and nothing stands twice: the reasons, and what would unblock it. */
  | { readonly is: 'parked'; readonly reasons: readonly string[]; readonly unblock: readonly string[] }
  | { readonly is: 'harm'; readonly harms: readonly Harm[] }
  /** The fault did not happen, or its wrong answer was never found: the run shows nothing. */
  | { readonly is: 'unreached'; readonly why: string };

/** Judges a run. @param ignored keys of the context that may differ. */
export function judge(
  course: Judged,
  fault: RehearsedFault,
  reference: Judged,
  config: BoundaryConfig,
  ignored: readonly Key[] = [],
): RehearsalVerdict {
  const unreached = unreachedText(course, fault, reference);
  if (unreached !== null) return { is: 'unreached', why: unreached };
  if (course.status === 'broken') return harm('lost', `the run breaks: ${course.error}`);
  if (course.status === 'hangs') return harm('lost', hangText(course));
  if (course.status === 'endless') return harm('lost', 'the run goes on for ever');
  const denied = fault.kind === 'approval' ? actedUnapproved(course, fault) : [];
  if (denied.length > 0) return { is: 'harm', harms: denied };
  const isTold = fault.kind === 'steer' && (course.status === 'done' || course.status === 'waiting');
  if (isTold && (course.status !== reference.status || course.state !== reference.state))
    return harm('wrong', `the run is ${restText(course)}, and not ${restText(reference)}`);
  if (course.status !== 'done' && !isTold) {
    const harms = standingTwice(course, reference, config);
    return harms.length > 0 ? { is: 'harm', harms } : parked(course, fault);
  }
  // After a person's no the machine may go another way.
  if (fault.kind === 'approval' || isToldLess(course, fault)) return { is: 'same' };
  const names = keyNames(course, reference);
  const context = (run: Judged) => withKeyNames(withoutKeys(run.context, ignored), names);
  const harms = [
    ...worldHarms(withKeyNames(course.world, names), withKeyNames(reference.world, names)),
    ...contextHarms(context(course), context(reference)),
  ];
  return harms.length === 0 ? { is: 'same' } : { is: 'harm', harms };
}

/**
 * True if the machine received less than in the run without faults, or received it after a delay: then it may end in
 * its own way.
 */
function isToldLess({ seen }: Judged, fault: RehearsedFault): boolean {
  if (fault.kind !== 'event') return false;
  return fault.how === 'missing' || (fault.how === 'late' && seen.timers.some(({ rang }) => rang));
}

function harm(is: Harm['is'], text: string): RehearsalVerdict {
  return { is: 'harm', harms: [{ is, text }] };
}

function restText({ status, state }: Judged): string {
  return `${status} in ${state}`;
}

function unreachedText(course: Judged, fault: RehearsedFault, reference: Judged): string | null {
  if (!course.fired || (fault.kind === 'steer' && course.steered === null)) return 'the run ended before the fault';
  if (fault.kind === 'steer' && reference.status !== 'done' && reference.status !== 'waiting')
    return `told so from the beginning, the run is ${restText(reference)}`;
  if (fault.kind !== 'wrong' || course.complaint === 'taken') return null;
  return course.complaint === 'never'
    ? 'the run ended before what was wrong was found wrong'
    : 'the complaint about what was wrong was refused';
}

function hangText({ hanging, state }: Judged): string {
  return `the run waits for ever in ${state}: ${hanging.join(', ')} never answers and has no timeout`;
}

function actedUnapproved({ seen }: Judged, { tool, nth }: { tool: string; nth: number }): Harm[] {
  const acts = seen.calls.filter((call) => call.tool === tool && call.nth === nth && call.acted);
  return acts.length === 0 ? [] : [{ is: 'left over', text: `${tool}#${nth} has acted without an approval` }];
}

/** The acts that stand twice and cannot be taken back, where the run stands still. */
function standingTwice(course: Judged, reference: Judged, config: BoundaryConfig): Harm[] {
  const { calls, foundAt } = course.seen;
  // Acts before the wrong answer was found followed from that answer.
  const later = calls.filter(({ moment, acted }) => acted && moment > foundAt);
  const lasting = [...new Set(later.map(({ tool }) => tool))].filter(
    (tool) => (config.tools.get(tool)?.effect ?? 'irreversible') === 'irreversible',
  );
  const harms = lasting.flatMap((tool): Harm[] => {
    const [acts, wanted] = [decisionsOf(course, tool), decisionsOf(reference, tool)];
    return acts > wanted ? [{ is: 'twice', text: `${tool} has acted ${acts} times and not ${wanted}` }] : [];
  });
  if (foundAt > 0) return harms;
  const names = keyNames(course, reference);
  const [world, wanted] = [withKeyNames(course.world, names), withKeyNames(reference.world, names)];
  return [...harms, ...worldHarms(world, wanted).filter(({ is }) => is === 'twice')];
}

/** The number of decisions to make a call that acted: calls under one key are one. */
function decisionsOf({ seen }: Judged, tool: string): number {
  const acts = seen.calls.filter((call) => call.tool === tool && call.acted);
  const keyed = new Set(acts.flatMap(({ key }) => key ?? []));
  return keyed.size + acts.filter(({ key }) => key === null).length;
}

/**
 * The keys of both runs, each by the name of its call; the longest first, as a later generation begins with the earlier
 * one.
 */
export function keyNames(...courses: readonly Judged[]): KeyNames {
  const names = new Map<string, string>();
  const numbers = new Map<string, number>();
  for (const { seen } of courses) {
    for (const { key, tool } of seen.calls) {
      if (key === null) continue;
      const decision = key.replace(/~\d+$/, '');
      const number = numbers.get(decision) ?? numbers.size + 1;
      numbers.set(decision, number);
      names.set(key, `(key ${number}, of ${tool})`);
    }
  }
  return new Map([...names].sort(([one], [other]) => other.length - one.length));
}

function parked(course: Judged, fault: RehearsedFault): RehearsalVerdict {
  const { decision, status, state, unsent, error } = course;
  if (status === 'stuck') return { is: 'parked', reasons: ['stuck'], unblock: [`an undo failed: ${error}`] };
  if (decision === null && fault.kind === 'timer' && fault.how === 'never') {
    const text = `the delay ${fault.timer} is not over in ${state}: take the run up in another process, which sets its delays by the journal`;
    return { is: 'parked', reasons: ['waiting'], unblock: [text] };
  }
  if (decision === null) {
    const waits = unsent.length > 0 ? `the event ${unsent.join(', ')}` : 'an event or an approval';
    return { is: 'parked', reasons: ['waiting'], unblock: [`the machine waits for ${waits} in ${state}`] };
  }
  return { is: 'parked', reasons: reasonsOf(decision), unblock: unblockOf(decision) };
}

/** The codes of a decision that parks, each once. */
export function reasonsOf(decision: Decision): readonly string[] {
  const codes = decision.refusals.flatMap((refusal) =>
    'code' in refusal ? [refusal.code as string] : refusal.adds.map(({ code }) => code as string),
  );
  return codes.length === 0 ? [decision.verdict] : [...new Set(codes)].toSorted();
}

function unblockOf(decision: Decision): readonly string[] {
  const part = explain(decision).under?.find(({ text }) => /^To (unblock|go on)/.test(text));
  if (part === undefined) return [];
  return part.under === undefined ? [part.text] : part.under.map(flat);
}

function flat({ text, under = [] }: Outline): string {
  return [text, ...under.map(flat)].join(' ');
}
