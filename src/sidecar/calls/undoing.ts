/** Undoes calls in the world, and discards the staged writes of held calls (semantics.md E4, E5). */
import type { Tool } from '../../boundaries/config.ts';
import { rulesOf, touchesAs } from '../../boundaries/version-rules.ts';
import type { Inverse, Undo, UndoCall } from '../../effects/counterparty.ts';
import type { LedgerCall } from '../../effects/ledger-call.ts';
import { errorMessage } from '../../effects/signals.ts';
import { meet } from '../../effects/touched.ts';
import type { Effect } from '../../model/effect.ts';
import type { InstanceId } from '../../model/instance.ts';
import { areIndependent } from '../../recovery/dependence.ts';
import { never } from '../../runtime/calls-under-way.ts';
import type { RunParts, Writer } from '../parts.ts';
import { broughtAs } from '../registered.ts';
import { triesOf, waitOf } from '../retry.ts';
import { argsOf } from './args.ts';
import type { Releasing } from './releasing.ts';
import type { Sandboxes } from './sandboxes.ts';

/** The undoing of one run's calls. */
export class Undoing {
  readonly #parts: RunParts;
  readonly #write: Writer;
  readonly #releasing: Releasing;
  readonly #sandboxes: Sandboxes;

  constructor(
    parts: RunParts,
    write: Writer,
    { releasing, sandboxes }: { readonly releasing: Releasing; readonly sandboxes: Sandboxes },
  ) {
    this.#parts = parts;
    this.#write = write;
    this.#releasing = releasing;
    this.#sandboxes = sandboxes;
  }

