/** Names the acts that stand and that the machine left without their answers, each once (semantics.md PA11). */
import type { LedgerCall } from '../../effects/ledger-call.ts';
import { instanceName, ROOT } from '../../model/instance.ts';
import type { StepEntry } from '../../model/step-entry.ts';
import { isLeft, leftCalls } from '../../projection/left-calls.ts';
import type { RunParts, Writer } from '../parts.ts';

/** The left acts of one run. */
export class LeftActs {
  readonly #parts: Pick<RunParts, 'runState' | 'onFinding'>;
  readonly #write: Writer;

  constructor(parts: Pick<RunParts, 'runState' | 'onFinding'>, write: Writer) {
    this.#parts = parts;
    this.#write = write;
  }

  /** Looks at calls whose outcome became known. While its unit is live, a later call of the same may still take the answer (E3). */
  settled(keys: readonly string[]): void {
    const { ledger } = this.#parts.runState;
    this.#tell(keys.flatMap((key) => ledger.get(key) ?? []).filter((call) => this.#isOver(call)));
  }

  /** Looks at the calls of the units that a step closed. */
  closed({ closed }: StepEntry): void {
    const { ledger } = this.#parts.runState;
    this.#tell(closed.flatMap(({ instance }) => ledger.unanswered(instance)));
  }

  /** Looks at all calls of units that are over: the run is taken up. */
  takenUp(): void {
    this.#tell(leftCalls(this.#parts.runState).filter((call) => this.#isOver(call)));
  }

  /** Looks at all calls: the run is about to end. */
  atEnd(): void {
    this.#tell(leftCalls(this.#parts.runState));
  }

  #isOver({ intent: { instance } }: LedgerCall): boolean {
    return instance.skeleton !== ROOT && !this.#parts.runState.live.has(instanceName(instance));
  }

  #tell(calls: readonly LedgerCall[]): void {
    for (const call of calls) {
      if (call.isNamed || !isLeft(this.#parts.runState, call)) continue;
      const { key, intent } = call;
      const what = `${intent.tool} (${key}) has happened, and the run went on without its answer: it stands`;
      const fix = 'Undo it by hand and say so, or declare the edge that leaves it under discard';
      const finding = {
        do: 'finding',
        code: 'left_standing',
        instance: intent.instance,
        text: `${what}. ${fix}.`,
        effect: key,
      } as const;
      this.#write.append([finding]);
      this.#parts.onFinding(finding);
    }
  }
}
