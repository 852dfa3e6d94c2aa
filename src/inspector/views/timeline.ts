/** The timeline of a run: its steps, calls, boundaries, failures, restores and answers of people, in a lane for each region and child machine. */

import type { StoredRow } from '../../journal/journal.ts';
import { alternativesAsked } from '../../model/choice-entries.ts';
import type { CommittedEntry } from '../../model/commit-entries.ts';
import type { Entry } from '../../model/entry.ts';
import { instanceName } from '../../model/instance.ts';
import type { ComplaintEntry } from '../../model/message-entries.ts';
import { type Region, regionName, split } from '../../model/region.ts';
import type { StepEntry } from '../../model/step-entry.ts';
import type { RunState } from '../../projection/run-state.ts';
import { quoted } from '../../recovery/explain.ts';
import { stateText } from '../../reports/timeline.ts';
import type { WireMark, WireMarkKind, WireTimeline } from '../course-data.ts';
import { actorName, eventName } from './words.ts';

const KINDS: readonly WireMarkKind[] = ['step', 'call', 'boundary', 'failure', 'restore', 'person', 'finding'];
/** Lanes of their own; what happens elsewhere shares the last. */
const MOST_LANES = 40;
const MOST_MARKS = 60_000;

/** Collects the course of a run, entry by entry. */
export class Course {
  readonly #lanes = new Map<string, number>();
  readonly #texts = new Map<string, number>();
  readonly #marks: WireMark[] = [];
  /** The regions in which calls were made, and their tools, by their keys. */
  readonly #calls = new Map<string, { readonly region: Region; readonly tool: string }>();
  #seq = 0;
  #time = 0;
  #actors: RunState['actors'] = [];

  /** Takes an entry. @param actors those of the run behind it. */
  take(entry: Entry, { seq, time }: Pick<StoredRow, 'seq' | 'time'>, { actors }: Pick<RunState, 'actors'>): void {
    this.#seq = seq;
    this.#time = time;
    this.#actors = actors;
    switch (entry.do) {
      case 'step':
        this.#step(entry);
        return;
      case 'intent':
        this.#calls.set(entry.key, { region: this.#regionOf(entry.actor), tool: entry.tool });
        this.#mark('call', this.#regionOf(entry.actor), `calls ${quoted(entry.tool)} (${entry.class})`);
        return;
      case 'outcome':
        this.#ofCall(entry.key, 'call', (tool) => `${tool} is ${entry.status}`);
        return;
      case 'gate':
        this.#asks(entry);
        return;
      case 'answer':
        this.#mark(
          'person',
          TOP,
          `answer: ${entry.verdict}${entry.by === null ? '' : ` by ${JSON.stringify(entry.by)} (not verified)`}`,
        );
        return;
      case 'decision':
        this.#mark(
          'failure',
          this.#regionOf(entry.call ?? entry.actor),
          `${entry.signal}: ${entry.error}; decided: ${entry.decision.verdict}`,
        );
        return;
      case 'restored':
        this.#mark('restore', TOP, `restored: ${entry.kept.length} instances go back`);
        return;
      case 'phase':
        this.#mark('restore', TOP, `recovery: ${entry.phase}${entry.error === undefined ? '' : ` (${entry.error})`}`);
        return;
      case 'publish':
        this.#mark('boundary', TOP, `commit of ${instanceName(entry.instance)} is made visible`);
        return;
      case 'committed':
        this.#says(entry);
        return;
      case 'finding':
        this.#mark('finding', TOP, `${entry.code}: ${entry.text}`);
        return;
      case 'message':
        this.#mark('person', TOP, `${entry.event} arrives as a message${byText(entry)}`);
        return;
      case 'complaint':
        this.#mark('person', TOP, `found wrong: ${complaintText(entry)}${byText(entry)}`);
        return;
      case 'cancel':
        this.#mark('person', TOP, `the run is to end${byText(entry)}`);
        return;
      case 'end':
        this.#mark('step', TOP, `the run is ${entry.status}`);
        return;
      default:
    }
  }

  #asks({ asks, key, review }: Extract<Entry, { do: 'gate' }>): void {
    if (review !== undefined)
      this.#mark(
        'person',
        TOP,
        `a person is asked to review ${quoted(review.boundary)} of ${instanceName(review.instance)}`,
      );
    else if (asks !== 'branch') this.#ofCall(key, 'person', (tool) => `a person is asked: ${asks} of ${tool}`);
    else this.#mark('person', TOP, `a person is asked: which branch of ${quoted(alternativesAsked(key))}`);
  }

  #says({ instance, text }: CommittedEntry): void {
    if (text !== undefined) this.#mark('boundary', TOP, `${instanceName(instance)} says ${quoted(text)}`);
  }

  /** The course so far; of a very long one, its end. */
  view(): WireTimeline {
    const kept = this.#marks.slice(-MOST_MARKS);
    return {
      lanes: [...this.#lanes.keys()],
      marks: kept,
      texts: [...this.#texts.keys()],
      kinds: KINDS,
      cut: this.#marks.length - kept.length,
    };
  }

  #step(entry: StepEntry): void {
    const [party] = entry.parties;
    const region = party?.region ?? regionName(entry.actor, '');
    this.#mark('step', region, `${eventName(entry.event)} leads to ${stateText(entry.value)}`);
    let nth = 0;
    for (const mark of entry.marks) {
      if (mark.do !== 'boundary') continue;
      const id = entry.boundaries[nth] ?? '';
      nth += 1;
      this.#mark(
        'boundary',
        region,
        `${mark.kind}${id === '' ? '' : ` ${quoted(id)}`} of ${instanceName(mark.in)} is certified`,
      );
    }
  }

  #ofCall(key: string, kind: WireMarkKind, text: (tool: string) => string): void {
    const { region, tool } = this.#calls.get(key) ?? { region: TOP, tool: 'a call' };
    this.#mark(kind, region, text(quoted(tool)));
  }

  #mark(kind: WireMarkKind, region: Region, text: string): void {
    const lane = numbered(this.#lanes, this.#laneOf(region));
    this.#marks.push([this.#seq, this.#time, lane, KINDS.indexOf(kind), numbered(this.#texts, text)]);
  }

  #laneOf(region: Region): string {
    const [number, path] = split(region);
    const actor = actorName(this.#actors[number]);
    const name = path === '' ? actor : `${actor}: ${path}`;
    return this.#lanes.has(name) || this.#lanes.size < MOST_LANES - 1 ? name : 'all other lanes';
  }

  /** The region of its parent in which an actor is invoked; of the root, its own. */
  #regionOf(actor: number): Region {
    return this.#actors[actor]?.region ?? regionName(0, '');
  }
}

/** The sender of a message, and the reason why it was refused. */
function byText({ by, refused }: { readonly by: string | null; readonly refused: string | null }): string {
  const who = by === null ? '' : `, by ${JSON.stringify(by)} (not verified)`;
  return refused === null ? who : `${who}; refused: ${refused}`;
}

function complaintText({ instance: { skeleton, entity, ordinal }, key }: ComplaintEntry): string {
  const work =
    ordinal === undefined ? `${skeleton} about ${quoted(entity)}` : instanceName({ skeleton, entity, ordinal });
  return key === null ? work : `${key} of ${work}`;
}

const TOP = regionName(0, '');

function numbered(of: Map<string, number>, text: string): number {
  const known = of.get(text);
  if (known !== undefined) return known;
  of.set(text, of.size);
  return of.size - 1;
}
