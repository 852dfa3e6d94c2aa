/**
 * The service under diagnosis: its config file, its queue, its rows and its port, in the folder of a run. The faults
 * are real: the port refuses, or answers with an error, because of a file or a row, and stops doing so once that is
 * repaired.
 */
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type {
  Change,
  Hypothesis,
  Incident,
  Look,
  Notice,
  Probe,
  Reading,
  Repair,
  Request,
  Symptom,
} from './incident.ts';
import { Listener, REFUSED } from './listener.ts';
import { Queue } from './queue.ts';
import { type Elsewhere, Records } from './records.ts';

const GOOD = JSON.stringify({ workers: 4 });
const BAD = JSON.stringify({ workers: 'four' });

/** The functions of the port. */
const ENDPOINTS = ['/orders', '/account', '/jobs'] as const;

/** A service, and those who look after it. */
export class Service {
  readonly #config: string;
  readonly #queue: Queue;
  readonly #records: Records;
  readonly #listener: Listener;

  private constructor(config: string, queue: Queue, records: Records, listener: Listener) {
    this.#config = config;
    this.#queue = queue;
    this.#records = records;
    this.#listener = listener;
  }

  /** Opens the service of a folder; an empty folder is given one with the faults that are asked for. */
  static async open(folder: string, request: Request): Promise<Service> {
    const config = join(folder, 'service.json');
    const queue = new Queue(folder);
    const records = new Records(join(folder, 'service.sqlite'), request, () => {
      writeFileSync(config, request.faults.includes('config') ? BAD : GOOD);
      queue.fill(request.faults.includes('queue'));
    });
    const answers = (endpoint: string) => says(endpoint, records, queue);
    return new Service(config, queue, records, await Listener.open(answers, problemIn(config) === null));
  }

  /** The faults that the port shows. */
  async symptoms(signal: AbortSignal): Promise<readonly Symptom[]> {
    const symptoms: Symptom[] = [];
    for (const endpoint of ENDPOINTS) {
      const answer = await this.#listener.ask(endpoint, signal);
      if (answer !== null) symptoms.push({ endpoint, says: answer });
    }
    return symptoms;
  }

  /** Looks at one thing. Nothing is changed. */
  async look(hypothesis: Hypothesis, look: Look, signal: AbortSignal): Promise<Reading> {
    if (look === 'port') return this.#lookAtPort(hypothesis, signal);
    switch (hypothesis) {
      case 'config': {
        const problem = problemIn(this.#config);
        return { fine: problem === null, says: problem ?? 'can be read' };
      }
      case 'lock': {
        const holder = this.#records.holder();
        return { fine: holder === null, says: holder === null ? 'free' : `held by ${holder}` };
      }
      case 'quota': {
        const { used, size } = this.#records.quota();
        return { fine: used < size, says: `${used} of ${size} used` };
      }
      case 'certificate': {
        const days = this.#records.daysLeft();
        return { fine: days === null ? null : days > 0, says: days === null ? 'there is none' : `${days} days left` };
      }
      case 'queue': {
        const head = this.#queue.head();
        return { fine: head?.readable ?? true, says: head === null ? 'empty' : `${head.message} comes next` };
      }
    }
  }

  async #lookAtPort(hypothesis: Hypothesis, signal: AbortSignal): Promise<Reading> {
    const answer = await this.#listener.ask('/orders', signal);
    const wanted = hypothesis === 'config' ? REFUSED : 'over quota';
    if (answer === wanted) return { fine: false, says: answer };
    // A port that trips over something else says nothing about what comes after that.
    return { fine: answer === null || hypothesis === 'config' ? true : null, says: answer ?? 'answers' };
  }

  /** Takes the head of the queue aside, once for a key, and looks whether that helps; back it goes where it does not. */
  probe(key: string | undefined): Probe {
    const message = this.#queue.setAside(key);
    if (message === null) throw new Error('there is nothing in the queue');
    const freed = this.#queue.head()?.readable ?? true;
    if (!freed && key !== undefined) this.#queue.putBack(key);
    return { message, freed };
  }

