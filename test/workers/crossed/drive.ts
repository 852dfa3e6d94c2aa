/**
 * Loops, flows and threads of graphs that workers carry while everything reaches them at once: turns, acts on turns, complaints, pauses, workers that are
 * stopped and that die at an append. Each run is judged by its messages in the order in which they were left, and by the bank.
 */
import { entriesOf } from '../../../src/journal/entries.ts';
import { EntryDecoder } from '../../../src/journal/entry-codec.ts';
import { memoryStore } from '../../../src/journal/memory/store.ts';
import type { Entry } from '../../../src/model/entry.ts';
import type { InstanceId } from '../../../src/model/instance.ts';
import { type WorkClient, workClient } from '../../../src/workers/client.ts';
import type { ProgramAgent } from '../../../src/workers/program-agent.ts';
import { startWorker } from '../../../src/workers/worker.ts';
import { calm } from '../../poll.ts';
import { mortal } from '../mortal.ts';

const RUN = 'chat';

/** The world of a program: what was paid, and not undone, by its key. */
interface World {
  readonly paid: readonly { readonly key: string; readonly cents: number; readonly undone: boolean }[];
  readonly standing: readonly number[];
}

/** A program that takes turns of words, `quote` and `pay`, and tells all that it has said. */
export interface CrossedKind {
  readonly name: string;
  readonly isThread: boolean;
  /** The kind of program, in a word. */
  readonly about: string;
  /** The content of a turn. */
  says(words: string): unknown;
  /** What was said up to the end of a turn; of a thread, up to the end of its last. */
  told(client: WorkClient, bank: World, id: string): Promise<readonly string[] | undefined>;
  make(pay: 'reversible' | 'irreversible'): { readonly bank: World; readonly agent: ProgramAgent };
}

/** Something that happens to a run from outside. */
export type Move =
  | { readonly do: 'turn'; readonly words: string }
  | { readonly do: 'retract'; readonly of: number; readonly confirms: readonly number[] }
  | { readonly do: 'revise'; readonly of: number; readonly words: string; readonly confirms: readonly number[] }
  | { readonly do: 'fail'; readonly nth: number }
  | { readonly do: 'pause' | 'unpause' | 'stop' | 'cancel' }
  | { readonly do: 'start'; readonly dies: number | null };

/** A run, and what happens to it. Behind each move, as many turns of the event loop pass; null until nothing moves. */
export interface Crossed {
  readonly kind: CrossedKind;
  readonly pay: 'reversible' | 'irreversible';
  readonly said: 'stands' | 'rewritten';
  readonly moves: readonly { readonly move: Move; readonly turns: number | null }[];
}

/** The end of a run, as a judge sees it. */
export interface Ending {
  readonly wrong: readonly string[];
  readonly isHung: boolean;
  readonly isCancelled: boolean;
  readonly isParked: boolean;
  readonly log: readonly string[];
  readonly refused: readonly string[];
  readonly deaths: number;
}

type Left =
  | { readonly do: 'turn'; readonly id: string; readonly words: string; readonly post: number }
  | {
      readonly do: 'retract' | 'revise';
      readonly id: string;
      readonly of: string;
      readonly words: string;
      readonly confirms: readonly string[];
      readonly post: number;
    }
  | { readonly do: 'other'; readonly id: string; readonly post: number };

/** Turns of the event loop until a run counts as hung. */
const MOST_TURNS = 1_500;

interface Driven {
  readonly client: WorkClient;
  readonly one: Crossed;
  readonly bank: World;
  readonly left: Left[];
  readonly log: string[];
  readonly processes: Processes;
}

const IS_OPEN: ReadonlySet<string> = new Set(['left', 'held', 'taken_back']);

/** True where nothing of what was left is still to come: each message has its end, and each turn that was taken is over. */
async function isQuiet(driven: Driven): Promise<boolean> {
  const { client, left } = driven;
  const isCancelled = (await client.result(RUN)).is === 'cancelled';
  if (driven.processes.isParked) return true;
  for (const { post, do: what } of left) {
    const told = await client.outcome(RUN, post);
    if (told === null || IS_OPEN.has(told.is)) return false;
    if (what === 'turn' && told.is === 'taken' && told.turn?.isOver !== true && !isCancelled) return false;
  }
  return true;
}

/** Waits until nothing moves. @returns false where something never comes to its end. */
async function settles(driven: Driven, most = MOST_TURNS): Promise<boolean> {
  for (let turns = 0; turns < most; turns += 10) {
    if (await isQuiet(driven)) return true;
    await calm(10);
  }
  return false;
}

const idOf = (nth: number) => `m${nth}`;

