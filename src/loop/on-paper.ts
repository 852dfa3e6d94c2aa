/** A loop that is entered on paper: its inputs may be others, and it is answered from its context (semantics.md PA12). */
import type { CallUnderWay } from '../runtime/calls-under-way.ts';
import { inputsOnPaper, PaperEntry, type Past } from '../runtime/paper-entry.ts';
import { OWN } from '../runtime/receiving.ts';
import type { PaperChange } from '../runtime/runtime.ts';
import type { Ways } from './entry.ts';
import { type Memory, MODEL, nameOf } from './memory.ts';

/** The past of a loop, as an entry on paper asks it. */
export interface LoopPast {
  readonly memory: Memory;
  readonly underWay: ReadonlyMap<string, CallUnderWay>;
  digest(input: unknown): string;
  /** True for a tool that is asked anew, whatever it was asked before: its answer is not known. */
  isAskedAnew(tool: string): boolean;
}

/** Enters a loop on paper. @returns the numbers of the calls that it comes to with the same arguments. */
export function loopOnPaper(
  body: (ways: Ways) => Promise<unknown>,
  { memory, underWay, digest, isAskedAnew }: LoopPast,
  change: PaperChange,
): Promise<ReadonlySet<number>> {
  const entry = new PaperEntry();
  const inputs = inputsOnPaper(memory.turns, change);
  let [received, thoughts] = [0, 0];
  const pastOf = (tool: string, name: string, is: string): Past => {
    const call = underWay.get(name);
    // A question to a model is in the journal as its digest.
    const { asks } = (call?.input ?? {}) as { readonly asks?: unknown };
    if (call !== undefined) return is === (call.tool === MODEL ? asks : digest(call.input)) ? 'open' : 'other';
    const isSame = Object.hasOwn(memory.steps, name) && memory[OWN].asked[name] === is;
    if (!isSame) return 'other';
    return change.behind.has(name) && isAskedAnew(tool) ? 'open' : { answer: memory.steps[name] };
  };
  const ways: Ways = {
    call: (tool, id, input) => {
      const name = nameOf(tool, id);
      return entry.ask(name, pastOf(tool, name, digest(input)));
    },
    think: (question) => {
      thoughts += 1;
      const name = nameOf(MODEL, String(thoughts));
      return entry.ask(name, pastOf(MODEL, name, digest(question)));
    },
    receive: () => {
      received += 1;
      return entry.receive(inputs, received);
    },
    input: change.turn === 0 && change.input !== null ? change.input.is : memory.input,
  };
  return entry.whole(() => body(ways), change.behind);
}
