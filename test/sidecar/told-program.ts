/** A program that is told of commits. */
import type { Commit } from '../../src/sidecar/report.ts';

/** A program that is told of commits, in processes that die. */
export class Told {
  readonly commits: Commit[] = [];
  isDead = false;
  readonly onCommit = (commit: Commit): Promise<void> | void => {
    if (this.isDead) return new Promise(() => {});
    this.commits.push(commit);
  };

  get texts(): (string | null)[] {
    return [...new Map(this.commits.map(({ id, message }) => [id, message])).values()];
  }
}
