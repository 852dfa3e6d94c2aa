/** The refusals of the git adapter: nothing was changed, and a code says why. */
import { NotApplied } from '../../effects/signals.ts';

/** The closed list of reasons why the git adapter changes nothing. */
export type GitRefusal = 'bad_input' | 'bad_path' | 'moved' | 'contended' | 'declined';

/** Thrown by the git adapter where a call has changed nothing. */
export class GitRefused extends NotApplied {
  /** Names the error. */
  override readonly name = 'GitRefused';
  /** Why nothing was changed. */
  readonly code: GitRefusal;

  /** @param why the reason, after the code. */
  constructor(code: GitRefusal, why: string) {
    super(`${code}: ${why}`);
    this.code = code;
  }
}