  /** True where the reviewed policy lets a tool's inverse or compensation be used for an instance. */
  mayUndo(name: string, instance: InstanceId): boolean {
    const tool = this.#parts.config.tools.get(name);
    if (tool === undefined || this.#undoBy(tool) === null) return false;
    const policy = this.#parts.config.skeletons.get(instance.skeleton)?.rollback.compensable ?? 'block';
    return tool.effect === 'reversible' || policy === 'undo';
  }

  /**
   * True where an effect may be undone while another one stands: neither rests on the other, and they touch nothing in common.
   */
  mayUndoBeside(effect: Effect, other: Effect): boolean {
    const { runState, config, versions } = this.#parts;
    const called = (of: Effect) => {
      const call = runState.ledger.get(of.id ?? '');
      if (call === undefined) return undefined;
      const { intent } = call;
      return {
        tool: touchesAs(config, versions, call),
        args: argsOf(runState, intent),
        entity: intent.instance.entity,
      };
    };
    const [own, others] = [called(effect), called(other)];
    if (own === undefined || others === undefined || meet(config, own, others)) return false;
    return areIndependent(runState.history, effect.instance, other.instance);
  }

  /**
   * The reason why a confirmed call cannot be undone any more: a later change of the same thing, or a key that another run has by now. Null if it can be
   * undone, or if only the undo itself will find out.
   * @param before the effects that are undone before it.
   */
  async moved(effect: Effect, before: readonly Effect[] = []): Promise<string | null> {
    const call = effect.id === null ? undefined : this.#parts.runState.ledger.get(effect.id);
    const undo = call === undefined ? null : this.#undoOf(call);
    const passed = call?.status === 'confirmed' ? await this.#releasing.passedOver(call) : null;
    if (passed !== null) return passed;
    if (call === undefined || undo === null || typeof undo === 'function' || call.status !== 'confirmed') return null;
    if (call.intent.byHand !== undefined) return null;
    try {
      const undoneBefore = before.flatMap(({ id }) => id ?? []);
      return await undo.moved({ ...this.#undoCall(call), undoneBefore });
    } catch {
      return null;
    }
  }

  /**
   * Undoes one effect, under a key of its own. While the run is aborted, nothing else begins an undo (AB1). @returns what went wrong, or null.
   * @param isOfAbort true for the abort itself.
   */
  async undo(effect: Effect, isOfAbort = false): Promise<string | null> {
    const call = effect.id === null ? undefined : this.#parts.runState.ledger.get(effect.id);
    if (call === undefined) return 'the ledger does not know the call';
    if (!(await this.#mayBegin())) return never();
    if (call.status === 'compensated') return null;
    if (this.#parts.lifecycle.isAborting && !isOfAbort) return 'the run is aborted, which undoes it in its own order';
    // Not under what another run was given (ER3).
    const passed = await this.#releasing.passedOver(call);
    if (passed !== null) return passed;
    const { byHand } = call.intent;
    const undo = byHand === undefined ? this.#undoOf(call) : null;
    let failure =
      byHand === undefined
        ? `nothing is registered that undoes ${call.intent.tool}`
        : `${byHand} has made it by hand: a person undoes it, and says so`;
    this.#write.append([{ do: 'phase', phase: 'COMPENSATING', effect: call.key }]);
    await this.#write.durable();
    const tries = undo === null ? 0 : triesOf('undo');
    const ends = this.#parts.activity.begin();
    try {
      for (let round = 0; round < tries; round += 1) {
        if (round > 0) await this.#parts.pause(waitOf('undo', round));
        if (round > 0 && !(await this.#parts.activity.waitFor(this.#mayBegin()))) return never();
        const error = await this.#tried(undo as Undo | Inverse, call);
        if (error === null) return null;
        failure = error;
      }
      return failure;
    } finally {
      ends();
    }
  }

  /** Tries once to undo a call. @returns what went wrong; null where it is undone. */
  async #tried(undo: Undo | Inverse, call: LedgerCall): Promise<string | null> {
    try {
      const why = await this.#undone(call, undo);
      if (why !== null) return why;
      const isGone = this.#parts.runState.ledger.get(call.key)?.status === 'compensated';
      this.#write.append([
        ...(isGone ? [] : [{ do: 'outcome', key: call.key, status: 'compensated' } as const]),
        { do: 'phase', phase: 'COMPENSATED', effect: call.key },
      ]);
      await this.#sandboxes.keep(call.intent.sandbox);
      return null;
    } catch (error) {
      return this.#parts.runState.redaction.text(errorMessage(error));
    }
  }

  /** Undoes a call, in the sandbox of its tool where there is one. The loss of a sandbox undoes its calls. @returns why that cannot be had, or null. */
  async #undone(call: LedgerCall, undo: Undo | Inverse): Promise<string | null> {
    for (;;) {
      const made = await this.#sandboxes.around(call, async (sandbox) =>
        (typeof undo === 'function' ? undo : undo.undo)({
          ...this.#undoCall(call),
          ...(sandbox !== undefined && { sandbox }),
        }),
      );
      if (made.is === 'made') return null;
      if (made.is === 'off') return never();
      if (made.is === 'failed') return made.why;
      if (this.#parts.runState.ledger.get(call.key)?.status === 'compensated') return null;
    }
  }

  /** Waits while the run is paused: an undo that has begun is finished, and none begins (LC10). @returns false where the process takes leave of the run. */
  async #mayBegin(): Promise<boolean> {
    const { lifecycle } = this.#parts;
    if (!lifecycle.waits('ask')) return true;
    await lifecycle.past('ask');
    return !lifecycle.leave.aborted;
  }

  /** Removes what a held call has staged: it never happened. What cannot be removed stays invisible, and is told. */
  async discard(call: LedgerCall | undefined): Promise<void> {
    const tool = call === undefined ? undefined : this.#parts.config.tools.get(call.intent.tool);
    if (call === undefined || !tool?.buffer || tool.buffer === 'call') return;
    const { key, intent, output } = call;
    try {
      await broughtAs(this.#parts.buffers, tool.buffer.name)?.discard([
        { key, tool: intent.tool, args: argsOf(this.#parts.runState, intent), staged: output },
      ]);
    } catch (error) {
      const text = `what ${intent.tool} has staged stays aside, unseen: ${errorMessage(error)}`;
      const finding = { do: 'finding', code: 'not_discarded', instance: intent.instance, text } as const;
      this.#write.append([finding]);
      this.#parts.onFinding(finding);
    }
  }

  /** The undo of the version that made a call (CO7). */
  #undoOf(call: LedgerCall): Undo | Inverse | null {
    return this.#undoBy(rulesOf(this.#parts.config, this.#parts.versions, call));
  }

  #undoBy(tool: Tool | undefined): Undo | Inverse | null {
    const undo = tool?.undo ?? null;
    return undo === null ? null : (broughtAs(this.#parts.undos, undo) ?? null);
  }

  #undoCall({ key, intent, output }: LedgerCall): UndoCall {
    return { key, undoKey: `${key}~undo`, tool: intent.tool, args: argsOf(this.#parts.runState, intent), output };
  }
}
