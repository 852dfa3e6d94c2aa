/**
 * The telemetry of one run.
 * - T1: a span is open only for a call that has left and has not come back; so no span is open while a run waits.
 * - T2: every span of a run lies in the trace that the run was begun in, in whichever process the span ends.
 * - T3: values leave only if the caller wants them, and redacted.
 */
import type { SpanContext } from '@opentelemetry/api';
import type { Settled } from '../effects/timed.ts';
import type { Entry, TraceContext } from '../model/entry.ts';
import { instanceName } from '../model/instance.ts';
import type { RunState } from '../projection/run-state.ts';
import { type Happening, happeningOf } from '../reports/happening.ts';
import { none } from '../reports/shown-values.ts';
import type { ObservedCall, Observer } from '../sidecar/observing.ts';
import { CallsUnderWay } from './calls-under-way.ts';
import { type Done, Replays, type Spanned } from './replays.ts';
import { type Means, SpanWriter } from './span-writer.ts';

/** The number of spans of a run that are remembered, for news that come later. */
const REMEMBERED = 4_096;

/** A run that is open. */
interface OpenRun {
  readonly state: RunState;
  readonly writer: SpanWriter;
  readonly calls: CallsUnderWay;
  readonly replays: Replays;
}

/** The telemetry of one run. */
export class RunTelemetry implements Observer {
  readonly #means: Means;
  /** The newest spans by what later ones name them by: the keys of calls, actors, questions, the decision. */
  readonly #spans = new Map<string, SpanContext>();
  #open: OpenRun | null = null;

  constructor(means: Means) {
    this.#means = means;
  }

  opens(run: string, agent: string, state: RunState): TraceContext | null {
    this.closes();
    const writer = new SpanWriter(this.#means, run, agent);
    this.#open = { state, writer, calls: new CallsUnderWay(writer, state), replays: new Replays() };
    const is = state.agent === null ? 'begun' : 'resumed';
    return writer.open({ is, agent, values: none }, state.trace);
  }

  appended(entry: Entry): (() => void) | null {
    const open = this.#open;
    if (open === null || (entry.do === 'outcome' && open.calls.journaled(entry))) return null;
    if (entry.do === 'restored') open.replays.restored(entry);
    if (entry.do === 'claimed') open.replays.claimed(instanceName(entry.instance));
    const happening = happeningOf(entry, open.state);
    if (happening === null) return null;
    const done = entry.do === 'step' && happening.is === 'stepped' ? stepOf(entry, happening, open.state) : null;
    if (done === null) return () => this.#remember(happening, open.writer.write(happening, this.#about(happening)));
    const { mine, replaces } = open.replays.take(done);
    return () => {
      mine.context = open.writer.write(happening, spansOf(replaces));
    };
  }

  calls(call: ObservedCall, act: () => void): void {
    if (this.#open === null) return;
    const { replays, calls, state } = this.#open;
    const at = { actor: call.actor, head: state.history.head };
    const { mine, replaces } = replays.take({
      instances: [instanceName(call.instance)],
      name: `call ${call.tool}`,
      at,
    });
    calls.make(call, spansOf(replaces), act, (span) => {
      mine.context = span;
      this.#keep(`actor ${call.actor}`, span);
      if (call.key !== undefined) this.#keep(`call ${call.key}`, span);
    });
  }

  came(actor: number, settled: Settled | null): void {
    if (settled === null) this.#open?.calls.abandon(actor);
    else this.#open?.calls.came(actor, settled);
  }

  closes(): void {
    this.#open?.calls.abandonAll();
    this.#open = null;
  }

  /** The spans that a happening brings news of. */
  #about(happening: Happening): SpanContext[] {
    return namesOf(happening).flatMap((name) => this.#spans.get(name) ?? []);
  }

  #remember(happening: Happening, span: SpanContext): void {
    if (happening.is === 'asked') this.#keep(`question ${happening.key}`, span);
    if (happening.is === 'decided') this.#keep('decision', span);
  }

  #keep(name: string, span: SpanContext): void {
    this.#spans.delete(name);
    this.#spans.set(name, span);
    const [oldest] = this.#spans.keys();
    if (this.#spans.size > REMEMBERED && oldest !== undefined) this.#spans.delete(oldest);
  }
}

/** The names of the spans that a happening is about. */
function namesOf(happening: Happening): string[] {
  switch (happening.is) {
    case 'settled':
    case 'asked':
      return [`call ${happening.key}`];
    case 'answered':
      return [`question ${happening.key}`, `call ${happening.key}`];
    case 'decided':
      return happening.call === null ? [] : [`actor ${happening.call}`];
    case 'restored':
    case 'stuck':
      return ['decision'];
    case 'begun':
    case 'resumed':
    case 'stepped':
    case 'called':
    case 'found':
    case 'ended':
      return [];
  }
}

/** A step as a replay of it is recognised: by its event and the state that it leads to. */
function stepOf(
  { parties }: Extract<Entry, { do: 'step' }>,
  { event, state: value }: Extract<Happening, { is: 'stepped' }>,
  { places }: RunState,
): Done | null {
  const at = places.steps.last;
  const instances = parties.map(({ instance }) => instanceName(instance));
  return at === undefined ? null : { instances, name: JSON.stringify(['step', event, value]), at };
}

function spansOf(replaces: readonly Spanned[]): SpanContext[] {
  return replaces.flatMap(({ context }) => context ?? []);
}
