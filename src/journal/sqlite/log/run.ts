/** A run as the file stores it. */
export interface Run {
  readonly id: number;
  readonly name: string;
}
