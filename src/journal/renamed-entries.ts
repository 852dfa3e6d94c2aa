/**
 * Reads the entries of a run in the names of another release (semantics.md CO5): nothing of what happened is another,
 * only what it is called. An entry of a kind that says more than this file knows is refused, and so is a name that
 * would be that of two things.
 */
import { CodedError } from '../model/coded-error.ts';
import type { Digests, Entry } from '../model/entry.ts';
import type { HistoryEvent } from '../model/event.ts';
import type { InstanceId } from '../model/instance.ts';
import type { Key } from '../model/key.ts';
import type { HeldEntry } from '../model/message-entries.ts';
import type { RedactionRules } from '../model/redaction.ts';
import { type Region, regionName, split } from '../model/region.ts';
import { nameNow, pathNow, type Renames } from '../model/renames.ts';
import { INIT } from '../model/reply-event.ts';
import type { Edit, HistoryValue, Party, Started, StateValue, StepEntry } from '../model/step-entry.ts';

/** Thrown where a past has no reading in other names. */
export class RenameError extends CodedError<'not_renamed'> {
  override readonly name = 'RenameError';

  constructor(why: string) {
    super('not_renamed', why);
  }
}

/** The kinds of entries that name no state, key, tool or skeleton. */
const PLAIN: ReadonlySet<Entry['do']> = new Set([
  'overtaken',
  'given_back',
  'returned',
  'outcome',
  'voided',
  'leave',
  'demoted',
  'asked',
  'gate',
  'answer',
  'spend',
  'message',
  'pause',
  'settled',
]);

/** The types of events that xstate sends by itself: a prefix, then the name of a state or of a child. */
const OF_STATE = /^xstate\.(?:after\..+?|done\.state)\./;
const OF_CHILD = /^xstate\.(?:done|error|snapshot)\.(?:actor\.)?/;

function unread(entry: Entry): RenameError {
  return new RenameError(`its past has an entry "${entry.do}", which a map does not read in other names`);
}

/** Reads the entries of one run in other names. */
export class RenamedEntries {
  readonly #renames: Renames;
  #agent = '';
  /** The name of then of each name of now, of each sort. */
  readonly #then = new Map<string, string>();

  constructor(renames: Renames) {
    this.#renames = renames;
  }

