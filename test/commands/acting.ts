/** What each command is when it is given: to whom it speaks, what it bans and takes back, and whether what it says is so already. */

import type { PreviewedComplaint } from '../../src/index.ts';
import { type InstanceId, instanceName, ROOT } from '../../src/model/instance.ts';
import { questionOf } from '../../src/projection/open-decisions.ts';
import type { RunState } from '../../src/projection/run-state.ts';
import type { Sidecar } from '../../src/xstate/index.ts';
import { valueAt } from './building.ts';
import type { Command } from './commands.ts';
import { type Driver, Harm } from './driver.ts';

/** What a person has complained about: the value that a site had given, which must not be there in the end. */
interface Banned {
  readonly site: string;
  readonly value: unknown;
  /** The question that the complaint leads to, if it leads to one. */
  readonly question: string;
}

/** A command, ready to be given. */
interface Act {
  /** The complaint that it makes, where it is one: what `preview` is asked about. */
  readonly complains?: PreviewedComplaint;
  /** Gives it. What it returns is an answer where it is a text: why it is refused. */
  give(sidecar: Sidecar): Promise<unknown>;
  /** Called before it is given, at the same moment. */
  before?(): void;
  /** Called once it is known whether it was taken; where its sidecar was closed meanwhile, only the journal knows. */
  after?(isTaken: boolean, isUnsure: boolean): void;
  /** True where what it says is so already: then it need not change anything. */
  isSo?(): boolean;
}

/** The commands of one run, and what a judge has to know of them. */
export class Acting {
  readonly banned: Banned[] = [];
  /** The sites whose acts a person has taken back by hand. */
  readonly takenBack = new Set<string>();
  /** Units of which a complaint did not say which occurrence it means. */
  readonly unclear: { readonly skeleton: string; readonly entity: string }[] = [];
  readonly #driver: Driver;

  constructor(driver: Driver) {
    this.#driver = driver;
  }

  /** A command, ready to be given; null where there is nothing that it could be about. */
  of(command: Command): Act | null {
    switch (command.do) {
      case 'fail':
        return this.#fail(command);
      case 'misname':
        return this.#misname(command);
      case 'settle':
        return this.#settle(command);
      case 'undo':
        return this.#undo(command);
      case 'answer':
        return this.#answer(command);
      case 'reconcile':
        return {
          give: (sidecar) => sidecar.reconcile(),
          isSo: () => this.#driver.fold().ledger.open().length === 0 && this.#driver.sidecar.status !== 'parked',
        };
      case 'rerun':
        return { give: (sidecar) => sidecar.rerun() };
      default:
        return null;
    }
  }

