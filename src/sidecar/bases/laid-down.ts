/** Reads the parts of a run that its bases hold, while the run goes on. */
import type { CallSource } from '../../effects/ledger-call.ts';
import type { ValueCodec } from '../../journal/value-codec.ts';
import type { Entry } from '../../model/entry.ts';
import type { StepEntry } from '../../model/step-entry.ts';
import { unpacked } from '../../projection/base/columns.ts';
import type { BaseSource } from '../../projection/base/loading.ts';
import { type LineContent, LoadedBase } from './loaded-base.ts';

/** The bases that one process has kept of a run. */
export class LaidDown implements BaseSource, CallSource {
  readonly #codecs: readonly ValueCodec[];
  #content: LineContent | null = null;
  #read: LoadedBase | null = null;

  constructor(codecs: readonly ValueCodec[]) {
    this.#codecs = codecs;
  }

  /** All lines of the last base, which include the lines of earlier bases. The parsed lines are dropped. */
  set content(content: LineContent) {
    this.#content = content;
    this.#read = null;
  }

  step(stored: unknown): StepEntry {
    return this.#base.step(stored);
  }

  entry(stored: unknown): Entry {
    return this.#base.entry(stored);
  }

  value(stored: unknown): unknown {
    return this.#base.value(stored);
  }

  numbers(stored: unknown): readonly number[] {
    return unpacked(stored as string);
  }

  get #base(): LoadedBase {
    this.#read ??= new LoadedBase(this.#content as LineContent, this.#codecs);
    return this.#read;
  }
}
