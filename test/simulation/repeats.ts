/**
 * Has a machine ask again for acts that it has asked for before, from another state, as a model does that plans anew; the config says by `once`
 * that they are one act (ON1 to ON5).
 */
import { Chance } from './chance.ts';
import { writtenBy as writtenByStep } from './page.ts';
import type { Block, Scenario, Step, Unit } from './scenario.ts';
import { everyBlock } from './scenario.ts';

type Call = Extract<Step, { step: 'call' }>;

/** Adds repetitions to a scenario, from a stream of its own: the rest of the scenario is the same without them. */
export function withRepeats(scenario: Scenario, seed: number, index: number): Scenario {
  const chance = new Chance(seed ^ 0x27d4eb2f, index);
  const tools = scenario.tools.map((tool) =>
    tool.effect !== 'none' && chance.percent(70)
      ? { ...tool, once: chance.pick(['site', 'site and sum'] as const) }
      : tool,
  );
  const isOnce = ({ tool }: Call) => tools.some(({ name, once }) => name === tool && once !== undefined);
  const body = (blocks: readonly Block[]) => new Repeater(chance, isOnce, blocks).body();
  return {
    ...scenario,
    tools,
    body: body(scenario.body),
    children: scenario.children.map((child) => ({ ...child, body: body(child.body) })),
  };
}

/** Adds repetitions to the body of one machine. */
class Repeater {
  readonly #chance: Chance;
  readonly #isOnce: (call: Call) => boolean;
  readonly #body: readonly Block[];
  readonly #writes = new Map<string, number>();

  constructor(chance: Chance, isOnce: (call: Call) => boolean, body: readonly Block[]) {
    this.#chance = chance;
    this.#isOnce = isOnce;
    this.#body = body;
    for (const block of everyBlock(body))
      for (const key of writtenBy(block)) this.#writes.set(key, (this.#writes.get(key) ?? 0) + 1);
  }

  body(): readonly Block[] {
    return this.#sequence(this.#body);
  }

  #sequence(blocks: readonly Block[]): readonly Block[] {
    let made: readonly Block[] = blocks.map((block) => this.#within(block));
    for (const unit of blocks) {
      if (unit.block !== 'unit') continue;
      for (const call of this.#repeatable(unit)) {
        const at = made.findIndex((block) => block.block === 'unit' && block.name === unit.name);
        // The last block stays the last: it is the slow one.
        const behind = this.#chance.int(at + 1, Math.max(at + 1, made.length - 1));
        made = this.#chance.percent(40)
          ? made.with(at, this.#longer(made[at] as Unit, call))
          : made.toSpliced(behind, 0, this.#another(unit, call));
      }
    }
    return made;
  }

  #within(block: Block): Block {
    switch (block.block) {
      case 'branch':
        return { ...block, odd: this.#sequence(block.odd), even: this.#sequence(block.even) };
      case 'loop':
      case 'nest':
        return { ...block, body: this.#sequence(block.body) };
      case 'parallel':
        return { ...block, regions: this.#beside(block.regions.map((region) => this.#sequence(region))) };
      case 'unit':
      case 'loose':
      case 'compute':
      case 'raise':
      case 'meet':
        return block;
    }
  }

  /** Has one region ask for an act of another, which may be under way: one that reads nothing that a region writes. */
  #beside(regions: readonly (readonly Block[])[]): readonly (readonly Block[])[] {
    const written = new Set(regions.flatMap((region) => [...everyBlock(region)].flatMap(writtenBy)));
    const from = this.#chance.int(0, regions.length - 1);
    const calls = (regions[from] as readonly Block[]).flatMap((block) =>
      block.block === 'unit' ? this.#repeatable(block).map((call) => ({ unit: block, call })) : [],
    );
    const found = calls.find(({ call }) => call.repeats === undefined && call.reads.every((key) => !written.has(key)));
    if (found === undefined) return regions;
    const to = (from + 1) % regions.length;
    const region = regions[to] as readonly Block[];
    const at = this.#chance.int(0, region.length);
    return regions.with(to, region.toSpliced(at, 0, this.#another(found.unit, found.call, 'b')));
  }

  /** The calls of a unit that are asked for again: what they read is written once, so that they ask for the same. */
  #repeatable(unit: Unit): Call[] {
    return unit.steps.flatMap((step) =>
      step.step === 'call' &&
      this.#isOnce(step) &&
      step.reads.every((key) => (this.#writes.get(key) ?? 0) <= 1 && !writtenByStep(step).includes(key)) &&
      this.#chance.percent(60)
        ? [step]
        : [],
    );
  }

  /** The unit asks again itself, later. */
  #longer(unit: Unit, call: Call): Unit {
    const from = unit.steps.findIndex(({ at }) => at === call.at) + 1;
    const places = unit.steps.flatMap((_, index) =>
      index + 1 >= from && unit.steps[index]?.step !== 'skip' ? [index + 1] : [],
    );
    return { ...unit, steps: unit.steps.toSpliced(this.#chance.pick(places), 0, again(call, 'r')) };
  }

  #another(unit: Unit, call: Call, mark = 'r'): Unit {
    return {
      ...unit,
      name: `${unit.name}${call.at}${mark}`,
      steps: [again(call, mark)],
      anchors: this.#chance.pick(['all', 'exit']),
      outcomes: this.#chance.percent(20),
    };
  }
}

function again(call: Call, mark: string): Call {
  return { ...call, at: `${call.at}${mark}`, key: `k${call.at}${mark}`, also: null, retry: false, repeats: call.at };
}

function writtenBy(block: Block): readonly string[] {
  switch (block.block) {
    case 'unit':
      return block.steps.flatMap(writtenByStep);
    case 'loose':
      return writtenByStep(block.step);
    case 'compute':
    case 'raise':
    case 'nest':
      return [block.key];
    case 'branch':
    case 'loop':
    case 'parallel':
    case 'meet':
      return [];
  }
}
