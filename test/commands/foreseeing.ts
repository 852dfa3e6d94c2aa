/** Holds the preview of a complaint against the run: it moves nothing, and what it said comes true. */
import { isDeepStrictEqual } from 'node:util';
import type { ComplaintPreview, PreviewedComplaint } from '../../src/index.ts';
import type { DecisionEntry } from '../../src/model/entry.ts';
import { previewOf } from '../../src/xstate/preview.ts';
import { entriesOf } from '../journal/entries-of.ts';
import { type Driver, Harm } from './driver.ts';
import { configOf } from './machines.ts';

/** What a preview has said. */
interface Foreseen {
  readonly head: number;
  readonly preview: ComplaintPreview | null;
  /** The code of its error; null where it gave an answer. */
  readonly code: string | null;
}

/** Everything that a preview must leave as it is, as text. */
function stateOf(driver: Driver): string {
  const fold = driver.fold();
  const { calls, acts, undone } = driver.world as unknown as Record<string, unknown>;
  const spent = [...fold.spent, ...fold.epochs, fold.recoveries];
  return JSON.stringify([driver.rows(), spent, calls, acts, undone]);
}

/** Asks for the preview of a complaint. @throws Harm where anything has moved, or a reader of the journal has another one. */
export async function foresee(driver: Driver, complaint: PreviewedComplaint): Promise<Foreseen> {
  const { head } = driver;
  const before = stateOf(driver);
  const [result] = await Promise.allSettled([driver.sidecar.preview({ fail: complaint })]);
  const after = stateOf(driver);
  if (before !== after) throw new Harm('a preview has moved something');
  const preview = result.status === 'fulfilled' ? result.value : null;
  const code =
    result.status === 'rejected' ? ((result.reason as { code?: string }).code ?? String(result.reason)) : null;
  const read = readBy(driver, complaint);
  // A decision that no process has asked for again since is not what the run stands on.
  if (preview?.waitsFor === null && 'preview' in read && read.preview.waitsFor === null)
    if (!isDeepStrictEqual(decisions(read.preview), decisions(preview)))
      throw new Harm(`a reader foresees ${decisions(read.preview)}, and the process ${decisions(preview)}`);
  if ('code' in read && code !== read.code) throw new Harm(`a reader is refused: ${read.code}, the process: ${code}`);
  return { head, preview, code };
}

function readBy(driver: Driver, complaint: PreviewedComplaint) {
  const options = { run: 'r', config: configOf(driver.name) };
  try {
    return { preview: previewOf(driver.lab.machine(driver.world), options, driver.rows(), complaint) };
  } catch (error) {
    return { code: (error as { code?: string }).code ?? String(error) };
  }
}

/** What was foreseen, as text that is the same for the same answers. */
function decisions({ answers }: ComplaintPreview): string {
  return JSON.stringify(answers.map(({ is, decision, undo, stands }) => [is, decision, undo, stands]));
}

/** Holds what came against what was foreseen. @returns how it was, for the tally. @throws Harm where it came otherwise. */
export function cameTrue(driver: Driver, { head, preview, code }: Foreseen, refusal: unknown): string {
  const refused = refusal === null ? null : ((refusal as { code?: string }).code ?? String(refusal));
  if (code !== null) {
    if (refused !== code) throw new Harm(`a preview throws ${code}, and the complaint ${refused ?? 'is taken'}`);
    return `refused ${code}`;
  }
  if (preview === null || refused !== null) throw new Harm(`a preview answers, and the complaint throws ${refused}`);
  const [first] = preview.answers;
  if (preview.waitsFor !== null) return 'behind something';
  const rows = driver.rows();
  const before = rows.filter(({ seq }) => seq <= head);
  const came = entriesOf(rows)
    .slice(entriesOf(before).length)
    .find((entry): entry is DecisionEntry => entry.do === 'decision');
  return decidedAs(first, came, preview.at, () => entriesOf(rows).some((entry) => entry.do === 'demoted'));
}

function decidedAs(
  first: ComplaintPreview['answers'][number] | undefined,
  came: DecisionEntry | undefined,
  at: number,
  isDemoted: () => boolean,
): string {
  if (first === undefined || first.decision === null) {
    if (came !== undefined && came.suspect === true && came.decision.at === at)
      throw new Harm(`a preview foresees no decision, and there is one: ${came.decision.verdict}`);
    return first === undefined ? 'undone already' : first.is;
  }
  // What was asked about first may have told another thing.
  if (first.asks.length > 0) return 'asks first';
  if (came === undefined) throw new Harm(`a preview foresees ${first.decision.verdict}, and nothing was decided`);
  const [said, is] = [first.decision, came.decision].map((one) => JSON.parse(JSON.stringify(one)));
  if (isDeepStrictEqual(said, is)) return came.decision.verdict;
  // What cannot be undone any more is asked when it is to be undone.
  if (first.undo.length > 0 && isDemoted()) return 'demoted';
  throw new Harm(`a preview foresees ${JSON.stringify(said)}, and it was ${JSON.stringify(is)}`);
}
