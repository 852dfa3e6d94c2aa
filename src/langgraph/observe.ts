/** The reads of a node, observed on its input: by channel. */
import type { RunnableConfig } from '@langchain/core/runnables';

const SCRATCHPAD = '__pregel_scratchpad';
const READ = '__pregel_read';

/** The channels that a node has read. */
export class Observed {
  readonly #channels: readonly string[];
  readonly #read = new Set<string>();
  readonly #besides: (readonly string[])[];

  /** @param besides what the node reads in any case. */
  constructor(channels: readonly string[], besides: readonly (readonly string[])[]) {
    this.#channels = channels;
    this.#besides = [...besides];
  }

  /** The channels that were read since this was asked last. */
  take(): (readonly string[])[] {
    const paths = [...this.#besides.splice(0), ...[...this.#read].map((name) => [name])];
    this.#read.clear();
    return paths;
  }

  all(): void {
    for (const name of this.#channels) this.#read.add(name);
  }

  /**
   * The input of a node, which notes each channel that the node reads. It is a plain object with getters, so that it
   * can be cloned and spread. A node's own assignments stay in it.
   */
  input(input: unknown): unknown {
    if (!isPlain(input)) {
      this.all();
      return input;
    }
    const seen: Record<string, unknown> = {};
    for (const [name, value] of Object.entries(input)) {
      Object.defineProperty(seen, name, {
        enumerable: true,
        configurable: true,
        get: () => {
          this.#read.add(name);
          return value;
        },
        set: (to: unknown) =>
          Object.defineProperty(seen, name, { value: to, enumerable: true, configurable: true, writable: true }),
      });
    }
    // A channel without a value is told from one with a value by its absence.
    const absent = this.#channels.filter((name) => !Object.hasOwn(input, name));
    for (const name of absent) this.#read.add(name);
    return seen;
  }

  /** The config of a node whose other ways to the state are seen, too. */
  config(config: RunnableConfig): RunnableConfig {
    return this.#watched(config, (state) => {
      this.all();
      return state;
    });
  }

  /** The config of the edges behind a node, which are handed the state as it is with what the node has written. */
  edges(config: RunnableConfig): RunnableConfig {
    return this.#watched(config, (state) => this.input(state));
  }

  #watched(config: RunnableConfig, seen: (state: unknown) => unknown): RunnableConfig {
    const { configurable = {} } = config;
    const pad = configurable[SCRATCHPAD] as object | undefined;
    const read = configurable[READ] as ((...given: unknown[]) => unknown) | undefined;
    const watched: Record<string, unknown> = {};
    if (pad !== undefined)
      watched[SCRATCHPAD] = new Proxy(pad, {
        get: (target, name) => {
          if (name === 'currentTaskInput') this.all();
          return Reflect.get(target, name);
        },
      });
    if (read !== undefined) watched[READ] = (...given: unknown[]) => seen(read(...given));
    return { ...config, configurable: { ...configurable, ...watched } };
  }
}

function isPlain(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false;
  const proto = Object.getPrototypeOf(value);
  return proto === Object.prototype || proto === null;
}
