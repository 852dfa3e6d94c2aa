/** The person who says events otherwise while a rehearsed run goes on, and confirms those that wait for their sender. */
import type { Sidecar } from '../../xstate/attach.ts';
import type { RehearsedAct, SteerFault } from '../faults/fault.ts';
import { otherWords } from '../faults/steers.ts';
import type { Answered } from './course.ts';
import type { Observation } from './observation.ts';
import type { NamedPath } from './subject.ts';

/** The sender of every event. */
const BY = { by: 'the rehearsal' };
/** The most times that an event is confirmed: one that no state takes waits on. */
const MOST_CONFIRMED = 4;

/** The name by which an event of the path is sent. */
function nameOf(index: number): string {
  return `event-${index + 1}`;
}

/** The acts of one run. */
export class Steering {
  /** The answers to the acts; null before them. */
  answered: readonly Answered[] | null = null;
  readonly #path: NamedPath;
  readonly #seen: Observation;
  readonly #confirmed = new Map<string, number>();

  constructor(path: NamedPath, seen: Observation) {
    this.#path = path;
    this.#seen = seen;
  }

  /** Sends an event of the path under its name. */
  send(sidecar: Sidecar, index: number): void {
    const event = this.#path.events[index]?.send;
    if (event !== undefined) void sidecar.send(event as never, { ...BY, id: nameOf(index) }).catch(() => {});
  }

  /** Says the acts of a fault, all of them before the first is answered. */
  async say({ acts }: SteerFault, sidecar: Sidecar | null): Promise<void> {
    await Promise.resolve();
    if (sidecar !== null) this.answered = await Promise.all(acts.map((act) => this.#act(sidecar, act)));
  }

  async #act(sidecar: Sidecar, { act, index }: RehearsedAct): Promise<Answered> {
    const name = nameOf(index);
    const to = otherWords(this.#path.events[index]?.send ?? { type: '' }) ?? {};
    const said = act === 'revise' ? sidecar.revise(name, to, BY) : sidecar.retract(name, BY);
    const { is, why } = await said.catch((error: Error) => ({ is: 'refused' as const, why: error.message }));
    this.#seen.tell(`${act} ${name}: ${is}${why === null ? '' : `, ${why}`}`);
    return is;
  }

  /** Confirms an event that waits for its sender. @returns false where none does. */
  confirms(sidecar: Sidecar | null): boolean {
    if (sidecar?.status !== 'running') return false;
    const times = (name: string) => this.#confirmed.get(name) ?? 0;
    const waits = sidecar.events().find(({ name, is }) => is === 'taken_back' && times(name) < MOST_CONFIRMED);
    if (waits === undefined) return false;
    this.#confirmed.set(waits.name, times(waits.name) + 1);
    this.#seen.tell(`confirm ${waits.name}`);
    void sidecar.confirm(waits.name, BY).catch(() => {});
    return true;
  }
}
