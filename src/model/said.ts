/** The word of a thread to a person. */

/** The end of a turn that a person has read. */
export interface Said {
  /** The number of the turn. */
  readonly turn: number;
  /** The number of the last event of the history at its end. */
  readonly at: number;
  /** The number of the step that ended it. */
  readonly step: number;
}
