/** The verb `primer`: a run as compact text for a model that continues the run. */
import { primerOf } from '../../reports/primer.ts';
import { type Counting, countedRows, reading, runNamed, type Told } from '../reading/reading.ts';

/** Options of a primer. */
export interface PrimerOptions {
  readonly file: string;
  readonly run: string;
  /** The most tokens of the text. */
  readonly tokens: number;
  readonly json: boolean;
  readonly counting: Counting;
}

/** Writes the primer of a run. */
export function showPrimer({ file, run, tokens, json, counting }: PrimerOptions): Promise<Told> {
  return reading(file, async (store) => {
    await runNamed(store, run);
    const text = primerOf(await countedRows(store, run, counting), { tokens });
    return json ? [`${JSON.stringify({ run, tokens, primer: text })}\n`] : [text];
  });
}
