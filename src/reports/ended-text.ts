/** The words for runs that are over and have left something. */
import type { RunStatus } from './run-status.ts';

/** Says how a run was aborted, for a list: `compensated, 1 call stands`. */
export function compensatedText({ stands = 0 }: Extract<RunStatus, { is: 'compensated' }>): string {
  if (stands === 0) return 'compensated';
  return `compensated, ${stands === 1 ? '1 call stands' : `${stands} calls stand`}`;
}

/** Says what a run that is done has left, for a list: `1 held call never made`; null where it has left nothing. */
export function leftText({
  unpublished = 0,
  unanswered = 0,
  untaken = 0,
}: Extract<RunStatus, { is: 'done' }>): string | null {
  const counted = (count: number, one: string, what: string) =>
    count === 0 ? [] : [`${count} ${one}${count === 1 ? '' : 's'} ${what}`];
  const parts = [
    ...counted(unpublished, 'held call', 'never made'),
    ...counted(unanswered, 'complaint', 'unanswered'),
    ...counted(untaken, 'event', 'never taken'),
  ];
  return parts.length === 0 ? null : parts.join(', ');
}
