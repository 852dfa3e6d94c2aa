/** Words that the views share: the status of a run, an instance, an outline without its tail. */
import { type InstanceId, instanceName, ROOT } from '../../model/instance.ts';
import type { ActorState } from '../../projection/state-types.ts';
import type { Outline } from '../../recovery/explain.ts';
import { compensatedText, leftText } from '../../reports/ended-text.ts';
import type { RunStatus } from '../../reports/run-status.ts';
import type { WireState } from '../page-data.ts';

/** The status of a run, in few words. `held` is true if a living process has it. */
export function stateOf(
  status: RunStatus | { readonly is: 'unread'; readonly code: string },
  held: boolean,
): WireState {
  switch (status.is) {
    case 'unread':
      return { is: 'unread', text: `cannot be read (${status.code})`, needs: true };
    case 'done': {
      const left = leftText(status);
      return { is: 'done', text: left === null ? 'done' : `done, ${left}`, needs: false };
    }
    case 'cancelled':
      return { is: 'done', text: status.is, needs: false };
    case 'compensated':
      return { is: 'done', text: compensatedText(status), needs: false };
    case 'paused':
      return { is: 'waiting', text: `paused by ${status.by}`, needs: true };
    case 'parked':
      return { is: 'parked', text: `parked (${status.verdict})`, needs: true };
    case 'stuck':
      return { is: 'stuck', text: 'stuck', needs: true };
    case 'recovering':
      return { is: 'recovering', text: held ? 'recovering' : 'recovery unfinished', needs: !held };
    case 'waiting':
      return { is: 'waiting', text: `${held ? 'running' : 'at rest'}, waits for approval`, needs: true };
    case 'open':
      return { is: 'open', text: held ? 'running' : 'at rest', needs: false };
  }
}

/** An instance as it is shown; null for the root of a region. */
export function shownInstance(id: InstanceId | null): string | null {
  return id === null || id.skeleton === ROOT ? null : instanceName(id);
}

/** An actor as it is shown. */
export function actorName(actor: Pick<ActorState, 'number' | 'started'> | undefined): string {
  if (actor === undefined) return 'an actor that is not recorded';
  if (actor.number === 0) return 'machine';
  return `${actor.started?.id ?? actor.started?.src ?? 'actor'} (${actor.number})`;
}

/** The nodes of an outline that carry a label, below its head: the codes of reasons with their sentences, each once. */
export function labelled(outline: Outline): Outline[] {
  const found = new Map<string, Outline>();
  const visit = (node: Outline) => {
    if (node.label !== undefined) found.set(`${node.label} ${node.text}`, { label: node.label, text: node.text });
    for (const child of node.under ?? []) visit(child);
  };
  for (const child of outline.under ?? []) visit(child);
  return [...found.values()];
}

/** The type of an event, in the words that the runtime's own events stand for. */
export function eventName(event: unknown): string {
  const { type } = (event ?? {}) as { type?: unknown };
  if (typeof type !== 'string') return 'an event without a type';
  if (type === '') return 'always';
  const [, what, rest = ''] =
    /^xstate\.(init|done\.actor|error\.actor|done\.state|after|stop)\.?(.*)$/s.exec(type) ?? [];
  if (what === undefined) return type;
  return what === 'init' ? 'start' : `${what.split('.')[0]} ${rest.replace(/^\d+\./, '')}`.trimEnd();
}
