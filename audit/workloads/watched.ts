/** A run of a task under the sidecar. */
import { type Decision, vetoes } from 'belay-sidecar';
import type { Effect } from 'belay-sidecar/decision';
import type { Sidecar, SidecarOptions } from 'belay-sidecar/xstate';
import { attachJudged, DECISION_POLICY } from '#seam';
import { isDecidable } from './asking.ts';
import { type Found, type Observed, provided, type Setting } from './observed.ts';
import { LONGEST } from './plain.ts';
import type { World } from './set.ts';
import { callName, Wire } from './wire.ts';

/** The number of times that a run is started over on the advice of a decision. */
const RERUNS = 10;

/** A run under the sidecar. */
export class Watched {
  readonly #setting: Setting;
  readonly #world: World;
  readonly #wire: Wire;
  readonly #found: Found[] = [];
  /** The calls by their keys. */
  readonly #calls = new Map<string, { readonly tool: string; readonly args: unknown }>();

  constructor(setting: Setting, world: World) {
    this.#setting = setting;
    this.#world = world;
    this.#wire = new Wire(world, setting.faults, setting.weather);
  }

  async run(policy: 'comp-frozen' | 'belay'): Promise<Observed> {
    const { set, config, task, asks = true, claims } = this.#setting;
    const machine = provided(set, this.#world, async (tool, args, key) => {
      if (key !== undefined) this.#calls.set(key, { tool, args });
      return this.#wire.call(tool, args);
    });
    const options: SidecarOptions = {
      run: task.id,
      config,
      input: task.input(),
      reconcilers: policy === 'belay' && asks ? this.#reconcilers() : {},
      undo: this.#undo(),
      ...(claims !== undefined && { claims }),
      governor: async (call) => {
        const wrong = this.#world.wrong?.(call.tool, call.args) ?? null;
        if (wrong === null) return null;
        this.#found.push({ wrong, by: callName(call.tool, call.args), after: this.#wire.attempts.length });
        await sidecar.fail('CONTRACT_VIOLATION', { instance: wrong.instance, key: wrong.key });
        return null;
      },
    };
    const sidecar = await attachJudged(machine, options, {
      ...DECISION_POLICY,
      policy: policy === 'belay' ? 'line' : 'dart',
    });
    try {
      sidecar.actor.start();
      let ending = await endingOf(sidecar);
      for (let reruns = 0; ending?.status === 'parked' && ending.decision.verdict === 'rerun'; reruns += 1) {
        if (reruns === RERUNS) break;
        await sidecar.rerun();
        ending = await endingOf(sidecar);
      }
      while (ending?.status === 'parked' && this.#asksAgain(ending.decision)) {
        const before = this.#wire.queries;
        await sidecar.reconcile();
        if (this.#wire.queries === before) break;
        ending = await endingOf(sidecar);
      }
      const status = ending?.status === 'done' || ending?.status === 'parked' ? ending.status : 'broken';
      const parked = ending?.status === 'parked' ? this.#parkedOn(ending.decision) : null;
      const context = status === 'done' ? sidecar.actor.getSnapshot().context : null;
      this.#wire.settle();
      return { status, left: [], wire: this.#wire, rows: this.#world.rows(), context, found: this.#found, parked };
    } finally {
      await sidecar.close();
    }
  }

  #reconcilers(): NonNullable<SidecarOptions['reconcilers']> {
    const named = [...this.#setting.config.tools.values()].flatMap(({ reconcile }) => reconcile ?? []);
    return Object.fromEntries(named.map((name) => [name, ({ tool, args }) => this.#wire.ask(tool, args)]));
  }

  #undo(): NonNullable<SidecarOptions['undo']> {
    const named = [...this.#setting.config.tools.values()].flatMap(({ undo }) => undo ?? []);
    return Object.fromEntries(
      named.map((name) => [name, (call) => this.#wire.undo(call.tool, call.args, call.output)]),
    );
  }

  /**
   * True where a call that the run waits for was not asked about as often as the config allows: the sidecar leaves later questions for later,
   * and the run is taken up then.
   */
  #asksAgain(decision: Decision): boolean {
    const { config, asks = true } = this.#setting;
    return this.#openOf(decision).some(({ id, status }) => {
      const call = this.#calls.get(id ?? '');
      const known = config.tools.get(call?.tool ?? '');
      if (!asks || status === 'failed' || call === undefined || !known?.reconcile) return false;
      return this.#wire.silence(call.tool, call.args) < known.asking.tries;
    });
  }

  /** The calls that stand in the way of a decision and whose outcome is not known. */
  #openOf(decision: Decision): readonly Effect[] {
    const acts = 'unblock' in decision ? decision.unblock.acts : [];
    const effects = [
      ...[...vetoes(decision)].flatMap((veto) => ('effect' in veto ? [veto.effect] : [])),
      ...acts.flatMap((act) => (act.act === 'settle_outcome' ? [act.effect] : [])),
    ];
    return [...new Map(effects.filter(isUnsettled).map((effect) => [effect.id, effect] as const)).values()];
  }

  #parkedOn(decision: Decision): NonNullable<Observed['parked']> {
    const acts = 'unblock' in decision ? decision.unblock.acts : [];
    const why = [...new Set([...vetoes(decision)].map(({ code }) => code))].join(', ');
    return {
      verdict: decision.verdict,
      why,
      open: this.#openOf(decision).map((effect) => {
        const named = acts.find((act) => act.act === 'settle_outcome' && act.effect.id === effect.id);
        const ask = named?.act === 'settle_outcome' ? (named.ask?.writes ?? []) : [];
        return { tool: effect.tool ?? '', decidable: this.#isDecidable(effect), ask };
      }),
    };
  }

  /** True if its counterparty, asked now, would tell; or the same call under its key would decide it. */
  #isDecidable({ id, class: kind, status }: Effect): boolean {
    if (status === 'failed') return false;
    if (kind === 'idempotent') return true;
    const call = this.#calls.get(id ?? '');
    const { config, asks = true } = this.#setting;
    return call !== undefined && isDecidable(call, this.#wire, config, asks);
  }
}

/** True if the outcome of a call is unknown; or if the call never happens, however often it is tried. */
function isUnsettled({ status }: Effect): boolean {
  return status === 'intended' || status === 'unknown' || status === 'failed';
}

/** The end of a run; null where it stands still for too long. */
async function endingOf(sidecar: Sidecar): Promise<Awaited<ReturnType<Sidecar['finished']>> | null> {
  let late: NodeJS.Timeout | undefined;
  const waited = new Promise<null>((resolve) => {
    late = setTimeout(() => resolve(null), LONGEST).unref();
  });
  return Promise.race([sidecar.finished().catch(() => null), waited]).finally(() => clearTimeout(late));
}
