/** Gives a run its commands, one after the other, and holds each of them to what commands promise. */
import { JournalError, type PreviewedComplaint, SidecarError } from '../../src/index.ts';
import { Acting } from './acting.ts';
import type { Command, Given } from './commands.ts';
import { type Driver, Harm, soon } from './driver.ts';
import { cameTrue, foresee } from './foreseeing.ts';
import type { Tally } from './tally.ts';

/** The kinds of rows that say what a counterparty has answered: an outcome, and that it was asked and did not know. */
const OUTCOME = 5;
const ASKED = 16;

/** Plays one sequence. */
export class Player {
  readonly acting: Acting;
  readonly #driver: Driver;
  readonly #tally: Tally;
  /** What was commanded and not awaited yet. */
  #unawaited: Promise<void>[] = [];

  constructor(driver: Driver, tally: Tally) {
    this.#driver = driver;
    this.acting = new Acting(driver);
    this.#tally = tally;
  }

  /** Gives one command. @throws Harm where it breaks a promise. */
  async play({ command, after, how }: Given): Promise<void> {
    const driver = this.#driver;
    if (after === null) await this.calm();
    else await driver.turns(after);
    this.#tally.state(driver);
    if (command.do === 'resume') {
      await driver.restart();
      this.#tally.taken('resume');
    } else if (command.do === 'counterparty')
      Object.assign(driver.world, { knows: command.knows, undoes: command.undoes });
    else if (command.do === 'event') {
      if (driver.sidecar.status !== 'done') driver.sidecar.actor.send({ type: 'close' } as never);
    } else if (how === 'closed') await this.#onClosed(command);
    else if (how === 'unawaited') this.#unawaited.push(noted(this.#onOpen(command, 1, false)));
    else await this.#onOpen(command, how === 'twice' ? 2 : 1, after === null);
  }

  /** Waits for what was commanded, and until nothing more happens by itself. */
  async calm(): Promise<void> {
    const unawaited = this.#unawaited;
    this.#unawaited = [];
    await Promise.all(unawaited);
    await this.#driver.quiet();
  }

  async #onOpen(command: Command, times: number, isCalm: boolean): Promise<void> {
    const driver = this.#driver;
    const head = driver.head;
    const acts = Array.from({ length: times }, () => this.acting.of(command)).flatMap((act) => act ?? []);
    if (acts.length === 0) return;
    const isAlone = isCalm && times === 1;
    const isSo = acts[0]?.isSo?.() === true;
    const hold = await this.#foresees(isAlone ? acts[0]?.complains : undefined);
    const given = acts.map((act) => {
      act.before?.();
      return soon(act.give(driver.sidecar), command.do);
    });
    let isTaken = false;
    for (const [index, result] of (await Promise.allSettled(given)).entries()) {
      const isRefused = result.status === 'rejected';
      acts[index]?.after?.(!isRefused, isRefused && result.reason?.code === 'journal_closed');
      if (isRefused) this.#refused(command, result.reason, isAlone ? head : null);
      else {
        isTaken = true;
        if (typeof result.value === 'string') this.#tally.refused(command.do, 'answered');
        else this.#tally.taken(command.do);
      }
    }
    await hold(given[0]);
    if (!isTaken || !isCalm) return;
    await driver.quiet();
    if (driver.head === head && !isSo) throw new Harm(`${command.do} is taken, and nothing tells of it`);
    if (driver.head === head) this.#tally.already(command.do);
  }

  /** Foresees a complaint. @returns a function that holds what comes of it against that. */
  async #foresees(complaint: PreviewedComplaint | undefined): Promise<(given?: Promise<unknown>) => Promise<void>> {
    if (complaint === undefined) return async () => {};
    const driver = this.#driver;
    const foreseen = await foresee(driver, complaint);
    return async (given) => {
      const [result] = await Promise.allSettled([given]);
      const refusal = result.status === 'rejected' ? result.reason : null;
      this.#tally.foreseen(cameTrue(driver, foreseen, refusal));
    };
  }

  async #onClosed(command: Command): Promise<void> {
    const driver = this.#driver;
    await driver.restart(async (closed) => {
      const act = this.acting.of(command);
      if (act === null) return;
      const head = driver.head;
      act.before?.();
      const [result] = await Promise.allSettled([soon(act.give(closed), `${command.do} of a closed sidecar`)]);
      const isRefused = result.status === 'rejected';
      act.after?.(false, false);
      if (!isRefused) throw new Harm(`${command.do} is taken by a sidecar that was closed`);
      this.#refused(command, result.reason, head, 'closed ');
    });
  }

  /** A command that throws says why by a code, and has changed nothing. */
  #refused(command: Command, error: unknown, head: number | null, when = ''): void {
    if (error instanceof Harm) throw error;
    if (!(error instanceof SidecarError || error instanceof JournalError))
      throw new Harm(`${command.do} throws no error of ours: ${error instanceof Error ? error.stack : String(error)}`);
    this.#tally.refused(command.do, `${when}${error.code}`);
    if (head === null) return;
    const rows = this.#driver.head === head ? [] : this.#driver.rows(head);
    // A counterparty that is asked before a person's word is taken may know it, and what waits for that goes on.
    const isHeard =
      command.do === 'settle' && rows.every(({ kind }, index) => index > 0 || kind === OUTCOME || kind === ASKED);
    if (rows.length > 0 && !isHeard)
      throw new Harm(`${command.do} throws ${error.code}, and has written ${rows.length} rows`);
  }
}

/** Has nobody told that a promise is rejected which is awaited later. */
function noted(promise: Promise<void>): Promise<void> {
  promise.catch(() => {});
  return promise;
}
