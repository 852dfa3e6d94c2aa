/** The events from outside that restores took back and that have not come again, in order (semantics.md C1b). */
import { encode } from '../journal/codec.ts';
import type { ValueCodec } from '../journal/value-codec.ts';
import type { RecordedStep, ToRedeliver } from './state-types.ts';

/** The events to redeliver of one run. */
export class Redelivery {
  readonly all: ToRedeliver[] = [];
  readonly #codecs: readonly ValueCodec[];

  constructor(codecs: readonly ValueCodec[]) {
    this.#codecs = codecs;
  }

  /** Notes an event from outside that came: it is not redelivered any more. */
  came(event: unknown): void {
    if (this.all.length === 0) return;
    const text = this.#textOf(event);
    const index = this.all.findIndex((back) => this.#textOf(back.event) === text);
    if (index !== -1) this.all.splice(index, 1);
  }

  /** Adds the events that a restore takes back. */
  add(events: readonly ToRedeliver[]): void {
    this.all.unshift(...events);
  }

  /** Adds an event that a record had heard and that nothing hears now: its sender may send it again, and nothing else does. */
  lose({ outside }: RecordedStep): void {
    this.all.push({ event: outside, context: [], control: '', regions: [], moved: [], heard: [] });
  }

  #textOf(event: unknown): string {
    const encoded = encode(event, { codecs: this.#codecs });
    return 'text' in encoded ? encoded.text : `!${encoded.path.join('/')}`;
  }
}
