/**
 * Goes back as the oracle does where earlier work is found wrong: it knows which calls relied on the wrong answer, undoes them, newest
 * first, and has the agent do again what it undid. Every other call is answered from a record. What cannot be undone waits for a person.
 */
import type { BoundaryConfig } from 'belay-sidecar';
import { fieldOf } from '../../domains/there.ts';
import type { Wrong } from './set.ts';
import { type Applied, callName, RELIED_ON, type Wire } from './wire.ts';

/** The answers that an oracle has had, by the names of the calls, and what became of them. */
export class Record {
  readonly #answers = new Map<string, { readonly tool: string; readonly args: unknown; readonly answer: unknown }>();
  readonly #kept = new Map<string, { readonly args: string; readonly answer: unknown }>();

  /** Notes an answer. */
  note(tool: string, args: unknown, answer: unknown): void {
    this.#answers.set(callName(tool, args), { tool, args, answer });
  }

  /** The kept answer of a call with equal arguments, or null. */
  answerOf(tool: string, args: unknown): { readonly answer: unknown } | null {
    const kept = this.#kept.get(callName(tool, args));
    return kept !== undefined && kept.args === JSON.stringify(args) ? kept : null;
  }

  /**
   * Undoes the calls that relied on a wrong answer, and keeps the answers of the others. A call that changes nothing when it is made twice
   * is left as it is; made with other arguments, it is made again.
   * @returns the calls that stand and cannot be undone; where there is one, nothing was undone.
   */
  goBack({ affects }: Wrong, transport: Wire, config: BoundaryConfig): readonly Applied[] {
    const relied = transport.applied.filter(({ tool, args, undone }) => !undone && (affects?.(tool, args) ?? true));
    const fixed = relied.filter(({ tool }) => isFixed(tool, config));
    if (fixed.length > 0) return fixed;
    const undoable = relied.filter(({ tool }) => config.tools.get(tool)?.undo !== null);
    for (const { tool, args, answer } of undoable.reverse()) transport.undo(tool, args, answer);
    for (const [name, { tool, args, answer }] of this.#answers) {
      const stays = !(affects?.(tool, args) ?? true) || config.tools.get(tool)?.effect === 'idempotent';
      if (stays) this.#kept.set(name, { args: JSON.stringify(args), answer });
      else this.#kept.delete(name);
    }
    return [];
  }
}

/** True for a tool whose calls cannot be undone and may not be repeated. */
export function isFixed(tool: string, config: BoundaryConfig): boolean {
  const known = config.tools.get(tool);
  if (known === undefined) return true;
  return known.effect !== 'none' && known.effect !== 'idempotent' && known.undo === null;
}

/** The inputs of a call's decision; undefined where it names none. */
export function reliedOn(args: unknown): unknown {
  return fieldOf(args, RELIED_ON);
}
