/** Live events: which runs have moved, told to every page that listens, as lines of JSON over one answer that does not end. */
import type { ServerResponse } from 'node:http';
import { type Alarm, PROCESS } from '../../clock/clock.ts';
import { InspectorError } from '../inspector-error.ts';
import type { WireTick } from '../page-data.ts';
import { idOf, type Runs } from '../reading.ts';

/** The time between looks at the file, in milliseconds, and how many looks may pass without a word. */
const LOOK = 500;
const SILENT = 20;
const MOST_STREAMS = 16;
/** A page that does not read is given up where so many bytes wait for it. */
const MOST_WAITING = 1_024 * 1_024;

/** The listeners of one server. The file is looked at only while there are any. */
export class Stream {
  readonly #runs: Runs;
  readonly #now: () => number;
  readonly #listeners = new Set<ServerResponse>();
  #timer: Alarm | null = null;
  #heads = new Map<string, string>();
  #silent = 0;

  constructor(runs: Runs, now: () => number) {
    this.#runs = runs;
    this.#now = now;
  }

  /** Adds a listener, which first learns every head. @throws InspectorError where there are too many. */
  async open(response: ServerResponse, begin: () => void): Promise<void> {
    if (this.#listeners.size >= MOST_STREAMS)
      throw new InspectorError('too_many_streams', `At most ${MOST_STREAMS} pages listen. Close one.`);
    this.#listeners.add(response);
    response.on('close', () => {
      this.#listeners.delete(response);
      if (this.#listeners.size === 0) this.#stop();
    });
    const heads = await this.#look().catch((error: unknown) => {
      this.#listeners.delete(response);
      throw error;
    });
    begin();
    this.#write(response, Object.fromEntries(heads.map(([id, , head]) => [id, head])));
    this.#timer ??= PROCESS.every(LOOK, () => void this.#tick());
  }

  /** Ends every stream. */
  close(): void {
    this.#stop();
    for (const response of this.#listeners) response.end();
    this.#listeners.clear();
  }

  #stop(): void {
    this.#timer?.cancel();
    this.#timer = null;
    this.#heads = new Map();
  }

  async #tick(): Promise<void> {
    // A file that cannot be read for the moment is read at the next look; the page says so by its other requests.
    const looked = await this.#look().catch(() => []);
    const changed = looked.filter(([id, mark]) => this.#heads.get(id) !== mark);
    for (const [id, mark] of looked) this.#heads.set(id, mark);
    this.#silent = changed.length > 0 ? 0 : this.#silent + 1;
    if (changed.length === 0 && this.#silent < SILENT) return;
    this.#silent = 0;
    const heads = Object.fromEntries(changed.map(([id, , head]) => [id, head]));
    for (const response of this.#listeners) this.#write(response, heads);
  }

  async #look(): Promise<(readonly [id: string, mark: string, head: number])[]> {
    const summaries = await this.#runs.summaries();
    return summaries.map(({ run, head, held }) => [idOf(run), `${head} ${held}`, head]);
  }

  #write(response: ServerResponse, heads: WireTick['heads']): void {
    if (response.writableLength > MOST_WAITING) {
      response.destroy();
      return;
    }
    const tick: WireTick = { heads, now: this.#now() };
    response.write(`${JSON.stringify(tick)}\n`);
  }
}
