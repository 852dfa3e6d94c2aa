/** Lints of alternatives against their machine: whether it invokes branches and takes the choice, and what the branches call. Pure. */
import { CHOICE_EVENTS } from '../../model/choice-entries.ts';
import { isExternal } from '../../model/external-keys.ts';
import { overlaps, type parseKey } from '../../model/key.ts';
import type { MachineShape } from '../../model/machine.ts';
import type { Alternatives, BoundaryConfig, KeyTemplate, Tool } from '../config.ts';
import { entriesOf, field, type Item } from '../page/document.ts';
import type { Findings } from '../page/finding.ts';
import { isWithin } from '../sections/skeleton.ts';

/** The events by which a machine is given the choice. */
const CHOICES = Object.values(CHOICE_EVENTS);

/** One thing that is wrong with alternatives. */
interface Trouble {
  readonly code:
    | 'alternatives_unfit'
    | 'branch_undo_missing'
    | 'branch_call_refused'
    | 'held_output_read'
    | 'branches_meet';
  readonly severity: 'error' | 'warning';
  readonly message: string;
  readonly mend: string;
}

/** Reports what is wrong with the alternatives of a config. */
export function lintAlternatives(config: BoundaryConfig, root: Item, shape: MachineShape, findings: Findings): void {
  for (const [name, { at }] of entriesOf(field(root, 'alternatives'))) {
    const alternatives = config.alternatives.get(name) as Alternatives;
    for (const { code, severity, message, mend } of troubles(alternatives, config, shape))
      findings.report(code, severity, at, message, mend);
  }
}

/** Lists a message for each thing that is wrong with the alternatives of a config, so that no run may begin. */
export function alternativesTrouble(config: BoundaryConfig, shape: MachineShape): readonly string[] {
  return [...config.alternatives.values()]
    .flatMap((one) => troubles(one, config, shape))
    .filter(({ severity }) => severity === 'error')
    .map(({ code, message, mend }) => `${code}: ${message}. ${mend}`);
}

function troubles(alternatives: Alternatives, config: BoundaryConfig, shape: MachineShape): readonly Trouble[] {
  const unfit = unfitness(alternatives, shape);
  if (unfit !== null) return [{ code: 'alternatives_unfit', severity: 'error', ...unfit }];
  const names = toolsIn(alternatives, shape);
  const tools = names.flatMap((name) => config.tools.get(name) ?? []);
  return [...tools.flatMap((tool) => callTroubles(tool, alternatives)), ...readsOfHeld(tools, alternatives)];
}

function unfitness({ at, branch, name }: Alternatives, shape: MachineShape): Pick<Trouble, 'message' | 'mend'> | null {
  const state = shape.states.find(({ path }) => path === at);
  if (state === undefined)
    return { message: `"${at}" is not a state of ${shape.id}`, mend: 'Name the state that invokes the branches.' };
  if (state.type === 'parallel')
    return {
      message: `"${at}" is parallel, and regions cannot be branches yet`,
      mend: `Make each branch a child machine "${branch}" that "${at}" invokes.`,
    };
  if (!shape.actors.some((actor) => actor.name === branch && actor.kind === 'machine'))
    return {
      message: `"${branch}" is no child machine of ${shape.id}`,
      mend: 'Provide the machine of the branches under that name.',
    };
  if (state.invokes.filter(({ tool }) => tool === branch).length < 2)
    return {
      message: `"${at}" invokes fewer than two machines "${branch}"`,
      mend: 'Invoke it once for each branch, each with an id.',
    };
  const takes = (event: string) =>
    shape.edges.some(
      (edge) => isWithin(at, edge.from) && !edge.guarded && (edge.event === event || edge.event === '*'),
    );
  const missing = CHOICES.find((event) => !takes(event));
  if (missing === undefined) return null;
  return {
    message: `"${at}" takes no ${missing}, so that the machine never receives the choice of "${name}"`,
    mend: `Give "${at}" a transition on ${missing} without a guard.`,
  };
}

/** The tools that the states of a branch may call. */
function toolsIn({ branch }: Alternatives, { states }: MachineShape): readonly string[] {
  const own = states.filter(({ path }) => path.startsWith(`${branch}/`));
  return [...new Set(own.flatMap(({ invokes }) => invokes.flatMap(({ tool }) => tool ?? [])))];
}

function callTroubles(tool: Tool, { name }: Alternatives): readonly Trouble[] {
  const found: Trouble[] = [];
  const mayBeUndone = tool.effect === 'reversible' || tool.effect === 'compensable';
  if (mayBeUndone && tool.undo === null && tool.buffer === null)
    found.push({
      code: 'branch_undo_missing',
      severity: 'error',
      message: `a branch of "${name}" calls ${tool.name}, which is ${tool.effect} and names no undo`,
      mend: 'Add undo, or buffer: true, which has the call wait for the choice.',
    });
  const isHeld = isHeldInBranch(tool);
  if (tool.once !== null || (isHeld && tool.gate !== null))
    found.push({
      code: 'branch_call_refused',
      severity: 'error',
      message:
        tool.once === null
          ? `a branch of "${name}" calls ${tool.name}, which is held until the choice and needs an approval before it leaves`
          : `a branch of "${name}" calls ${tool.name}, whose acts are one over all branches (once)`,
      mend: 'Call it behind the choice.',
    });
  const meeting = isHeld ? undefined : tool.writes.find((key) => isOutside(key) && !key.text.includes('{args.'));
  if (meeting !== undefined)
    found.push({
      code: 'branches_meet',
      severity: 'warning',
      message: `${tool.name} writes ${meeting.text} in each branch of "${name}": the second branch that calls it fails`,
      mend: 'Name the branch in the key: {args.branch}.',
    });
  return found;
}

/** True for a tool whose calls wait for the choice if a branch makes them: nothing undoes them (AL2). */
export function isHeldInBranch(tool: Tool | undefined): boolean {
  if (tool === undefined) return true;
  if (tool.effect === 'none' || tool.buffer !== null) return false;
  return tool.effect === 'idempotent' || tool.effect === 'irreversible' || tool.undo === null;
}

function readsOfHeld(tools: readonly Tool[], { name }: Alternatives): readonly Trouble[] {
  const held = tools.filter((tool) => isHeldInBranch(tool) || tool.buffer === 'call');
  return held.flatMap((writer) =>
    tools.flatMap((reader): Trouble[] => {
      const read = reader.reads.find((key) => !isOutside(key) && writer.writes.some((other) => mayMeet(key, other)));
      if (read === undefined || reader === writer) return [];
      const message = `${reader.name} reads ${read.text}, which ${writer.name} writes: in a branch of "${name}" that call has no answer before the choice`;
      return [{ code: 'held_output_read', severity: 'error', message, mend: `Call ${reader.name} behind the choice.` }];
    }),
  );
}

function isOutside(key: KeyTemplate): boolean {
  return isExternal(widest(key));
}

function mayMeet(one: KeyTemplate, other: KeyTemplate): boolean {
  return overlaps(widest(one), widest(other));
}

/** A key with nothing known of what fills its holes. */
function widest(key: KeyTemplate): ReturnType<typeof parseKey> {
  return key.fill({ state: '', action: '', args: null, entity: null, memory: null, event: null });
}