  /** The message that a probe has taken aside; null where the probe was never made, or its message is back. */
  probed(key: string): Probe | null {
    const message = this.#queue.aside(key);
    return message === null ? null : { message, freed: this.#queue.head()?.readable ?? true };
  }

  /** Puts back what a probe took aside; nothing the second time. @throws where it was thrown away since. */
  release(key: string): void {
    this.#queue.putBack(key);
  }

  /** Makes a repair, and has the port follow it. Made again without a key, it is made twice. */
  async repair(repair: Repair, key: string | undefined): Promise<Change> {
    const change = this.#records.repair(repair, this.#elsewhere, key);
    if (repair.cause === 'config') await this.#restart();
    return change;
  }

  /** True if a repair was made, with its result. */
  repaired(key: string): { readonly output: unknown } | null {
    return this.#records.find(key);
  }

  /** The reason why a repair cannot be undone any more; null where it can. */
  repairMoved(key: string): string | null {
    return this.#records.moved(key);
  }

  /** Takes a repair back, and has the port follow that. @throws where it is not possible any more. */
  async takeBack(key: string, undoKey: string): Promise<void> {
    this.#records.takeBack(key, undoKey, this.#elsewhere);
    await this.#restart();
  }

  /** Tells the customers. Told again without a key, they are told twice. */
  tell(notice: Notice, key: string | undefined): Notice {
    return this.#records.tell(notice, key);
  }

  /** Records an incident. Recorded again, it is the same. */
  record(incident: Incident): Incident {
    return this.#records.record(incident);
  }

  /** Everything that can be seen of the service and of what was done to it. */
  rows(): Readonly<Record<string, readonly object[]>> {
    return {
      ...this.#records.rows(),
      queue: this.#queue.rows(),
      config: [{ content: readFileSync(this.#config, 'utf8') }],
    };
  }

  async close(): Promise<void> {
    await this.#listener.close();
    this.#records.close();
  }

  async #restart(): Promise<void> {
    await this.#listener.restart(problemIn(this.#config) === null);
  }

  /**
   * Repairs in files. Each may safely be made twice, because the transaction around it may be lost after it was made.
   */
  get #elsewhere(): Partial<Record<Hypothesis, Elsewhere>> {
    return {
      config: {
        make: () => {
          const before = readFileSync(this.#config, 'utf8');
          this.#write(GOOD);
          return { now: GOOD, before };
        },
        undo: (before) => this.#write(String(before)),
      },
      queue: {
        make: () => ({ now: 'goes on', before: this.#queue.discard() }),
        undo: (before) => this.#queue.retrieve(Array.isArray(before) ? before : []),
      },
    };
  }

  #write(content: string): void {
    writeFileSync(`${this.#config}.part`, content);
    renameSync(`${this.#config}.part`, this.#config);
  }
}

/** The reason why a service cannot start with a config file; null where it can. */
function problemIn(file: string): string | null {
  const { workers }: { workers?: unknown } = JSON.parse(readFileSync(file, 'utf8'));
  return typeof workers === 'number' ? null : `workers is no number: ${JSON.stringify(workers)}`;
}

/** The first fault that an endpoint of the service meets. */
function says(endpoint: string, records: Records, queue: Queue): string | null {
  switch (endpoint) {
    case '/orders': {
      if (records.holder() !== null) return 'locked';
      const { used, size } = records.quota();
      return used < size ? null : 'over quota';
    }
    case '/account': {
      const days = records.daysLeft();
      return days !== null && days > 0 ? null : 'no good certificate';
    }
    case '/jobs':
      return (queue.head()?.readable ?? true) ? null : 'stuck';
    default:
      return 'unknown endpoint';
  }
}
