/**
 * Keeps what the config redacts out of everything that people read: by its place, in arguments and outputs, and wherever it comes up
 * again, in errors and other texts. It learns the values as they come to a redacted key or argument; the journal itself keeps them, since
 * a restore needs them, and is encrypted.
 */

import type { IntentEntry, OutcomeEntry } from '../model/call-entries.ts';
import type { Entry } from '../model/entry.ts';
import { escapeSegment, parseKey } from '../model/key.ts';
import { type RedactionRules, redacts } from '../model/redaction.ts';
import { answeringChild } from '../model/reply-event.ts';
import { ownMembers, Secrets } from './secrets.ts';

/** Stands where a value is not shown. */
const REDACTED = '[redacted]';

/** The parts of a run that redaction reads. */
export interface Redactable {
  readonly actors: readonly {
    readonly parent: number | null;
    readonly started: { id: string; src: string | null } | null;
    readonly context?: unknown;
  }[];
  /** The tool of a call, by its key. */
  toolOf(key: string): string | undefined;
}

/** A call that was made before the rules came. */
type RedactableCall = Pick<OutcomeEntry, 'key' | 'status' | 'output'> & { readonly intent: IntentEntry };

/** Matches any segment: of what is appended to a list, the place is not known. */
const ANY = Symbol('any');
type Segment = string | typeof ANY;

/** The redaction of one run. */
export class Redaction {
  readonly #keys = new Map<string, readonly string[]>();
  readonly #parts = new Map<string, Map<string, readonly string[]>>();
  readonly #secrets = new Secrets(REDACTED);

  /** The parts that a base holds. */
  get parts() {
    return { keys: this.#keys, parts: this.#parts, secrets: this.#secrets.parts };
  }

  /** True where anything is redacted. */
  get isActive(): boolean {
    return this.#keys.size > 0 || this.#parts.size > 0;
  }

  /** Adds rules to the present ones: a value once redacted stays redacted. */
  add(rules: RedactionRules | undefined): void {
    if (rules === undefined || !redacts(rules)) return;
    for (const text of rules.keys) this.#keys.set(text, parseKey(text).segments);
    for (const [tool, paths] of Object.entries(rules.tools)) {
      const parts = this.#parts.get(tool) ?? new Map<string, readonly string[]>();
      for (const path of paths) parts.set(path, path.split('.'));
      this.#parts.set(tool, parts);
    }
  }

  /** Learns what an entry brings. */
  take(entry: Entry, run: Redactable): void {
    if (!this.isActive) return;
    switch (entry.do) {
      case 'step':
        this.#edited(entry, run);
        for (const { src, input } of entry.started) if (src !== null) this.#learn(src, 'args', input);
        this.#answered(entry, run);
        return;
      case 'intent':
        this.#learn(entry.tool, 'args', entry.args);
        this.#learn(entry.tool, 'args', entry.instead?.args);
        return;
      case 'leave':
        this.#learn(run.toolOf(entry.key) ?? '', 'args', entry.with);
        return;
      case 'verified':
        for (const { first } of entry.reads) {
          if (first === undefined) continue;
          this.#learn(first.tool, 'args', first.args);
          this.#learn(first.tool, 'output', first.output);
        }
        return;
      case 'outcome': {
        const tool = run.toolOf(entry.key);
        if (tool !== undefined) this.#learn(tool, 'output', entry.output);
        return;
      }
      default:
        return;
    }
  }

  /** Adds the rules of a later config, and applies them to the values that the run has already. */
  adopt(rules: RedactionRules, run: Redactable, calls: Iterable<RedactableCall>): void {
    this.add(rules);
    for (const { started, context } of run.actors) this.#context(started?.id ?? null, [], context);
    for (const { key, intent, status, output } of calls) {
      this.take(intent, run);
      this.take({ do: 'outcome', key, status, output }, run);
    }
  }

  /** A text without the values that are redacted. */
  text(text: string): string {
    return this.#secrets.hidden(text);
  }

  /** A value without them, whatever it is of. */
  value(value: unknown): unknown {
    return this.#secrets.without(value);
  }

  /** The arguments of a tool, as they may be shown. */
  args(tool: string, args: unknown): unknown {
    return this.#shown(tool, 'args', args);
  }

  /** The answer of a tool, as it may be shown. */
  output(tool: string, output: unknown): unknown {
    return this.#shown(tool, 'output', output);
  }

  /** An entry whose words hold no such value: what is written about a run is read by people. */
  entry(entry: Entry): Entry {
    if (!this.isActive) return entry;
    switch (entry.do) {
      case 'decision':
        return { ...entry, error: this.text(entry.error) };
      case 'finding':
        return { ...entry, text: this.text(entry.text) };
      case 'committed':
        return entry.text === undefined ? entry : { ...entry, text: this.text(entry.text) };
      case 'judged':
        return entry.why === null ? entry : { ...entry, why: this.text(entry.why) };
      case 'demoted':
      case 'withdrawn':
        return { ...entry, why: this.text(entry.why) };
      case 'answer':
        return entry.why === null ? entry : { ...entry, why: this.text(entry.why) };
      case 'outcome':
      case 'phase':
        return entry.error === undefined ? entry : { ...entry, error: this.text(entry.error) };
      default:
        return entry;
    }
  }

  #edited({ actor, edits }: Extract<Entry, { do: 'step' }>, { actors }: Redactable): void {
    const own = actors[actor]?.started?.id ?? null;
    for (const { path, value, op } of edits) {
      const at: Segment[] = path.map(escapeSegment);
      if (op !== 'append') this.#context(own, at, value);
      else for (const each of value as readonly unknown[]) this.#context(own, [...at, ANY], each);
    }
  }

