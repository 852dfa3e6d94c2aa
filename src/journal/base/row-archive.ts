/** Rows that were moved out of a store, as a base holds the state after them (J8). */

/** The archived rows of a store's runs (J8). A row is named by its seq; 0 stands for no row. */
export interface RowArchive {
  /** The folder of their files. */
  readonly folder: string;
  /** The last archived row of a run. @throws JournalError `run_unknown`. */
  upTo(run: string): number;
  /**
   * The last row that can be archived: a base at or after the row `at` must hold the state.
   * @throws JournalError `run_unknown`.
   */
  couldReach(run: string, at: number): number;
  /**
   * Archives the rows up to a row that `couldReach` returned, also while a process writes the run. If it is stopped
   * halfway, the rows archived so far stay archived.
   * @throws JournalError `journal_cannot_write` if a file cannot be written: the rows then stay in the store.
   */
  moveUpTo(run: string, row: number): void;
}
