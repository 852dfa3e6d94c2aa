/** The complaint about a wrong answer: made to the sidecar once, and its outcome. */
import { instanceName } from '../../model/instance.ts';
import type { Sidecar } from '../../xstate/attach.ts';
import type { RehearsedFault, WrongFault } from '../faults/fault.ts';
import type { Course } from './course.ts';
import type { Observation } from './observation.ts';

/** The complaint of one run. */
export class Complaint {
  /** The verdict on it; null for a fault that is none. */
  status: Course['complaint'];
  readonly #seen: Observation;

  constructor(fault: RehearsedFault | null, seen: Observation) {
    this.status = fault?.kind === 'wrong' ? 'never' : null;
    this.#seen = seen;
  }

  /** Tells the sidecar what is wrong. @returns true once that is answered, false where it is refused. */
  async make(fault: WrongFault, sidecar: Sidecar | null): Promise<boolean> {
    await Promise.resolve();
    const { instance, key } = this.#seen.suspectOf(fault);
    const named = key === null ? {} : { key };
    this.#seen.tell(`found wrong: ${key ?? 'the work'} of ${instanceName(instance)}`);
    try {
      const telling = sidecar?.fail('CONTRACT_VIOLATION', { instance, ...named });
      this.status = 'taken';
      await telling;
      return true;
    } catch (error) {
      this.status = 'refused';
      this.#seen.tell(`the complaint is refused: ${error instanceof Error ? error.message : String(error)}`);
      return false;
    }
  }
}