  /** @throws RenameError where an entry has no reading in these names. */
  entry(entry: Entry): Entry {
    if (PLAIN.has(entry.do)) return entry;
    switch (entry.do) {
      case 'begin':
        this.#agent = entry.agent;
        return this.#underRules({ ...entry, digests: this.#digests(entry.digests) });
      case 'config':
      case 'migrated':
        return this.#underRules({ ...entry, digests: this.#digests(entry.digests) });
      case 'step':
        return this.#step(entry);
      case 'intent':
        return { ...entry, tool: this.#tool(entry.tool), instance: this.#instance(entry.instance) };
      case 'timer':
        return {
          ...entry,
          id: this.#type(entry.id),
          region: entry.actor === 0 ? this.#path(entry.region) : entry.region,
          event: this.#event(entry.event),
        };
      case 'finding':
        return entry.instance === null ? entry : { ...entry, instance: this.#instance(entry.instance) };
      case 'held':
        return this.#held(entry);
      case 'publish':
        return { ...entry, instance: this.#instance(entry.instance) };
      default:
        throw unread(entry);
    }
  }

  /** @throws RenameError for an event whose sender was shown keys, or that a unit takes. */
  #held(entry: HeldEntry): HeldEntry {
    if (entry.seen !== undefined || entry.takers.some(([, owner]) => owner !== null)) throw unread(entry);
    return { ...entry, takers: entry.takers.map(([region]) => [this.#region(region as Region), null] as const) };
  }

  #digests(digests: Digests): Digests {
    const { tools } = digests;
    if (tools === undefined) return digests;
    const named = Object.entries(tools).map(([tool, version]) => [this.#tool(tool), version] as const);
    return { ...digests, tools: Object.fromEntries(named) };
  }

  #underRules<T extends { readonly redact?: RedactionRules }>(entry: T): T {
    if (entry.redact === undefined) return entry;
    const { keys, tools } = entry.redact;
    const named = Object.entries(tools).map(([tool, paths]) => [this.#tool(tool), paths] as const);
    return { ...entry, redact: { keys: keys.map((key) => this.#keyText(key)), tools: Object.fromEntries(named) } };
  }

  #step(step: StepEntry): StepEntry {
    const { remembered } = step;
    const isRoot = step.actor === 0;
    if (!isRoot)
      throw new RenameError(
        'a machine that it has invoked took a step, and a map names states and keys of its own machine only',
      );
    return {
      ...step,
      event: this.#event(step.event),
      value: this.#value(step.value),
      remembered: remembered === null ? null : this.#remembered(remembered),
      parties: step.parties.map((party) => this.#party(party)),
      edits: step.edits.map((edit) => this.#edit(edit)),
      started: step.started.map((started) => this.#started(started)),
      marks: step.marks.map((mark) => this.#mark(mark)),
      regions: step.regions.map((region) => this.#region(region)),
      closed: step.closed.map((closed) => ({ ...closed, instance: this.#instance(closed.instance) })),
      ...(step.moves !== undefined && { moves: step.moves.map((path) => this.#path(path)) }),
      ...(step.looks !== undefined && { looks: step.looks.map((path) => this.#path(path)) }),
    };
  }

  /** The name of now; it has to be that of one thing. */
  #once(sort: string, then: string, now: string): string {
    const other = this.#then.get(`${sort} ${now}`);
    if (other !== undefined && other !== then)
      throw new RenameError(
        `${other} and ${then} would both be called ${now}: the map gives one of two ${sort} the name of the other`,
      );
    this.#then.set(`${sort} ${now}`, then);
    return now;
  }

  #tool(name: string): string {
    return this.#once('tools', name, nameNow(this.#renames.tools, name));
  }

  #path(path: string): string {
    return this.#once('states', path, pathNow(this.#renames.states, path));
  }

  #instance(id: InstanceId): InstanceId {
    const skeleton = this.#once('skeletons', id.skeleton, nameNow(this.#renames.skeletons, id.skeleton));
    return skeleton === id.skeleton ? id : { ...id, skeleton };
  }

  #party(party: Party): Party {
    return { instance: this.#instance(party.instance), region: this.#region(party.region) };
  }

  /**
   * A region is the path of its state behind the number of its actor, and only the own machine of the run has a map.
   */
  #region(region: Region): Region {
    const [actor, path] = split(region);
    return actor === 0 ? regionName(actor, this.#path(path)) : region;
  }

  /**
   * The states that history states remember are known by ids, which are made of the names of the machine and its
   * states.
   */
  #remembered(remembered: HistoryValue): HistoryValue {
    const named = Object.entries(remembered).map(
      ([id, states]) => [this.#id(id), states.map((state) => this.#id(state))] as const,
    );
    return Object.fromEntries(named);
  }

  #id(id: string): string {
    const head = `${this.#agent}.`;
    return id.startsWith(head) ? `${head}${this.#path(id.slice(head.length))}` : id;
  }

  #value(value: StateValue, above = ''): StateValue {
    const named = (name: string) => this.#path(above === '' ? name : `${above}.${name}`).slice(this.#length(above));
    if (typeof value === 'string') return value === '' ? value : named(value);
    const inner = Object.entries(value).map(([name, below]) => {
      const path = above === '' ? name : `${above}.${name}`;
      return [named(name), below === undefined ? below : this.#value(below, path)] as const;
    });
    return Object.fromEntries(inner);
  }

  #length(above: string): number {
    return above === '' ? 0 : pathNow(this.#renames.states, above).length + 1;
  }

  /** The name of an event of the machine's own, or of a child of it. */
  #type(type: string): string {
    const [head = ''] = OF_STATE.exec(type) ?? [];
    if (head !== '' && type.startsWith(`${this.#agent}.`, head.length))
      return `${head}${this.#agent}.${this.#path(type.slice(head.length + this.#agent.length + 1))}`;
    const [told = ''] = OF_CHILD.exec(type) ?? [];
    return told === '' ? type : `${told}${this.#child(type.slice(told.length))}`;
  }

  /** The id of a child that a state invokes: its place there, the machine and the state. */
  #child(id: string): string {
    const [head = ''] = /^\d+\./.exec(id) ?? [];
    if (head === '' || !id.startsWith(`${this.#agent}.`, head.length)) return id;
    return `${head}${this.#agent}.${this.#path(id.slice(head.length + this.#agent.length + 1))}`;
  }

  #event(event: unknown): unknown {
    const { type, actorId } = (event ?? {}) as { readonly type?: unknown; readonly actorId?: unknown };
    if (typeof type !== 'string' || type === INIT || !type.startsWith('xstate.')) return event;
    return {
      ...(event as object),
      type: this.#type(type),
      ...(typeof actorId === 'string' && { actorId: this.#child(actorId) }),
    };
  }

  #started(started: Started): Started {
    if (started.kind === 'machine')
      throw new RenameError('it has invoked a machine, and a map names states and keys of its own machine only');
    return {
      ...started,
      id: this.#child(started.id),
      src: started.src === null ? null : this.#tool(started.src),
      at: started.at === null ? null : this.#path(started.at),
    };
  }

  #edit(edit: Edit): Edit {
    const [first, ...rest] = edit.path;
    if (first !== undefined) return { ...edit, path: [this.#key(first), ...rest] };
    if (typeof edit.value !== 'object' || edit.value === null || Array.isArray(edit.value)) return edit;
    const members = Object.entries(edit.value).map(([key, value]) => [this.#key(key), value] as const);
    return { ...edit, value: Object.fromEntries(members) };
  }

  #key(key: string): string {
    return this.#once('keys', key, nameNow(this.#renames.keys, key));
  }

  #mark(mark: HistoryEvent): HistoryEvent {
    const own = { ...mark, in: this.#instance(mark.in) };
    switch (own.do) {
      case 'enter':
        return { ...own, by: own.by === null ? null : this.#instance(own.by) };
      case 'read':
      case 'write':
        return { ...own, key: this.#historyKey(own.key) };
      case 'effect':
        return own.tool === undefined ? own : { ...own, tool: this.#tool(own.tool) };
      case 'boundary':
        return own;
    }
  }

  #historyKey(key: Key): Key {
    const [first, ...rest] = key.segments;
    const now = first === undefined || first === '*' || first.endsWith(':') ? first : this.#key(first);
    if (now === first || now === undefined) return key;
    return { ...key, text: this.#keyText(key.text), segments: [now, ...rest] };
  }

  #keyText(text: string): string {
    const [first = ''] = text.split('/');
    return first.includes(':') || first.includes('*') ? text : `${this.#key(first)}${text.slice(first.length)}`;
  }
}
