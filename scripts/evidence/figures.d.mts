/** A figure that a page names: the command that computes it, the paths of its code, and the numbers in the text. */
export interface Figure {
  readonly name: string;
  readonly page: string;
  readonly command: string;
  readonly about: readonly string[];
  readonly says: readonly string[];
}
export type Computed = Readonly<Record<string, { readonly command: string; readonly commit: string }>>;
export type Changed = (commit: string, paths: readonly string[]) => readonly string[] | null;
export function figuresOf(page: string, text: string): Figure[];
export function allFigures(root: string): Figure[];
export function unsaid(figure: Pick<Figure, 'says'>, printed: string): string[];
export function staleness(figure: Figure, computed: Computed, changed: Changed): string | null;
export function changedSince(root: string): Changed;