async function moves(driven: Driven, move: Move): Promise<void> {
  const { client, left, one } = driven;
  const turns = left.filter((each) => each.do === 'turn');
  const by = 'ada';
  switch (move.do) {
    case 'turn': {
      const id = idOf(turns.length + 1);
      const post = await client.send(RUN, { type: 'turn', input: one.kind.says(move.words) }, { id, by });
      left.push({ do: 'turn', id, words: move.words, post });
      return;
    }
    case 'retract':
    case 'revise': {
      const of = turns[move.of % Math.max(turns.length, 1)]?.id;
      if (of === undefined) return;
      const confirms = [...new Set(move.confirms.map((nth) => turns[nth % turns.length]?.id ?? ''))].filter(
        (id) => Number(id.slice(1)) > Number(of.slice(1)),
      );
      const later = confirms.length === 0 ? {} : { later: { confirm: confirms } };
      const id = `act${left.length}`;
      const words = move.do === 'revise' ? move.words : '';
      const act =
        move.do === 'retract'
          ? { retract: of, id, ...later }
          : { revise: of, to: { input: one.kind.says(words) }, id, ...later };
      const post = await client.steer(RUN, act, { by }).catch((error: unknown) => String(error));
      if (typeof post === 'string') driven.log.push(`not left: ${post}`);
      else left.push({ do: move.do, id, of, words, confirms, post });
      return;
    }
    case 'fail': {
      const { paid } = driven.bank;
      const found = paid[move.nth % Math.max(paid.length, 1)];
      if (found === undefined) return;
      const instance = driven.processes.workOf(found.key);
      if (instance === undefined) return;
      const post = await client
        .fail(RUN, { signal: 'CONTRACT_VIOLATION', instance, by, id: `act${left.length}` } as never)
        .catch((error: unknown) => String(error));
      if (typeof post === 'string') driven.log.push(`not left: ${post}`);
      else left.push({ do: 'other', id: 'fail', post });
      return;
    }
    case 'pause':
    case 'unpause':
    case 'cancel': {
      const post = await client[move.do](RUN, { by, why: 'a test' }).catch((error: unknown) => String(error));
      if (typeof post === 'string') driven.log.push(`not left: ${post}`);
      else left.push({ do: 'other', id: move.do, post });
      return;
    }
    case 'stop':
      return driven.processes.stop();
    case 'start':
      return driven.processes.start(move.dies);
  }
}

interface Turn {
  readonly id: string;
  readonly words: string;
}

/** A turn that waits is changed where it waits, and nothing else moves (RC12): it may have waited, or not, as the act came. */
function changed(turns: readonly Turn[], act: Extract<Left, { readonly of: string }>, said: Crossed['said']): Turn[][] {
  const at = turns.findIndex(({ id }) => id === act.of);
  if (at < 0) return [[...turns]];
  const later = turns.slice(at + 1);
  const now = act.do === 'retract' ? [] : [{ id: act.of, words: act.words }];
  const with_ = (rest: readonly Turn[]) => [...turns.slice(0, at), ...now, ...rest];
  const confirmed = later.filter(({ id }) => act.confirms.includes(id));
  return said === 'rewritten' || confirmed.length === later.length ? [with_(later)] : [with_(confirmed), with_(later)];
}

/** The turns that a run may have by now, from its messages in the order in which they were left and from what they were told. */
async function expected({ client, left, one }: Driven): Promise<Turn[][]> {
  let may: Turn[][] = [[]];
  for (const each of [...left].sort((a, b) => a.post - b.post)) {
    const told = await client.outcome(RUN, each.post);
    if (each.do === 'turn' && told?.is !== 'refused' && told?.is !== 'untaken')
      may = may.map((turns) => [...turns, { id: each.id, words: each.words }]);
    else if ((each.do === 'retract' || each.do === 'revise') && told?.is === 'taken')
      may = may.flatMap((turns) => changed(turns, each, one.said));
  }
  return may;
}

/** What a plain program says to turns, one after the other. */
function plain(turns: readonly Turn[], before: number | undefined) {
  const log: string[] = [];
  const paid: number[] = [];
  let price = before as number;
  const told = turns.map(({ id, words }) => {
    for (const word of words.split(' ')) {
      if (word === 'quote') price = 100;
      if (word === 'pay') paid.push(price);
      log.push(word === 'pay' ? `paid ${price}` : `quoted ${price}`);
    }
    return { id, log: [...log] };
  });
  return { told, paid };
}

