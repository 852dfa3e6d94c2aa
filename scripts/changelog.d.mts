/** A section of CHANGELOG.md. */
export interface Section {
  readonly version: string;
  readonly date: string | null;
  readonly body: string;
}
export function sectionsOf(text: string): Section[];
export function released(text: string, version: string, day: string): string;