  /** Every instance that was there, and the keys that it has written as the history has it now. */
  #instances(fold: RunState): { readonly id: InstanceId; readonly wrote: readonly string[] }[] {
    const live = [...fold.history.registry.all()].map(({ id }) => id);
    const members = new Set([...fold.records.values()].flatMap((record) => [...record.members]));
    const unused = [...fold.occurrences.parts.keys()].flatMap((of) =>
      fold.occurrences.unused(...(JSON.parse(of) as [skeleton: string, entity: string])),
    );
    const aside = unused.filter((id) => members.has(instanceName(id)));
    const all = new Map([...live, ...aside].map((id) => [instanceName(id), id]));
    return [...all.values()]
      .filter(({ skeleton }) => skeleton !== ROOT && skeleton !== '')
      .map((id) => {
        const record = fold.history.registry.get(id);
        const writes = record === undefined ? [] : fold.history.versions.writesOf(record);
        return { id, wrote: [...new Set(writes.map(({ key }) => key.text))] };
      });
  }

  #fail({ who, key: nth, plain, instead }: Extract<Command, { do: 'fail' }>): Act | null {
    const all = this.#instances(this.#driver.fold());
    const meant = all[who % Math.max(1, all.length)];
    if (meant === undefined) return null;
    const key = nth === null ? undefined : meant.wrote[nth % Math.max(1, meant.wrote.length)];
    const { skeleton, entity, ordinal } = meant.id;
    return this.complaint(plain ? { skeleton, entity } : { skeleton, entity, ordinal }, key, instead);
  }

  /** A complaint about an instance, or one of its keys. */
  complaint(
    instance: Omit<InstanceId, 'ordinal'> & { ordinal?: number },
    key: string | undefined,
    instead: boolean,
  ): Act {
    const driver = this.#driver;
    const fold = driver.fold();
    const all = this.#instances(fold).filter(
      ({ id }) =>
        id.skeleton === instance.skeleton &&
        id.entity === instance.entity &&
        (instance.ordinal ?? id.ordinal) === id.ordinal,
    );
    const keys = key === undefined ? all.flatMap(({ wrote }) => wrote) : [key];
    const banned: Banned[] = [];
    const failed = all.length === 1 ? (all[0]?.id ?? null) : null;
    const found = { instance, ...(key !== undefined && { key }), ...(instead && { instead }) };
    return {
      complains: { signal: 'CONTRACT_VIOLATION', ...found },
      before: () => {
        for (const [site, path] of Object.entries(driver.lab.sites)) {
          const value = valueAt(driver.context, path);
          if (value === undefined || !keys.some((one) => path === one || path.startsWith(`${one}/`))) continue;
          if (failed !== null)
            banned.push({ site, value, question: questionOf({ failed, key: key ?? null, call: null }) });
          driver.world.correct(site);
        }
      },
      give: (sidecar) => sidecar.fail('CONTRACT_VIOLATION', found),
      after: (isTaken, isUnsure) => {
        if (instead && (isTaken || isUnsure)) this.#withdraw(fold);
        if (!isTaken) return;
        this.banned.push(...banned);
        if (all.length > 1) this.unclear.push(instance);
      },
      isSo: () => keys.length === 0 || all.every(({ id }) => fold.history.registry.get(id) === undefined),
    };
  }

  #withdraw(fold: RunState): void {
    for (const { question } of [...this.banned])
      if (fold.open.has(question))
        this.banned.splice(
          this.banned.findIndex((one) => one.question === question),
          1,
        );
  }

  #misname({ what }: Extract<Command, { do: 'misname' }>): Act | null {
    const [first] = this.#instances(this.#driver.fold());
    const id = first?.id ?? { skeleton: 'LOOK', entity: 'it', ordinal: 0 };
    const wrong = {
      skeleton: { instance: { ...id, skeleton: 'LOKO' } },
      entity: { instance: { ...id, entity: 'another' } },
      ordinal: { instance: { ...id, ordinal: 77 } },
      key: { instance: id, key: 'nothing/of/the/kind' },
      signal: { instance: id },
    }[what];
    if (what === 'key' && first !== undefined && this.#driver.fold().history.registry.get(id) === undefined)
      return null;
    const signal = what === 'signal' ? 'OUCH' : 'CONTRACT_VIOLATION';
    return {
      give: (sidecar) =>
        sidecar.fail(signal as 'CONTRACT_VIOLATION', wrong).then(() => {
          throw new Harm(`fail() takes a wrong ${what}`);
        }),
    };
  }

  #settle({ which, as }: Extract<Command, { do: 'settle' }>): Act | null {
    const { world } = this.#driver;
    const { ledger } = this.#driver.fold();
    const calls = [...ledger.all()];
    const call = calls[which % Math.max(1, calls.length)];
    if (as === 'no such key') return { give: (sidecar) => sidecar.settle('no such key', 'failed') };
    if (call === undefined) return null;
    const { key, status } = call;
    const isKnown = !['intended', 'unknown'].includes(status);
    const isAsked = world.knows && call.intent.tool !== 'note' && call.intent.tool !== 'ask';
    const isAgainst = as === 'against' && (isKnown || isAsked);
    const truth = world.truth(key);
    const applied = isKnown && isAgainst ? status !== 'confirmed' : (truth.is === 'applied') !== isAgainst;
    const output = truth.is === 'applied' ? truth.output : 'made up';
    return {
      give: (sidecar) =>
        (applied ? sidecar.settle(key, 'confirmed', output) : sidecar.settle(key, 'failed')).then((value) => {
          if (isAgainst && this.#contradicted(key, applied))
            throw new Harm(`settle takes ${applied ? 'confirmed' : 'failed'} for ${key}, and that is not so`);
          return value;
        }),
      isSo: () => status === (applied ? 'confirmed' : 'failed'),
    };
  }

  /** Whether the world has it otherwise than a person has said. */
  #contradicted(key: string, applied: boolean): boolean {
    return (this.#driver.world.standing(key) !== undefined) !== applied;
  }

  #undo({ which }: Extract<Command, { do: 'undo' }>): Act | null {
    const { world } = this.#driver;
    const standing = world.acts.filter(({ stands }) => stands);
    const act = standing[which % Math.max(1, standing.length)];
    if (act === undefined) return null;
    return {
      before: () => {
        act.stands = false;
      },
      give: (sidecar) => sidecar.settle(act.key, 'compensated'),
      after: (isTaken, isUnsure) => {
        if (isTaken || isUnsure) this.takenBack.add(act.site);
        else act.stands = true;
      },
      isSo: () => this.#driver.fold().ledger.get(act.key)?.status === 'compensated',
    };
  }

  #answer({ which, verdict, by }: Extract<Command, { do: 'answer' }>): Act {
    const { gates } = this.#driver;
    const gate =
      which === 3 ? 'no such gate' : (gates[gates.length - 1 - (which % Math.max(1, gates.length))] ?? 'none yet');
    return { give: (sidecar) => sidecar.answer(gate, verdict, { by }) };
  }
}