  #context(actor: string | null, at: readonly Segment[], value: unknown): void {
    for (const key of this.#keys.values()) {
      const own =
        key[0] === 'actor:' ? (key[1] === '*' || key[1] === escapeSegment(actor ?? '') ? key.slice(2) : null) : key;
      if (own !== null) this.#under(own, at, value);
    }
  }

  #learn(tool: string, of: 'args' | 'output', value: unknown): void {
    for (const path of this.#parts.get(tool)?.values() ?? []) {
      if (path[0] === of) this.#under(path.slice(1), [], value);
    }
  }

  /** A tool whose calls have no intent has answered: its output is in the event alone. */
  #answered({ actor, event }: Extract<Entry, { do: 'step' }>, { actors }: Redactable): void {
    if (this.#parts.size === 0) return;
    const { type, output } = event as { type?: unknown; output?: unknown };
    const id = answeringChild(type);
    if (id === null) return;
    const tool = actors.findLast(({ parent, started }) => parent === actor && started?.id === id)?.started?.src ?? null;
    if (tool !== null) this.#learn(tool, 'output', output);
  }

  /** Learns what of a value, which lies at a path, lies under a pattern. */
  #under(pattern: readonly string[], at: readonly Segment[], value: unknown): void {
    const shared = Math.min(pattern.length, at.length);
    for (let depth = 0; depth < shared; depth += 1) {
      const [wanted, is] = [pattern[depth], at[depth]];
      if (wanted !== '*' && is !== ANY && wanted !== is) return;
    }
    for (const [, found] of selected(value, pattern.slice(at.length))) this.#secrets.learn(found);
  }

  #shown(tool: string, of: 'args' | 'output', value: unknown): unknown {
    let shown = value;
    for (const path of this.#parts.get(tool)?.values() ?? [])
      if (path[0] === of) shown = replaced(shown, path.slice(1));
    return this.#secrets.without(shown);
  }
}

/** The members of a value that a path leads to, with their names. */
function selected(value: unknown, path: readonly string[]): [string, unknown][] {
  const [name, ...rest] = path;
  if (name === undefined) return [['', value]];
  return ownMembers(value)
    .filter(([own]) => name === '*' || escapeSegment(own) === name)
    .flatMap(([, member]) => selected(member, rest));
}

/** A copy of a value in which what a path leads to is not shown. */
function replaced(value: unknown, path: readonly string[]): unknown {
  const [name, ...rest] = path;
  if (name === undefined) return value === undefined ? undefined : REDACTED;
  if (typeof value !== 'object' || value === null) return value;
  const change = ([own, member]: [string, unknown]): [string, unknown] =>
    name === '*' || escapeSegment(own) === name ? [own, replaced(member, rest)] : [own, member];
  if (value instanceof Map) return new Map([...value].map(([own, member]) => change([String(own), member])));
  const changed = ownMembers(value).map(change);
  return Array.isArray(value) ? changed.map(([, member]) => member) : Object.fromEntries(changed);
}
