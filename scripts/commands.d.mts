/** A command of the project. */
export interface Command {
  readonly about: string;
  /** The commands that run before it, as they are named behind `npm run`. */
  readonly needs?: readonly string[];
  /** True where it prints its own help. */
  readonly helps?: boolean;
  /** Its lines, for a shell. */
  readonly run: readonly string[];
}

/** The commands behind a script of package.json: its own lines, and the commands by their names. */
export type Group = Readonly<Record<string, Command | readonly string[]>>;

export const GROUPS: Readonly<Record<string, Group>>;