async function judged(driven: Driven, wrong: string[]): Promise<void> {
  const { client, one, bank } = driven;
  const events = await client.events(RUN);
  const taken = events.filter(({ is, name }) => is === 'taken' && name !== 'input').map(({ name }) => name);
  const may = await expected(driven);
  const turns = may.find((each) => JSON.stringify(each.map(({ id }) => id)) === JSON.stringify(taken));
  if (turns === undefined) {
    wrong.push(`taken ${taken}, and not ${may.map((each) => each.map(({ id }) => id).join(' ')).join(' or ')}`);
    return;
  }
  const { told, paid } = plain(turns, one.kind.isThread ? undefined : 0);
  for (const [nth, { id, log }] of told.entries()) {
    if (one.kind.isThread && nth < told.length - 1) continue;
    const said = await one.kind.told(client, bank, id);
    if (JSON.stringify(said) !== JSON.stringify(log)) wrong.push(`${id} said ${said}, and not ${log}`);
  }
  if (JSON.stringify([...bank.standing].sort()) !== JSON.stringify([...paid].sort()))
    wrong.push(`paid ${bank.standing}, and not ${paid}`);
}

/** The processes of one run, one after the other. */
class Processes {
  deaths = 0;
  readonly #rows = memoryStore();
  readonly #agent: ProgramAgent;
  readonly #folder: string;
  #life: { readonly isDead: boolean } | null = null;
  #stop: () => Promise<void> = async () => {};

  constructor(agent: ProgramAgent, folder: string) {
    [this.#agent, this.#folder] = [agent, folder];
  }

  get store() {
    return this.#rows;
  }

  /** Starts a process, unless there is one. @param dies the append after which it dies; null for never. */
  async start(dies: number | null): Promise<void> {
    if (this.#life?.isDead === false) return;
    await this.stop();
    const { store, life, next } = await mortal(this.#rows, dies ?? Number.MAX_SAFE_INTEGER);
    const folderOf = () => this.#folder;
    const worker = startWorker({ store, agents: [this.#agent], folderOf, pollMs: 2, claims: null });
    this.#life = life;
    this.#stop = async () => {
      const stopped = worker.stop();
      if (!life.isDead) return stopped;
      this.deaths += 1;
      void stopped.catch(() => {});
      await next();
    };
  }

  async stop(): Promise<void> {
    const stop = this.#stop;
    [this.#life, this.#stop] = [null, async () => {}];
    await stop();
  }

  get entries(): readonly Entry[] {
    return [...entriesOf(this.#rows.read(RUN), new EntryDecoder())].map(({ entry }) => entry);
  }

  /** True where the last decision of the run asks a person. */
  get isParked(): boolean {
    const decided = this.entries.findLast((entry) => entry.do === 'decision');
    return decided?.do === 'decision' && decided.decision.verdict === 'escalate';
  }

  /** The work that a call belongs to; undefined where its journal has lost the call. */
  workOf(key: string): InstanceId | undefined {
    const intent = this.entries.find((entry) => entry.do === 'intent' && entry.key === key);
    return intent?.do === 'intent' ? intent.instance : undefined;
  }
}

/** Plays a run, and judges it. @param folder where its config is. */
export async function played(one: Crossed, folder: string): Promise<Ending> {
  const { bank, agent } = one.kind.make(one.pay);
  const processes = new Processes({ ...agent, said: one.said }, folder);
  const client = workClient(processes.store);
  const [wrong, log]: [string[], string[]] = [[], []];
  const driven: Driven = { client, one, bank, left: [], log, processes };
  await client.start({ run: RUN, agent: one.kind.name, ...(one.kind.isThread ? {} : { input: '' }) });
  for (const { move, turns } of one.moves) {
    await moves(driven, move);
    log.push(`${JSON.stringify(move)} then ${turns}`);
    if (turns === null) await settles(driven, 300);
    else if (turns > 0) await calm(turns);
  }
  // A process that is still to die is no end.
  await processes.stop();
  await processes.start(null);
  await moves(driven, { do: 'unpause' });
  const isSettled = await settles(driven);
  const isCancelled = (await client.result(RUN)).is === 'cancelled';
  const { isParked } = processes;
  if (isParked && one.pay === 'reversible') wrong.push('parked, though all can be undone');
  if (isSettled && !isCancelled && !isParked) await judged(driven, wrong);
  const messages = await client.messages(RUN);
  log.push(...messages.map((message) => JSON.stringify(message)), JSON.stringify(await client.result(RUN)));
  await processes.stop();
  const refused = messages.flatMap(({ is, why }) => (is === 'refused' ? [reasonOf(why)] : []));
  return { wrong, log, isHung: !isSettled, isCancelled, isParked, refused, deaths: processes.deaths };
}

/** The code of a refusal, or what it says of any work. */
function reasonOf(why: string | null): string {
  const text = String(why).split(':')[0] as string;
  return / /.test(text)
    ? text
    : String(why)
        .replaceAll(/\S+::\S+|\d+/g, 'N')
        .slice(0, 60);
}
