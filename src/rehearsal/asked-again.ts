/**
 * Asks for each act of a path once more, as a model does that plans anew: the state that makes the call is entered again once it is answered.
 * `once` in the config says which calls are one act (semantics.md ON1); without it both are made.
 */
import type { BoundaryConfig } from '../boundaries/config.ts';
import { nearest } from '../boundaries/page/document.ts';
import { enteredTwice } from '../xstate/entered-twice.ts';
import { machineShape } from '../xstate/shape.ts';
import { withKeyNames, worldHarms } from './difference.ts';
import type { Reference } from './faults/reference.ts';
import { keyNames, reasonsOf } from './judge.ts';
import type { ActAgain } from './report.ts';
import type { Course } from './trial/course.ts';
import { undisturbed } from './trial/passing.ts';
import { recordedCalls } from './trial/reference.ts';
import type { Subject } from './trial/subject.ts';
import { runTrial } from './trial/trial.ts';

/** A state that makes one call, of a tool that changes the world. */
interface ActingState {
  readonly state: string;
  readonly tool: string;
}

/** The acts to ask for again. */
interface Asked {
  readonly subject: Subject;
  readonly references: readonly Reference[];
  /** The tools that are replayed. */
  readonly replay: readonly string[];
  /** Only those whose id has this text in it. */
  readonly only: string;
  /** Told of each run before it is made. */
  onRun(run: { readonly id: string; readonly index: number; readonly of: number }): void;
}

/** Asks for each act again: each state that acts on the first path that comes to it. */
export async function askedAgain({ subject, references, replay, only, onRun }: Asked): Promise<readonly ActAgain[]> {
  const acting = actingStates(subject);
  const found: ActAgain[] = [];
  for (const [index, { state, tool }] of acting.entries()) {
    for (const reference of references) {
      const id = `${reference.path.name}/again/${state}/${tool}`;
      if (!id.includes(only) || !reference.course.seen.calls.some((call) => call.tool === tool)) continue;
      onRun({ id, index, of: acting.length });
      const course = await again(subject, reference, state, replay);
      if (course === null) continue;
      found.push({ id, path: reference.path.name, state, tool, ...told(course, reference, tool, subject.config) });
      break;
    }
  }
  return found.map((each) => ({ ...each, ...placeOf(subject, each.tool) }));
}

/** The states whose call can be asked for again. One that makes several side by side is entered for none of them alone. */
function actingStates({ machine, config }: Subject): readonly ActingState[] {
  const { states, actors } = machineShape(machine);
  const tools = new Set(actors.flatMap(({ name, kind }) => (kind === 'promise' ? [name] : [])));
  return states.flatMap(({ path, invokes }) => {
    const tool = invokes.length === 1 ? invokes[0]?.tool : null;
    const doesAct = tool != null && tools.has(tool) && config.tools.get(tool)?.effect !== 'none';
    return doesAct ? [{ state: path, tool }] : [];
  });
}

/** The run in which a state is entered again; null where the path does not come to it. */
async function again(subject: Subject, { path, course }: Reference, state: string, replay: readonly string[]) {
  let times = 0;
  const count = () => {
    times += 1;
  };
  const run = await runTrial({
    ...{ subject, config: subject.config, path, fault: null },
    passing: undisturbed(replay, recordedCalls(course)),
    change: (machine) => enteredTwice(machine, state, count) ?? machine,
  });
  return times === 0 ? null : run;
}

function told(course: Course, { course: wanted }: Reference, tool: string, config: BoundaryConfig) {
  const names = keyNames(course, wanted);
  const harms = worldHarms(withKeyNames(course.world, names), withKeyNames(wanted.world, names));
  if (acts(course, tool) > acts(wanted, tool)) return { is: 'twice', text: twiceText(harms, tool, config) } as const;
  if (course.status === 'endless')
    return { is: 'otherwise', text: 'the run goes on for ever: the machine asks again after each refusal' } as const;
  if (course.status !== 'done') {
    const why =
      course.decision === null ? (course.error ?? `in ${course.state}`) : reasonsOf(course.decision).join(', ');
    return { is: 'otherwise', text: `the run is ${course.status}: ${why}` } as const;
  }
  const repeated = course.seen.repeats.find((each) => each.tool === tool);
  if (repeated === undefined) return { is: 'otherwise', text: 'the second call was not made' } as const;
  if (repeated.isRefused)
    return { is: 'refused', text: 'is refused, act_repeated: the second call has other arguments' } as const;
  return { is: 'once', text: 'is answered with the first act' } as const;
}

function twiceText(harms: ReturnType<typeof worldHarms>, tool: string, config: BoundaryConfig): string {
  const [first] = harms;
  if (first === undefined) return 'acts twice, and the world is as after one act';
  const declared = config.tools.get(tool)?.once ?? null;
  const fix =
    declared === null
      ? 'Where a second one is never meant, say by `once` which calls are one act'
      : `The two calls differ in ${declared.by.join(', ')}, by which \`once\` tells acts apart`;
  return `acts twice: ${first.text}. ${fix}`;
}

/** The calls of a tool that have acted. */
function acts({ seen }: Course, tool: string): number {
  return seen.calls.filter((call) => call.tool === tool && call.acted).length;
}

function placeOf({ document }: Subject, tool: string): Pick<ActAgain, 'line' | 'column'> {
  if (document === null || document.root === null) return {};
  return nearest(document.root, ['tools', tool]).at;
}
