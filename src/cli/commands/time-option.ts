/** A time as an option of a verb. */
import { InvalidArgumentError } from 'commander';
import { parseTime } from '../../boundaries/page/time.ts';

/** The milliseconds of a time such as `500ms`, at most those that a timer takes. @throws InvalidArgumentError. */
export function timeOf(text: string): number {
  const time = parseTime(text);
  if (time > 0 && time <= 2 ** 31 - 1) return time;
  throw new InvalidArgumentError('It is a time such as 500ms, 2s or 1m.');
}
