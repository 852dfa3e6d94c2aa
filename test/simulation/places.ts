/** Where a block stands: which entity and round its calls are about, and where in the context its keys lie. */
import { type Block, inner } from './scenario.ts';

/** The context of a generated machine. */
export type Memory = Readonly<Record<string, unknown>>;

/** A state in which the machine waits for an event from outside. */
export interface Awaiting {
  readonly at: string;
  /** Names the occasion: which entity and round the machine waits for. */
  occasion(memory: Memory): string;
}

/** The loop around a block. */
interface Loop {
  readonly at: string;
  readonly over: 'entities' | 'rounds';
}

/** A place among the states of one machine. */
export interface Place {
  /** The compound states around it. */
  readonly path: readonly string[];
  readonly loop: Loop | null;
}

/** Finds keys and entities in the context of one machine. */
export class Places {
  /** True in a machine that another one invokes: its entity and round come with its input. */
  readonly isChild: boolean;
  readonly #homes = new Map<string, string | null>();

  constructor(isChild: boolean, body: readonly Block[]) {
    this.isChild = isChild;
    this.#settle(body, null);
  }

  /** The keys that are maps by entity: those that a loop over entities writes. */
  maps(): string[] {
    return [...this.#homes].filter(([, home]) => home !== null).map(([key]) => key);
  }

  /** The entity that a call at a place is about. */
  entity(place: Place, memory: Memory): string {
    const base = this.isChild ? String(memory.entity) : 'it';
    return place.loop?.over === 'entities' ? `${base}-e${memory[place.loop.at]}` : base;
  }

  /** The round that a call at a place belongs to. */
  round(place: Place, memory: Memory): number {
    const base = this.isChild ? Number(memory.round) * 10 : 0;
    return place.loop?.over === 'rounds' ? base + Number(memory[place.loop.at]) : base;
  }

  /** The entity as an expression of the config. */
  entityExpression({ loop }: Place): string {
    const base = this.isChild ? 'memory.entity' : '"it"';
    return loop?.over === 'entities' ? `${base} + "-e" + string(memory.${loop.at})` : base;
  }

  /** The keys that tell the entity and the round. */
  identity({ loop }: Place): string[] {
    return [...(this.isChild ? ['entity', 'round'] : []), ...(loop === null ? [] : [loop.at])];
  }

  /** The value of a key as a place sees it; null where there is none. */
  read(key: string, place: Place, memory: Memory): unknown {
    const value = memory[key];
    if (!this.#isByEntity(key, place)) return value ?? null;
    return (value as Memory | undefined)?.[this.entity(place, memory)] ?? null;
  }

  /** The changes to the context that write a key from a place. */
  write(key: string, place: Place, memory: Memory, value: unknown): Memory {
    if (!this.#isByEntity(key, place)) return { [key]: value };
    return { [key]: { ...(memory[key] as Memory), [this.entity(place, memory)]: value } };
  }

  /** The key as the config writes it; `hole` stands for the entity. */
  template(key: string, place: Place, hole: '{entity}' | '{args.entity}'): string {
    return this.#isByEntity(key, place) ? `${key}/${hole}` : key;
  }

  /** The condition that a key is there. */
  hasValue(key: string, place: Place): string {
    return this.#isByEntity(key, place) ? `memory.${key}[?entity].hasValue()` : `memory.?${key}.hasValue()`;
  }

  #isByEntity(key: string, { loop }: Place): boolean {
    return loop?.over === 'entities' && this.#homes.get(key) === loop.at;
  }

  #settle(body: readonly Block[], loop: string | null): void {
    for (const block of body) {
      for (const key of writtenBy(block)) if (!this.#homes.has(key)) this.#homes.set(key, loop);
      const within = block.block === 'loop' && block.over === 'entities' ? block.at : loop;
      for (const part of inner(block)) this.#settle(part, within);
    }
  }
}

function writtenBy(block: Block): string[] {
  switch (block.block) {
    case 'compute':
    case 'raise':
      return [block.key];
    case 'unit':
    case 'loose': {
      const steps = block.block === 'unit' ? block.steps : [block.step];
      return steps.flatMap((step) => {
        if (step.step === 'call') return [step.key, ...(step.also === null ? [] : [step.also])];
        return step.step === 'delay' || step.step === 'skip' ? [] : [step.key];
      });
    }
    case 'nest':
      return block.rests ? [block.key] : [];
    case 'branch':
    case 'loop':
    case 'parallel':
    case 'meet':
      return [];
  }
}
