/**
 * A commit and its staging areas: the calls of each area, the order in which they become visible, and the data
 * that each relies on (semantics.md E4).
 */
import type { Publication, StagedCall, StagingArea } from '../../effects/counterparty.ts';
import type { LedgerCall } from '../../effects/ledger-call.ts';
import type { PublishEntry } from '../../model/call-entries.ts';
import { instanceName } from '../../model/instance.ts';
import type { Relied } from '../../projection/positions.ts';
import type { RunParts } from '../parts.ts';
import { broughtAs } from '../registered.ts';

/** The place of an area that does not say which it has. */
const ORDER = 100;

/** The calls of one commit that become visible together. */
export interface Group {
  /** The staging area; null for a call that is held back as a whole. */
  readonly area: string | null;
  readonly calls: readonly LedgerCall[];
}

/** The commits of a run as their staging areas see them. */
export class Staging {
  readonly #parts: RunParts;

  constructor(parts: RunParts) {
    this.#parts = parts;
  }

  /** The name of the area that holds a call; null for a call that is held back as a whole. */
  areaOf({ intent }: LedgerCall): string | null {
    const buffer = this.#parts.config.tools.get(intent.tool)?.buffer ?? null;
    return typeof buffer === 'object' && buffer !== null ? buffer.name : null;
  }

  area(name: string | null): StagingArea | undefined {
    return name === null ? undefined : broughtAs(this.#parts.buffers, name);
  }

  /**
   * The calls of a commit by who makes them visible, in the fixed order: all of one area at once, what cannot be taken back and held calls
   * each by itself.
   */
  groups({ keys }: Pick<PublishEntry, 'keys'>): Group[] {
    const groups = new Map<string, { area: string | null; calls: LedgerCall[] }>();
    for (const key of keys) {
      const call = this.#parts.runState.ledger.get(key) as LedgerCall;
      const area = this.areaOf(call);
      const name = area !== null && isRepeatable(call) ? area : `\0${key}`;
      const group = groups.get(name) ?? { area, calls: [] };
      group.calls.push(call);
      groups.set(name, group);
    }
    const place = ({ area }: Group) => (area === null ? Number.POSITIVE_INFINITY : (this.area(area)?.order ?? ORDER));
    return [...groups.values()].sort((one, other) => {
      const [a, b] = [place(one), place(other)];
      return a === b ? 0 : a - b;
    });
  }

  /** The areas of a commit that want to be asked before it is decided, each with its calls, in the fixed order. */
  asked(
    entry: Pick<PublishEntry, 'keys'>,
  ): { readonly name: string; readonly area: StagingArea; readonly calls: LedgerCall[] }[] {
    const asked = new Map<string, LedgerCall[]>();
    for (const { area, calls } of this.groups(entry))
      if (area !== null) asked.set(area, [...(asked.get(area) ?? []), ...calls]);
    return [...asked].flatMap(([name, calls]) => {
      const area = this.area(name);
      return area?.prepare === undefined ? [] : [{ name, area, calls }];
    });
  }

  publicationOf({ id, instance, boundary, prepared }: PublishEntry, area: string | null): Publication {
    const token = area === null ? undefined : prepared?.[area];
    const about = { id, run: this.#parts.run, instance: instanceName(instance), boundary };
    return token === undefined ? about : { ...about, prepared: token };
  }

  /** The things in its area that a staged call relies on. */
  relied(call: LedgerCall): Relied {
    const { runState, config } = this.#parts;
    const area = this.areaOf(call);
    if (area === null) return { all: [], read: null };
    return runState.positions.relied(config, area, call, runState.actors[call.intent.actor]?.by?.gone === true);
  }

  staged(call: LedgerCall): StagedCall {
    const { key, intent, output } = call;
    const { all } = this.relied(call);
    return {
      key,
      tool: intent.tool,
      args: intent.args,
      staged: output,
      ...(all.length > 0 && { relies: all }),
    };
  }
}

/** True where an area may be asked for a call again: what cannot be taken back is never asked for twice on a guess. */
export function isRepeatable({ intent }: LedgerCall): boolean {
  return intent.class !== 'irreversible';
}
