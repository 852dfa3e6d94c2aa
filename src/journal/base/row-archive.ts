/** Rows that were moved out of a store, as a base holds the state after them (J8). */

/** The archived rows of a store's runs (J8). A row is told by its seq; 0 stands for none. */
export interface RowArchive {
  /** The folder of their files. */
  readonly folder: string;
  /** The last row of a run that is archived. @throws JournalError `run_unknown`. */
  upTo(run: string): number;
  /** The last row that can be archived, as far as the run has a base at or after the row `at`. @throws JournalError `run_unknown`. */
  couldReach(run: string, at: number): number;
  /**
   * Archives the rows up to one that `couldReach` told, also while a process writes the run. What was archived when it is stopped stays so.
   * @throws JournalError `journal_cannot_write` where a file cannot be written: the rows then stay.
   */
  moveUpTo(run: string, row: number): void;
}
