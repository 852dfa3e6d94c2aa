/**
 * The undoing of branches that were not chosen (semantics.md AL6, AL7): in the order of an abort, over all branches.
 * Nothing new leaves before it is over. What cannot be undone is owed, or stands and is named where the config says so.
 */
import type { LedgerCall } from '../../effects/ledger-call.ts';
import { isOpen } from '../../model/effect.ts';
import { Aborting } from './aborting.ts';
import type { OpenCalls } from './open-calls.ts';
import type { RecoveryParts } from './recovery-parts.ts';

type Needs = Pick<RecoveryParts, 'parts' | 'write' | 'calls' | 'queries' | 'queue' | 'lifecycle' | 'outbox'>;

/** The losers of one run. */
export class Losers {
  readonly undoing: Aborting;
  readonly #run: Needs;
  #isUnder = false;

  constructor(run: Needs, openCalls: OpenCalls) {
    this.#run = run;
    this.undoing = new Aborting(run, openCalls, {
      of: (call) => this.#isOfLoser(call),
      // Its acts are no part of the past: an act that cannot be undone is owed, unless the config lets it stand.
      isOwed: (call) => this.#isOwing(call),
    });
  }

  /** True where something of a loser is unknown, or not undone. */
  get isOwed(): boolean {
    return this.#run.parts.runState.choices.all.length > 0 && !this.undoing.isOver;
  }

  /** Undoes what is owed, behind every recovery before it. Until then nothing new leaves (AL7). */
  begin(): void {
    const { lifecycle, queue, write } = this.#run;
    if (this.#isUnder || !this.isOwed) return;
    this.#isUnder = true;
    const ends = lifecycle.begins('suspects');
    void queue
      .add(
        () =>
          this.#finish().finally(() => {
            this.#isUnder = false;
            ends();
          }),
        (error) => write.break(error),
      )
      .catch(() => {});
  }

  async #finish(): Promise<void> {
    if (this.#isOff) return;
    await this.finish();
    if (this.#isOff || !this.isOwed) return;
    this.undoing.park(() => this.begin());
  }

  /** Undoes what can be undone, at once. */
  async finish(): Promise<void> {
    await this.#run.write.durable();
    for (const call of this.#ofLosers()) if (call.staged && call.status === 'failed') await this.#discard(call);
    await this.undoing.undo(() => this.#isOff);
    await this.#run.write.durable();
  }

  get #isOff(): boolean {
    const { lifecycle } = this.#run;
    return lifecycle.isLeft || lifecycle.isAborting;
  }

  /** What a call of a loser has staged is removed once; areas take that again. */
  async #discard(call: LedgerCall): Promise<void> {
    if (!this.#discarded.has(call.key)) await this.#run.calls.undoing.discard(call);
    this.#discarded.add(call.key);
  }

  readonly #discarded = new Set<string>();

  #ofLosers(): LedgerCall[] {
    return [...this.#run.parts.runState.ledger.all()].filter((call) => this.#isOfLoser(call));
  }

  #isOfLoser({ intent, discarded }: LedgerCall): boolean {
    const { choices, actors } = this.#run.parts.runState;
    return discarded && choices.hasLost(actors, intent.actor);
  }

  #isOwing({ intent, status }: LedgerCall): boolean {
    const { runState, config } = this.#run.parts;
    const choice = runState.choices.branchOf(runState.actors, intent.actor)?.choice;
    const { losers = 'owe' } = config.alternatives.get(choice?.alternatives ?? '') ?? {};
    return losers === 'owe' || isOpen(status);
  }
}
