/**
 * A run's calls of tools: through the guard, to the counterparty that is asked what became of one, and to what undoes one
 * (semantics.md E1, E2, E5). What happens is written before anybody relies on it.
 */
import { type GuardedCall, guardedCall, type Reply } from '../effects/guard.ts';
import { told } from '../effects/signals.ts';
import { type Effect, isOpen } from '../model/effect.ts';
import type { Entry } from '../model/entry.ts';
import type { InstanceId } from '../model/instance.ts';
import type { Ref, Snapshot } from '../xstate/actor.ts';
import type { Call } from '../xstate/watch.ts';
import type { RunParts } from './parts.ts';

/** How often a counterparty is asked, and how long is waited before each further try, in milliseconds. */
const TRIES = [0, 20, 100];

/** Where calls are written down. */
interface Writer {
  append(entries: readonly Entry[]): void;
  durable(): Promise<unknown>;
}

/** The calls of one run. */
export class Calls {
  readonly #parts: RunParts;
  readonly #write: Writer;

  constructor(parts: RunParts, write: Writer) {
    this.#parts = parts;
    this.#write = write;
  }

  /** Makes a call through the guard, unless its instance lacks an input (`lacks`) or the governor denies it. */
  async ask(call: Call, number: number, instance: InstanceId, lacks: string | null): Promise<Reply> {
    const tool = this.#parts.config.tools.get(call.tool);
    let denied: string | null;
    try {
      denied = await this.#parts.governor({ tool: call.tool, args: call.input, instance });
    } catch (error) {
      denied = told(error);
    }
    // Its actor was stopped meanwhile, and its instance may be gone with it: no intent of it belongs into the journal.
    if (call.signal.aborted) return { is: 'dropped' };
    if (lacks !== null) {
      const error = new Error(`nothing that is kept has written ${lacks}, which ${instance.skeleton} requires`);
      return { is: 'failed', signal: 'MISSING_INPUT', error, key: null };
    }
    if (denied !== null) return { is: 'failed', signal: 'GOVERNOR_DENIED', error: new Error(denied), key: null };
    const guarded: GuardedCall = {
      name: call.tool,
      tool,
      undo: this.mayUndo(call.tool, instance),
      instance,
      actor: number,
      args: call.input,
      signal: call.signal,
      act: call.act,
    };
    const port = {
      run: this.#parts.run,
      ledger: this.#parts.fold.ledger,
      append: (entries: readonly Entry[]) => this.#write.append(entries),
      durable: () => this.#write.durable(),
    };
    return guardedCall(port, guarded);
  }

  mayUndo(name: string, instance: InstanceId): boolean {
    const tool = this.#parts.config.tools.get(name);
    if (tool === undefined || tool.undo === null || this.#parts.undos[tool.undo] === undefined) return false;
    const policy = this.#parts.config.skeletons.get(instance.skeleton)?.rollback.compensable ?? 'block';
    return tool.effect === 'reversible' || policy === 'undo';
  }

  /** Whether the machine handles the error itself and the config does not want it (F2). */
  isMachines(call: Call, { error, signal }: Extract<Reply, { is: 'failed' }>): boolean {
    const wanted = this.#parts.config.recover.some(
      ({ tool, signals }) => tool === call.tool && signals.includes(signal),
    );
    if (wanted) return false;
    const parent = (call.ref as unknown as { _parent?: Ref })._parent;
    const snapshot = parent?.getSnapshot() as Snapshot | undefined;
    try {
      return snapshot?.can({ type: `xstate.error.actor.${call.ref.id}`, error, actorId: call.ref.id }) ?? false;
    } catch {
      return false;
    }
  }

  /** Asks the counterparty of a call whose outcome is open, a few times (E2). */
  async reconcile(key: string, args: unknown): Promise<void> {
    const call = this.#parts.fold.ledger.get(key);
    if (call === undefined || !isOpen(call.status)) return;
    const name = this.#parts.config.tools.get(call.intent.tool)?.reconcile ?? null;
    const reconciler = name === null ? undefined : this.#parts.reconcilers[name];
    if (reconciler === undefined) return;
    for (const delay of TRIES) {
      if (delay > 0) await new Promise((resolve) => setTimeout(resolve, delay));
      try {
        const finding = await reconciler({ key, tool: call.intent.tool, args });
        if (!isOpen(call.status)) return;
        if (finding.is === 'applied')
          this.#write.append([{ do: 'outcome', key, status: 'confirmed', output: finding.output }]);
        if (finding.is === 'not_applied')
          this.#write.append([
            { do: 'outcome', key, status: 'failed', error: 'the counterparty says that it did not happen' },
          ]);
        if (finding.is !== 'unknown') return;
      } catch {
        // Not known, then: it is asked again, and never guessed.
      }
    }
  }

  /** Undoes one effect, under a key of its own (E5). @returns what went wrong, or null. */
  async undo(effect: Effect): Promise<string | null> {
    const call = effect.id === null ? undefined : this.#parts.fold.ledger.get(effect.id);
    if (call === undefined) return 'the ledger does not know the call';
    if (call.status === 'compensated') return null;
    const name = this.#parts.config.tools.get(call.intent.tool)?.undo ?? null;
    const undo = name === null ? undefined : this.#parts.undos[name];
    if (undo === undefined) return `nothing is registered that undoes ${call.intent.tool}`;
    const args = this.#parts.fold.actor(call.intent.actor).started?.input;
    await this.#write.durable();
    let failure = '';
    for (const delay of TRIES) {
      if (delay > 0) await new Promise((resolve) => setTimeout(resolve, delay));
      try {
        await undo({ key: call.key, undoKey: `${call.key}~undo`, tool: call.intent.tool, args, output: call.output });
        this.#write.append([
          { do: 'outcome', key: call.key, status: 'compensated' },
          { do: 'phase', phase: 'COMPENSATED', effect: call.key },
        ]);
        return null;
      } catch (error) {
        failure = told(error);
      }
    }
    return failure;
  }
}
