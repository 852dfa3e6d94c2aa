/** A released key that another run has been given: the run, and the number of its grant (ER3). */
export interface PassedOn {
  readonly key: string;
  readonly run: string;
  readonly epoch: number;
}
