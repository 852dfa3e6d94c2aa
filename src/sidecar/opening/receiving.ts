/** Programs that receive, as their callers have them: a run is begun or taken up, and handed one input after the other. */
import { createHash, randomBytes } from 'node:crypto';
import { argsDigest } from '../../effects/digest.ts';
import { NAME, optional, refuseOther, shape } from '../../model/argument.ts';
import type { Surroundings } from '../../runtime/receiving.ts';
import { Rest } from '../../runtime/rest.ts';
import type { Runtime } from '../../runtime/runtime.ts';
import { handIn, TAKEN_OUT, type TurnCode, type TurnOptions, type Turns } from '../../runtime/turns.ts';
import { isStill, noTurn, type Standstill, standstill } from '../standstill.ts';
import type { RunCommands } from './commands.ts';
import { configOf } from './config.ts';
import type { HandedOptions, HandedOut } from './handed-out.ts';
import { beginRun, resumeRun } from './open-run.ts';
import type { RunOptions } from './options.ts';
import type { Program } from './program.ts';

/** The reasons why the input of a turn is not taken, or is not answered. */
type InvokeCode = TurnCode | Standstill['code'] | 'run_over';

/** The way to hand a run its next input. */
export interface Invoked {
  /**
   * Hands in the input of the next turn, and answers with what that turn says; with the output, where the function returns. Without an input, goes on to where
   * the function rests. The input of the turn that is open goes on with it, in another process, too.
   * @throws LoopError, FlowError `turn_open` for another input while a turn is open; `turn_differs`, `turn_over`, `turn_retracted` for the id of another turn;
   * `run_over`; `run_parked`, `paused`, `run_cancelled` where the run takes none.
   */
  invoke(input?: unknown, turn?: TurnOptions): Promise<unknown>;
}

/** The runtime of a program that receives, as its callers need it. */
interface ReceivingRoot extends Runtime {
  readonly turns: Turns;
  readonly said: unknown;
  start(): void;
}

/** A program whose function receives. */
interface ReceivingProgram {
  readonly agent: string;
  readonly kind: 'loop' | 'flow';
  runtime(options: HandedOptions, around: Surroundings): Program['runtime'];
  refuse(code: InvokeCode, text: string): Error;
}

/** A run that is open. */
interface OpenRun {
  readonly commands: RunCommands & Invoked;
  /** Enters its function for the first time in this process. */
  start(): void;
}

/** The ways to run a program that receives. */
interface ReceivingWays {
  begin(options: RunOptions): Promise<OpenRun>;
  resume(options: RunOptions): Promise<OpenRun>;
  readonly handed: HandedOut;
}

/** Makes the ways to run a program that receives. */
export function receivingWays(program: ReceivingProgram): ReceivingWays {
  const { agent, kind } = program;
  const digest = createHash('sha256').update(`${kind} ${agent}`).digest('hex');
  const programFor = (options: HandedOptions, rest = new Rest()): ReturnType<HandedOut['programFor']> => {
    const { input, said = 'stands', codecs = [] } = options;
    const around: Surroundings = {
      salt: randomBytes(16).toString('hex'),
      said,
      digest: (given, salt) => argsDigest(given, salt, codecs),
      rests: () => rest.comes(),
      leavesRest: () => rest.goes(),
    };
    return { program: { agent, digest, input, runtime: program.runtime(options, around) }, options };
  };
  const run = async (open: typeof resumeRun, options: RunOptions): Promise<OpenRun> => {
    const rest = new Rest();
    const given = programFor({ ...options, config: configOf(agent, options) }, rest);
    const { root, commands } = await open(given.program, given.options);
    const own = root as unknown as ReceivingRoot;
    const invoke = invoking(own, commands, rest, program);
    const withInvoke = Object.create(commands, Object.getOwnPropertyDescriptors({ invoke }));
    return { commands: withInvoke as OpenRun['commands'], start: () => own.start() };
  };
  return {
    begin: (options) => run(beginRun, options),
    resume: (options) => run(resumeRun, options),
    handed: { agent, digestFor: () => digest, programFor: (options) => programFor(options) },
  };
}

function invoking(
  root: ReceivingRoot,
  commands: RunCommands,
  rest: Rest,
  { kind, refuse }: ReceivingProgram,
): Invoked['invoke'] {
  const still = ({ code, text }: Standstill) => refuse(code, text);
  const ended = async (): Promise<unknown> => {
    const ending = await commands.finished();
    if (ending.status === 'done') return ending.output;
    throw still(standstill(ending));
  };
  // A turn that waits begins right behind the rest: its answer is the message of the program at that rest.
  const now = () => ({ answer: root.said, turn: root.turns.turn });
  const rested = () => {
    const is = rest.is ? Promise.resolve(now()) : rest.next().then(now);
    return Promise.race([is, ended().then((answer) => ({ answer, turn: null }))]);
  };
  return async (input, turn = {}) => {
    refuseOther('invoke', { turn: [turn, TURN] });
    root.start();
    const { turns } = root;
    // A program that is entered again has to come to its receive() first: a turn that was taken back comes before any other.
    if (!rest.is && (turns.isResting || turns.turn?.turn === 0)) await Promise.race([rest.next(), ended()]);
    if (input !== undefined) {
      if (commands.status === 'done') throw refuse('run_over', `The ${kind} has returned, and receives nothing more.`);
      handIn(turns, input, turn.id, refuse, () => still(noTurn(commands.status)));
      const own = turns.turn;
      const { answer, turn: last } = await rested();
      if (turns.isGone(own, last)) throw refuse('turn_retracted', TAKEN_OUT);
      return answer;
    }
    if (rest.is && isStill(commands.status)) throw still(noTurn(commands.status));
    return (await rested()).answer;
  };
}

const TURN = shape<TurnOptions>('a turn: { id }', { id: optional(NAME) });
