/** Agents as a worker carries them: machines, and programs that are entered again (loops, flows, threads of graphs). */
import type { BoundaryConfig } from '../boundaries/config.ts';
import type { SandboxProvider } from '../effects/sandbox.ts';
import { CODE, NAME, oneOf, optional, refuseOther, shape } from '../model/argument.ts';
import { adoptRun } from '../sidecar/opening/adopt-run.ts';
import type { RunCommands } from '../sidecar/opening/commands.ts';
import { configOf } from '../sidecar/opening/config.ts';
import { type EnteredProgram, HANDED_OUT, PROGRAM } from '../sidecar/opening/handed-out.ts';
import { resumeRun } from '../sidecar/opening/open-run.ts';
import { type RunOptions, UNDER, type UnderRelease } from '../sidecar/opening/options.ts';
import { type Agent, type AgentSetting, type OpenAgent, openedOptions } from '../xstate/agent.ts';
import { adopt, resumeUnder } from '../xstate/attach.ts';
import { MACHINE } from '../xstate/machine-argument.ts';
import { machineShape } from '../xstate/shape.ts';

/** The parts of one run of such an agent, opened. */
export interface OpenProgram extends Omit<OpenAgent, 'machine'> {
  /** The program over the world that was opened; that of the agent, where it is left out. */
  readonly program?: EnteredProgram;
}

/** An agent that is a loop, a flow, or the threads of a graph. The module of the machines exports it among its `agents`. */
export interface ProgramAgent extends Pick<Agent, 'config' | 'version' | 'about'> {
  /** What it runs; its name is that of the agent in the config. */
  readonly program: EnteredProgram;
  /** `stands`, as where it is left out, or `rewritten`: what becomes of what a turn has said. */
  readonly said?: 'stands' | 'rewritten';
  /** Opens what one run needs. @throws where the input is none of its. */
  open(setting: AgentSetting): Promise<OpenProgram>;
}

/** An agent as a worker carries it. */
export type AnyAgent = Agent | ProgramAgent;

/** The name of an agent: the id of its machine, or the name of its program. */
export function nameOfAgent(agent: AnyAgent): string {
  return 'program' in agent ? agent.program[HANDED_OUT].agent : agent.machine.id;
}

/** The digest of the machine or the program of an agent, under its config. */
export function digestOfAgent(agent: AnyAgent, config: BoundaryConfig): string {
  return 'program' in agent ? agent.program[HANDED_OUT].digestFor(config) : machineShape(agent.machine).digest;
}

/** The providers of the sandboxes of a run: those of its agent, and others. */
export function sandboxesOf(agent: AnyAgent, others: Readonly<Record<string, SandboxProvider>> = {}) {
  return { ...others, ...('program' in agent ? {} : agent.sandboxes) };
}

/** A run of an agent that was taken up. */
interface Taken {
  readonly commands: RunCommands;
  /** Has its machine, or its program, begin in this process. */
  start(): void;
}

/** Takes a run of an agent up for one release. @param input that of the request, for a program whose `open` names none. @throws SidecarError, JournalError. */
export async function takenUp(
  agent: AnyAgent,
  open: OpenAgent | OpenProgram,
  own: RunOptions,
  under: NonNullable<UnderRelease[typeof UNDER]>,
  input: unknown,
): Promise<Taken> {
  if (!('program' in agent)) {
    const { machine } = open as OpenAgent;
    const sidecar = await resumeUnder(machine, { ...openedOptions(open), ...own }, under);
    return { commands: sidecar, start: () => void sidecar.actor.start() };
  }
  const given = programOf(agent, { input, ...(open as OpenProgram) }, own);
  const held: RunOptions & UnderRelease = { ...given.options, [UNDER]: under };
  const { root, commands } = await resumeRun(given.program, held);
  return { commands, start: () => (root as { start?(): void }).start?.() };
}

/** Moves a run of an agent to the release of the agent by itself. @throws SidecarError, JournalError. */
export function adopted(agent: AnyAgent, open: OpenAgent | OpenProgram, own: RunOptions): ReturnType<typeof adoptRun> {
  if (!('program' in agent)) {
    const { machine } = open as OpenAgent;
    const { input: _, ...brought } = openedOptions(open);
    return adopt(machine, { ...brought, ...own });
  }
  const { program, options } = programOf(agent, open as OpenProgram, own);
  return adoptRun(program, options);
}

function programOf(agent: ProgramAgent, open: OpenProgram, own: RunOptions) {
  const program = (open.program ?? agent.program)[HANDED_OUT];
  const options = { ...openedOptions(open), ...own };
  const config = configOf(program.agent, options);
  return program.programFor({ ...options, config, ...(agent.said !== undefined && { said: agent.said }) });
}

const OF_MACHINE = shape<Pick<Agent, 'machine' | 'config' | 'open'>>('an agent: { machine, config, about, open }', {
  machine: MACHINE,
  config: NAME,
  open: CODE,
});
const OF_PROGRAM = shape<Pick<ProgramAgent, 'program' | 'config' | 'said' | 'open'>>(
  'an agent: { program, config, about, open }',
  { program: PROGRAM, config: NAME, said: optional(oneOf('stands', 'rewritten')), open: CODE },
);

/** Refuses what is no agent. @throws ArgumentError */
export function refuseOtherAgent(called: string, agent: AnyAgent): void {
  const isOfProgram = typeof agent === 'object' && agent !== null && 'program' in agent;
  refuseOther(called, { 'an agent': [agent, isOfProgram ? OF_PROGRAM : OF_MACHINE] });
}
