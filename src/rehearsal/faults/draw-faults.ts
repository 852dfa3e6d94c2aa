/** The faults of a path: everything that can go wrong in the run that its reference made. */
import type { BoundaryConfig, Tool } from '../../boundaries/config.ts';
import { instanceName } from '../../model/instance.ts';
import type { Course } from '../trial/course.ts';
import type { Certified, Hearing, ObservedCall, ObservedTimer } from '../trial/observation.ts';
import {
  CALL_FAULTS,
  type CallFaultKind,
  type CallSite,
  RECONCILERS,
  type ReconcilerKind,
  type RehearsedFault,
  type WrongFault,
} from './fault.ts';
import type { Reference } from './reference.ts';
import { steerFaults } from './steers.ts';
import { refusedValue } from './wrong-value.ts';

/** The faults that are possible besides those that the journal shows. */
export interface Drawing {
  readonly config: BoundaryConfig;
  /** The reconcilers that the agent brings. */
  readonly reconcilers: ReadonlySet<string>;
  /** True where processes are really killed. */
  readonly areRealKills: boolean;
  /** True where a wrong answer of a tool can be made. */
  canBeWrong(site: CallSite, output: unknown): boolean;
}

/** Every fault of a path, in the order of its calls. Kills stand last. */
export function faultsOf(reference: Reference, drawing: Drawing): readonly RehearsedFault[] {
  const { path, course } = reference;
  const sites = course.seen.calls.map(({ tool, nth }) => ({ tool, nth }));
  return [
    ...sites.flatMap((site) => callFaults(site, drawing)),
    ...wrongFaults(course, drawing),
    ...course.approvals.flatMap((site): RehearsedFault[] => [
      { kind: 'approval', ...site, answer: 'denied' },
      { kind: 'approval', ...site, answer: 'expired' },
    ]),
    ...path.events.flatMap(({ send: { type } }, index): RehearsedFault[] =>
      (['late', 'doubled', 'missing'] as const).map((how) => ({ kind: 'event', index, type, how })),
    ),
    ...steerFaults(reference),
    ...timerFaults(course, drawing.config),
    ...sites.map((site): RehearsedFault => ({ kind: 'restart', ...site })),
    ...Array.from({ length: Math.max(0, course.appends - 1) }, (_, index): RehearsedFault => {
      return { kind: 'kill', append: index + 1, isReal: drawing.areRealKills };
    }),
  ];
}

/**
 * The faults of timers: each delay that rang with each way it can go wrong, and each delay with each reply that it may
 * meet.
 */
function timerFaults({ seen: { timers, calls } }: Course, config: BoundaryConfig): RehearsedFault[] {
  return timers.flatMap((timer): RehearsedFault[] => {
    const base = { kind: 'timer', timer: timer.name, nth: timer.nth } as const;
    const alone = timer.rang ? (['late', 'lost', 'never'] as const) : [];
    const met = calls.filter((call) => canMeet(call, timer, config.tools.get(call.tool)));
    return [
      ...alone.map((how): RehearsedFault => ({ ...base, how, call: null })),
      ...met.flatMap(({ tool, nth }) =>
        (['timer-first', 'reply-first'] as const).map((how): RehearsedFault => ({ ...base, how, call: { tool, nth } })),
      ),
    ];
  });
}

/** True where a call was under way while a delay was armed, and may still be when the delay is over. */
function canMeet({ time, left, back }: ObservedCall, timer: ObservedTimer, tool: Tool | undefined): boolean {
  const { armed, due, gone } = timer;
  const isTogether = (back === null || back > armed) && (gone === null || left < gone);
  return isTogether && (tool?.timeout == null || time + tool.timeout > due);
}

function callFaults(site: CallSite, { config, reconcilers }: Drawing): RehearsedFault[] {
  const tool = config.tools.get(site.tool);
  const asks = asked(tool, reconcilers);
  return CALL_FAULTS.filter((how) => isPossible(how, tool)).flatMap((how) =>
    asks.map((reconciler): RehearsedFault => ({ kind: 'call', ...site, how, reconciler })),
  );
}

/**
 * The kinds of reconcilers to rehearse for a tool: one entry without a reconciler, as a call that did not happen need
 * not be asked about.
 */
function asked(tool: Tool | undefined, known: ReadonlySet<string>): readonly (ReconcilerKind | null)[] {
  if (tool?.effect === 'none') return [null];
  const name = tool?.reconcile ?? null;
  return name !== null && known.has(name) ? RECONCILERS : [null];
}

function isPossible(how: CallFaultKind, tool: Tool | undefined): boolean {
  if (how === 'late') return tool?.effect !== 'none';
  return how !== 'refused' || (tool !== undefined && refusedValue((output) => tool.refuses(output)) !== null);
}

/** Each certified boundary × each answer that it rests on × each moment at which the answer can be found wrong. */
function wrongFaults(course: Course, drawing: Drawing): RehearsedFault[] {
  const { certified, hearings, moments } = course.seen;
  return certified.flatMap((boundary) => {
    if (boundary.kind === 'outcome' || boundary.moment >= moments) return [];
    return hearings
      .filter((hearing) => restsOn(boundary, hearing, certified))
      .filter(({ call }) => drawing.canBeWrong(call, call.answer?.output))
      .flatMap((hearing) => complaints(boundary, hearing, course, drawing.config));
  });
}

/** True where a boundary is the first of its instance after the answer was heard. */
function restsOn(boundary: Certified, { instance, keys, order }: Hearing, certified: readonly Certified[]): boolean {
  const own = instanceName(boundary.instance);
  if (instanceName(instance) !== own || keys.length === 0 || order > boundary.order) return false;
  return !certified.some(
    (other) => instanceName(other.instance) === own && other.order > order && other.order < boundary.order,
  );
}

function complaints(
  boundary: Certified,
  { call, keys }: Hearing,
  { seen }: Course,
  config: BoundaryConfig,
): WrongFault[] {
  const { instance } = boundary;
  const base = { kind: 'wrong', tool: call.tool, nth: call.nth, instance, boundary: boundary.boundary } as const;
  const soon = boundary.moment + 1;
  const last = seen.moments;
  const lasting = seen.calls.find(({ tool, moment }) => moment > soon && isLasting(config.tools.get(tool)));
  const inTime = (lasting?.moment ?? 0) - 1;
  const moments = [
    { found: 'soon', after: soon - call.moment } as const,
    ...(inTime > soon && inTime < last ? [{ found: 'in-time', after: inTime - call.moment } as const] : []),
    ...(last > soon ? [{ found: 'last', after: last - call.moment } as const] : []),
  ];
  const named = moments.map((moment): WrongFault => ({ ...base, ...moment, key: keys[0] ?? null }));
  // A checkpoint holds earlier writes: if an instance may go back to a checkpoint, the complaint has to name the wrong
  // key.
  const own = instanceName(instance);
  const isKept = seen.certified.some(
    ({ instance: other, kind, order }) => instanceName(other) === own && kind !== 'exit' && order >= boundary.order,
  );
  return isKept ? named : [...named, ...moments.map((moment): WrongFault => ({ ...base, ...moment, key: null }))];
}

/** True for a tool whose calls cannot be taken back. */
function isLasting(tool: Tool | undefined): boolean {
  return tool === undefined || tool.effect === 'irreversible';
}
