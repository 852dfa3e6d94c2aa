/** The calls of a graph's nodes that are under way: each an actor that its lane has started, whose answer is noted once it is there. */
import { isGraphBubbleUp } from '@langchain/langgraph';
import type { BoundaryConfig } from '../../boundaries/config.ts';
import { argsDigest } from '../../effects/digest.ts';
import { classOf } from '../../effects/guarded-call.ts';
import type { ValueCodec } from '../../journal/value-codec.ts';
import { CallsUnderWay } from '../../runtime/calls-under-way.ts';
import { type Lane, laneNamed } from '../../runtime/lanes.ts';
import type { RuntimeEvent } from '../../runtime/microstep.ts';
import type { Watcher } from '../../runtime/runtime.ts';
import type { Act } from '../../runtime/tool-call.ts';
import { type Memory, noted, notesOn, OWN } from '../checkpoint/memory.ts';
import { GraphError } from '../graph-error.ts';
import type { Observed } from '../observe.ts';
import type { Telling } from '../telling.ts';
import { NodeCalls, UnderWay } from './node-calls.ts';

/** The surroundings of the calls. */
interface CallsPort {
  readonly telling: Telling;
  readonly watcher: Watcher;
  readonly codecs: readonly ValueCodec[];
  readonly tools: BoundaryConfig['tools'];
  /** Goes on once nothing holds an event back, and not at all where that does not count any more. */
  when(event: RuntimeEvent, isStale: () => boolean, then: () => void): void;
}

/** The calls of one run. */
export class Calls extends CallsUnderWay<UnderWay> {
  readonly #port: CallsPort;

  constructor(port: CallsPort) {
    super((id, tool, input) => new UnderWay(id, tool, input));
    this.#port = port;
  }

  /** The calls of the node in a lane, as it runs now. */
  of(lane: Lane, observed: Observed, isStale: () => boolean): NodeCalls {
    return new NodeCalls({
      isStale,
      answered: () => notesOn(this.#port.telling.memory, lane.name).calls,
      underWay: () => [...this.underWay.values()].filter((call) => call.lane === lane.name),
      digest: (input) => this.#digest(input),
      isAct: (tool) => classOf(this.#port.tools.get(tool)) !== 'none',
      mayStand: (call) => this.#port.watcher.mayStand(call),
      giveUp: (call) => new Promise((resolve) => this.#giveUp(call, isStale, resolve)),
      begin: ({ nth, tool, input, is }, act) =>
        new Promise((resolve) => {
          const event = { type: 'graph.call', tool };
          this.#port.when(event, isStale, () => {
            const call = this.add(`${lane.name}:${nth}:${tool}`, tool, input);
            call.is = is;
            // The call is made in a state of the lane's own.
            const started = [call.startedIn({ path: lane.name, region: lane.name })];
            this.#port.telling.tell([{ event, lane, part: 'run', started, reads: observed.take() }]);
            resolve(this.#go(call, act, observed));
          });
        }),
      goOn: (call, act) => this.#go(call, act, observed),
    });
  }

  #go(call: UnderWay, act: Act, observed: Observed): Promise<unknown> {
    this.tools.set(call.tool, act);
    const acts: Act = (made) => acting(call.tool, () => act(made));
    const noted = (output: unknown) =>
      new Promise((resolve) => this.#answered(call, output, observed, () => resolve(output)));
    return call.make(this.#port.watcher, acts, call.input, noted);
  }

  /** Tells the run that a call is given up: it did not happen. */
  #giveUp(call: UnderWay, isStale: () => boolean, then: () => void): void {
    const event = { type: 'graph.dropped', tool: call.tool };
    this.#port.when(event, isStale, () => {
      if (this.underWay.delete(call.id)) {
        call.stop.abort();
        this.#port.telling.tell([{ event, lane: laneNamed(call.lane), part: 'run', gone: [call] }]);
      }
      then();
    });
  }

  /** Notes the answer to a call, once nothing holds it back. */
  #answered(call: UnderWay, output: unknown, observed: Observed, then: () => void): void {
    const event = call.answered();
    const isStale = () => this.underWay.get(call.id) !== call;
    this.#port.when(event, isStale, () => {
      const memory = (before: Memory) => {
        const { calls } = notesOn(before, call.lane);
        call.is ??= this.#digest(call.input);
        const answer = { tool: call.tool, is: call.is, output };
        return noted(before, call.lane, { calls: { ...calls, [call.nth]: answer } });
      };
      const lane = laneNamed(call.lane);
      this.#port.telling.tell([{ event, lane, part: 'run', gone: [call], reads: observed.take(), memory }]);
      this.underWay.delete(call.id);
      then();
    });
  }

  /** The digest of what a tool is called with, under a salt: the notes do not tell it. */
  #digest(input: unknown): string {
    return argsDigest(input, this.#port.telling.memory[OWN].salt ?? null, this.#port.codecs);
  }
}

/** Acts. A tool that asks a person in the middle of its act has an unknown outcome, and the error says so. */
async function acting(tool: string, act: () => Promise<unknown>): Promise<unknown> {
  try {
    return await act();
  } catch (error) {
    if (!isGraphBubbleUp(error)) throw error;
    const text = `The tool "${tool}" asked a question, or went elsewhere, while it acted, so that nothing tells how far it came. Call interrupt() in a node, before the tool.`;
    throw new GraphError('unsupported_graph', text);
  }
}
