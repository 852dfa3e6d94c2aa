/** Times as a config writes them: a number of milliseconds, or a text such as 5s. */
import { type Item, numberOf, textOf } from './document.ts';
import type { Findings } from './finding.ts';

const UNITS = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
/** The longest `timeout` of a call: a timer of the platform waits no longer. */
const LONGEST_CALL = 2 ** 31 - 1;
/** The longest wait for anything else, which is due on the world's clock: a hundred years. */
export const LONGEST_WAIT = 36_525 * UNITS.d;

/** A time in milliseconds; null if there is none, or if it is too long to wait for. */
export function timeIn(item: Item | null, findings: Findings, longest = LONGEST_CALL): number | null {
  if (item === null) return null;
  const text = textOf(item);
  if (text === null) return numberOf(item);
  const wait = parseTime(text);
  if (wait >= 1 && wait <= longest) return wait;
  const mend = `Write milliseconds, or 500ms, 5s, 2m, 1h, 2d; at most ${Math.floor(longest / UNITS.d)} days.`;
  findings.report('bad_timeout', 'error', item.at, `"${text.slice(0, 100)}" is no time`, mend);
  return null;
}

/** A text such as `500ms`, `5s`, `2m`, `1h` or `2d` in milliseconds; NaN where it is no time. */
export function parseTime(text: string): number {
  const parts = /^(\d{1,12}(?:\.\d{1,6})?)\s*(ms|s|m|h|d)$/.exec(text);
  return parts === null ? Number.NaN : Math.round(Number(parts[1]) * UNITS[parts[2] as keyof typeof UNITS]);
}

/** A time as a config writes it, in the largest unit in which it is whole. */
export function writtenTime(milliseconds: number): string {
  const fitting = Object.entries(UNITS).filter(([, each]) => milliseconds >= each && milliseconds % each === 0);
  const [unit, each] = fitting.at(-1) ?? ['ms', 1];
  return `${milliseconds / each}${unit}`;
}
