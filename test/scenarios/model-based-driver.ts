/** Drives the workshop through a real sidecar, one command after the other, each to where nothing more happens by itself. */
import type { BoundaryConfig } from '../../src/boundaries/config.ts';
import type { Signal } from '../../src/model/failure.ts';
import { type InstanceId, ROOT } from '../../src/model/instance.ts';
import { readRun } from '../../src/sidecar/opening/read-run.ts';
import type { Report } from '../../src/sidecar/report.ts';
import { attach, resume, type Sidecar } from '../../src/xstate/attach.ts';
import { Disk, digest } from './model-based-disk.ts';
import { type RegionName, workshop, workshopConfig } from './model-based-workshop.ts';
import { type ActName, type Fault, Workworld } from './model-based-world.ts';

/** Something that a test can tell the workshop. */
export type Told =
  | { readonly do: 'begin'; readonly region: RegionName; readonly entity: string }
  | { readonly do: 'write' | 'read'; readonly region: RegionName; readonly key: string }
  | { readonly do: 'call'; readonly region: RegionName; readonly act: ActName; readonly fault: Fault }
  | { readonly do: 'commit' | 'exit' | 'break'; readonly region: RegionName }
  /** Something of some instance's is found wrong: the how manieth instance, and how manieth of its writes, if one is named. */
  | { readonly do: 'found'; readonly who: number; readonly what: number | null };

/** A workshop under the sidecar, on a disk, in a world. */
export class Shop {
  readonly world = new Workworld();
  readonly disk = new Disk();
  readonly reports: Report[] = [];
  config: BoundaryConfig;
  sidecar: Sidecar | null = null;
  #tag = 0;
  #now = 1_000_000;

  constructor(config = workshopConfig()) {
    this.config = config;
    this.world.durable = () => this.disk.rows;
    this.disk.now = () => this.#now;
  }

  async open(): Promise<void> {
    const options = {
      run: 'r',
      config: this.config,
      journal: this.disk.boot(),
      reconcilers: { ask: this.world.ask },
      undo: { take_back: this.world.takeBack },
      onDecision: (report: Report) => void this.reports.push(report),
      now: () => this.#now,
    };
    const machine = workshop(this.world);
    this.sidecar = this.disk.rows.length === 0 ? await attach(machine, options) : await resume(machine, options);
    this.sidecar.actor.start();
    await this.quiet();
  }

  /** Waits until nothing more happens by itself. */
  async quiet(): Promise<void> {
    let calm = 0;
    for (let round = 0; round < 5_000 && calm < 6; round += 1) {
      const before = this.disk.appends;
      await new Promise((resolve) => setImmediate(resolve));
      const isBusy = this.world.busyNow > 0 || (this.sidecar?.status === 'recovering' && !this.disk.crashed);
      if (isBusy) await new Promise((resolve) => setTimeout(resolve, 1));
      calm = isBusy || before !== this.disk.appends ? 0 : calm + 1;
    }
    if (calm < 6) throw new Error('the workshop never came to rest');
    if (!this.disk.crashed) await this.sidecar?.durable();
  }

  async tell(told: Told): Promise<void> {
    switch (told.do) {
      case 'begin':
        this.#send(`begin.${told.region}`, { entity: told.entity });
        break;
      case 'write':
      case 'read':
        this.#send(`${told.do}.${told.region}`, { key: told.key });
        break;
      case 'call': {
        this.world.faults.set(String(this.#tag + 1), told.fault);
        this.#send(`${told.act}.${told.region}`, { key: 'none' });
        break;
      }
      case 'break':
        this.world.tripNext();
        this.#send(`break.${told.region}`);
        break;
      case 'commit':
        this.#send(`commit.${told.region}`);
        await this.quiet();
        this.#send(`go.${told.region}`);
        break;
      case 'exit':
        this.#send(`exit.${told.region}`);
        break;
      case 'found':
        await this.found(told.who, told.what);
        break;
    }
    await this.quiet();
  }

  #send(type: string, more: object = {}): void {
    this.#tag += 1;
    this.sidecar?.actor.send({ type, tag: String(this.#tag), ...more });
  }

  /** The instances that there are, and what each has written. */
  instances(): { id: InstanceId; wrote: string[] }[] {
    const { history } = readRun(this.disk.rows).runState;
    return [...history.registry.all()]
      .filter(({ id }) => id.skeleton !== ROOT)
      .map((record) => ({
        id: record.id,
        wrote: [...new Set(history.versions.writesOf(record).map(({ key }) => key.text))],
      }));
  }

  async found(who: number, what: number | null): Promise<void> {
    const all = this.instances();
    const instance = all[who % Math.max(1, all.length)];
    if (instance === undefined) return;
    const key = what === null ? undefined : instance.wrote[what % Math.max(1, instance.wrote.length)];
    await this.fail('CONTRACT_VIOLATION', { instance: instance.id, ...(key !== undefined && { key }) });
  }

  /** A dead process answers nobody. */
  async fail(signal: Signal, suspect: Parameters<Sidecar['fail']>[1]): Promise<void> {
    let answered = false;
    const failing = this.sidecar?.fail(signal, suspect).finally(() => {
      answered = true;
    });
    while (!answered && !this.disk.crashed) await new Promise((resolve) => setImmediate(resolve));
    if (answered) await failing;
    await this.quiet();
  }

  /** The process ends without a word, and another one takes the run up. */
  async crash(): Promise<void> {
    this.disk.crash();
    this.sidecar = null;
    await this.quiet();
    await this.open();
  }

  async restart(): Promise<void> {
    await this.sidecar?.close();
    await this.open();
  }

  jump(milliseconds: number): void {
    this.#now = Math.max(1, this.#now + milliseconds);
  }

  /** Does what the decision that the run is parked on asks for; what no act of a person's unblocks is started over. */
  async unblock(): Promise<void> {
    const decision = this.reports.at(-1)?.decision;
    if (this.sidecar?.status !== 'parked' || decision === undefined || !('unblock' in decision)) return;
    for (const act of decision.unblock.acts) {
      if (act.act !== 'settle_outcome' && act.act !== 'undo_by_hand') continue;
      const key = act.effect.id as string;
      if (act.act === 'undo_by_hand') {
        this.world.takenBack.push(key);
        await this.sidecar.settle(key, 'compensated');
      } else {
        const { status, output } = this.world.truth(key);
        await this.sidecar.settle(key, status, output);
      }
      await this.quiet();
    }
    if (this.reports.at(-1)?.decision.verdict === 'rerun' && this.sidecar.status === 'parked')
      await this.sidecar.rerun();
    await this.quiet();
  }

  get digest(): unknown {
    return digest(this.disk.rows);
  }
}
