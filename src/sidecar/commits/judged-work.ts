/** What a judge is asked about a boundary that has certified, and the name of that version (semantics.md JU1, JU2). */
import type { Boundary, Judge } from '../../boundaries/config.ts';
import { argsDigest } from '../../effects/digest.ts';
import { commits } from '../../model/checkpoint.ts';
import { isExternal } from '../../model/external-keys.ts';
import { type InstanceId, instanceName } from '../../model/instance.ts';
import type { JudgedWork, JudgingEntry } from '../../model/judged-entries.ts';
import { namedMarks, type StepEntry } from '../../model/step-entry.ts';
import { valueAt } from '../../projection/meets.ts';
import { argsOf } from '../calls/args.ts';
import type { RunParts } from '../parts.ts';

type Needs = Pick<RunParts, 'config' | 'runState'>;

/** The entries of the boundaries with a judge that a step has certified. */
export function judgingBy(parts: Needs, step: StepEntry): JudgingEntry[] {
  return namedMarks(step).flatMap(({ mark, boundary: name }) => {
    if (mark.do !== 'boundary' || !commits(mark.kind) || name === undefined || name === '') return [];
    const boundary = boundaryNamed(parts, mark.in, name);
    const at = parts.runState.history.registry.get(mark.in)?.committed?.at;
    if (boundary === undefined || boundary.judge === null || at === undefined) return [];
    const work = workOf(parts, step.actor, mark.in, boundary, at);
    const of = { instance: mark.in, boundary: name, work };
    return [
      {
        do: 'judging',
        id: versionOf(parts, of, boundary.judge),
        actor: step.actor,
        at,
        tool: boundary.judge.by,
        ...of,
      },
    ];
  });
}

/** The boundary of a judgment as the config has it today; undefined where the config has none of that name. */
export function boundaryNamed({ config }: Pick<RunParts, 'config'>, { skeleton }: InstanceId, name: string) {
  return config.skeletons.get(skeleton)?.boundaries.find(({ id }) => id === name);
}

/** Names a version: what is judged, by which judge, and what counts as a yes. The occurrence of the unit is no part of it. */
export function versionOf(
  { runState }: Pick<RunParts, 'runState'>,
  { instance, boundary, work }: Pick<JudgingEntry, 'instance' | 'boundary' | 'work'>,
  { by, pass, sure, weak }: Judge,
): string {
  const judge = [by, pass.text, sure?.text ?? null, weak];
  return argsDigest([instance.skeleton, boundary, work, judge], runState.secret, runState.codecs);
}

function workOf(
  { runState }: Needs,
  actor: number,
  instance: InstanceId,
  { outputs }: Boundary,
  at: number,
): JudgedWork {
  const { context } = runState.actor(actor);
  const facts = { state: '', action: '', args: {}, entity: instance.entity, memory: context, event: {} };
  const keys = outputs.flatMap((template) => template.fillAll(facts)).filter((key) => !isExternal(key));
  const values = [...new Map(keys.map((key) => [key.text, key])).values()].map(
    (key) => [key.text, valueAt(context, key) ?? null] as const,
  );
  const held = runState.ledger.buffered(instance).filter((call) => call.staged && (call.at ?? at) < at);
  return {
    unit: instance.skeleton,
    entity: instance.entity,
    outputs: Object.fromEntries(values),
    calls: held.map(({ intent }) => ({ tool: intent.tool, args: argsOf(runState, intent) ?? null })),
  };
}

/** The unit and the boundary that are judged, as a text. */
export function judgedText({ instance, boundary }: Pick<JudgingEntry, 'instance' | 'boundary'>): string {
  return `${boundary} of ${instanceName(instance)}`;
}
