/**
 * The world that agents act upon, in a process of its own: it outlives them, applies a key once, and remembers in which order.
 * Every trial has a world of its own in it. It fails, loses a reply or kills its caller where it is told to. A script.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What goes wrong at a site, each time that it is called until it is over. */
export interface Fault {
  readonly site: string;
  /**
   * Refused before anything happens; applied and the reply lost; or the caller is killed before or after it is applied. At the
   * site `ask`, a lie: that what was applied was not.
   */
  readonly does: 'refuse' | 'lose' | 'kill before' | 'kill after' | 'lie';
  /** How often it happens; as often as it is asked for until `until` if left out. */
  readonly times?: number;
  /** It is over once a site was applied so often. */
  readonly until?: { readonly site: string; readonly count: number };
}

/** Something that was done to the world, once. */
export interface Act {
  readonly site: string;
  readonly key: string;
  readonly value: unknown;
}

/** What a world has seen. */
export interface Log {
  readonly acts: readonly Act[];
  /** Calls with a key that was applied before: answered from memory. */
  readonly repeats: readonly Act[];
  /** How many callers it has killed. */
  readonly killed: number;
}

/** What is sent to act, or to look. */
export interface Call {
  readonly world: string;
  readonly site: string;
  /** Null for a call that does nothing to the world. */
  readonly key: string | null;
  readonly value: unknown;
  readonly pid: number;
}

class World {
  readonly acts: Act[] = [];
  readonly repeats: Act[] = [];
  killed = 0;
  readonly #applied = new Map<string, unknown>();
  readonly #faults: { fault: Fault; left: number }[];

  constructor(faults: readonly Fault[]) {
    this.#faults = faults.map((fault) => ({ fault, left: fault.times ?? Number.POSITIVE_INFINITY }));
  }

  /** The reply, or undefined where none is sent. */
  act({ site, key, value, pid }: Call): { value: unknown } | undefined {
    const fault = this.#fires(site);
    if (fault === 'kill before') return this.#kill(pid);
    if (fault === 'refuse') return undefined;
    if (key !== null) this.#apply({ site, key, value });
    if (fault === 'kill after') return this.#kill(pid);
    return fault === 'lose' ? undefined : { value: key === null ? value : this.#applied.get(key) };
  }

  ask(key: string): { applied: boolean; value: unknown } {
    const applied = this.#fires('ask') !== 'lie' && this.#applied.has(key);
    return { applied, value: this.#applied.get(key) };
  }

  #apply(act: Act): void {
    if (this.#applied.has(act.key)) {
      this.repeats.push(act);
      return;
    }
    this.#applied.set(act.key, act.value);
    this.acts.push(act);
  }

  #kill(pid: number): undefined {
    process.kill(pid, 'SIGKILL');
    this.killed += 1;
  }

  #fires(site: string): Fault['does'] | null {
    for (const each of this.#faults) {
      const { fault } = each;
      if (fault.site !== site || each.left === 0) continue;
      const { until } = fault;
      if (until !== undefined && this.acts.filter((act) => act.site === until.site).length >= until.count) continue;
      each.left -= 1;
      return fault.does;
    }
    return null;
  }
}

const worlds = new Map<string, World>();

function worldOf(name: string): World {
  const world = worlds.get(name);
  if (world === undefined) throw new Error(`there is no world ${name}`);
  return world;
}

function answer(path: string, said: Record<string, unknown>): unknown {
  const name = String(said.world);
  switch (path) {
    case '/world':
      worlds.set(name, new World(said.faults as readonly Fault[]));
      return {};
    case '/act':
      return worldOf(name).act(said as unknown as Call);
    case '/ask':
      return worldOf(name).ask(String(said.key));
    case '/log': {
      const { acts, repeats, killed } = worldOf(name);
      return { acts, repeats, killed } satisfies Log;
    }
  }
  throw new Error(`nothing is at ${path}`);
}

async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  const reply = answer(request.url ?? '', JSON.parse(Buffer.concat(parts).toString('utf8')));
  if (reply === undefined) request.socket.destroy();
  else response.end(JSON.stringify(reply));
}

const server = createServer((request, response) => {
  serve(request, response).catch((error: unknown) => {
    response.statusCode = 500;
    response.end(String(error));
  });
});
server.listen(0, '127.0.0.1', () => process.stdout.write(`${(server.address() as AddressInfo).port}\n`));
process.stdin.resume().on('end', () => process.exit()); // it ends with whoever started it
