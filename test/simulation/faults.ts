/** Draws what goes wrong in a run, from the calls that its faultless run makes. */
import type { Chance } from './chance.ts';
import { everyStep, type Fault, type Scenario, type Site, type ToolSpec } from './scenario.ts';

const KINDS = [
  ['wrong', 46],
  ['call', 30],
  ['restart', 9],
  ['killed', 12],
  ['misspelt', 2],
  ['down', 4],
] as const;

const COUNTS = [
  [0, 4],
  [1, 50],
  [2, 32],
  [3, 14],
] as const;

/**
 * Draws the faults of a scenario. A few have none: attaching the sidecar alone must change nothing.
 * @param isLate whether one of them is a value of the first units that is found wrong calls later.
 */
export function drawFaults(chance: Chance, scenario: Scenario, sites: readonly Site[], isLate = false): Fault[] {
  const drawing = new Drawing(chance, scenario, sites);
  if (isLate) drawing.late();
  const count = sites.length === 0 || (isLate && chance.percent(50)) ? 0 : chance.weighed(COUNTS);
  for (let i = 0; i < count; i++) drawing.draw();
  return drawing.faults;
}

class Drawing {
  readonly faults: Fault[] = [];
  readonly #chance: Chance;
  readonly #sites: readonly Site[];
  readonly #tools = new Map<string, ToolSpec>();
  /** Those whose instance can be named in a complaint. */
  readonly #inUnits: readonly Site[];
  readonly #asksFirst: boolean;

  constructor(chance: Chance, scenario: Scenario, sites: readonly Site[]) {
    this.#chance = chance;
    this.#sites = sites;
    const [first] = scenario.body;
    this.#asksFirst = first?.block === 'unit' && first.steps[0]?.step === 'ask';
    const owned = new Set<string>();
    for (const { step, unit } of everyStep(scenario)) {
      if (step.step !== 'call') continue;
      this.#tools.set(step.at, scenario.tools.find(({ name }) => name === step.tool) as ToolSpec);
      if (unit !== null) owned.add(step.at);
    }
    this.#inUnits = sites.filter((site) => owned.has(stateOf(site)));
  }

  draw(): void {
    const chance = this.#chance;
    switch (chance.weighed(KINDS)) {
      case 'wrong':
        this.wrong(chance.int(0, Math.max(0, this.#inUnits.length - 1)), chance.percent(20) ? 0 : chance.int(0, 5));
        return;
      case 'call':
        this.#call();
        return;
      case 'restart':
        this.faults.push({ fault: 'restart', calls: chance.int(1, this.#sites.length + 1), ms: chance.int(0, 4) });
        return;
      case 'killed': {
        const when = chance.pick(['before', 'after', 'lost'] as const);
        const append = chance.int(1, 12 + 6 * this.#sites.length);
        this.faults.push({ fault: 'killed', ...(this.#asksFirst ? mild(append, when) : { append, when }) });
        return;
      }
      case 'misspelt': {
        if (this.#inUnits.length === 0) return;
        const what = chance.pick(['skeleton', 'entity', 'key'] as const);
        this.faults.push({ fault: 'misspelt', site: chance.pick(this.#inUnits), calls: chance.int(1, 4), what });
        return;
      }
      case 'down':
        this.faults.push({ fault: chance.pick(['reconciler down', 'undo loses reply'] as const) });
    }
  }

  /** An early value that is found wrong late; sometimes another one while the work on that is done again. */
  late(): void {
    const chance = this.#chance;
    const first = chance.percent(80) ? 0 : 1;
    const most = Math.max(1, this.#sites.length - 1 - first);
    const calls = chance.percent(60) ? most : chance.int(1, most);
    this.wrong(first, calls);
    if (calls < 2 || chance.percent(45)) return;
    const other = chance.int(first + 1, first + calls - 1);
    this.wrong(other, Math.max(0, first + calls - other + chance.int(0, 3)));
  }

  /** A wrong answer at one of the sites, found so many calls after it is seen. */
  wrong(index: number, calls: number): void {
    const site = this.#inUnits[index];
    if (site === undefined) return;
    const chance = this.#chance;
    // Two finders of one wrong value are `twice`; a second complaint later would accuse what was corrected.
    if (this.faults.some((fault) => fault.fault === 'wrong' && fault.site === site)) return;
    const ms = chance.int(0, 3);
    this.faults.push({ fault: 'wrong', site, named: chance.percent(60), calls, ms, twice: chance.percent(6) });
  }

  #call(): void {
    const site = this.#chance.pick(this.#sites);
    const tool = this.#tools.get(stateOf(site));
    const fault = this.#chance.pick([
      'refuses',
      'not applied',
      'loses reply',
      'loses reply',
      'late reply',
      // What nothing refuses would be a silent failure, and what has no timeout is only late.
      ...(tool?.schema === true ? (['bad output', 'bad output'] as const) : []),
      ...(tool?.timeout === true ? (['never replies', 'acts late'] as const) : []),
    ] as const);
    this.faults.push({ fault, site });
  }
}

/** What the first actions of a machine send is lost with a process that ends before it has started (semantics.md, beside the rules). */
function mild(append: number, when: 'before' | 'after' | 'lost') {
  return { append: Math.max(3, append), when: when === 'lost' ? 'after' : when } as const;
}

function stateOf(site: Site): string {
  return site.slice(0, site.indexOf(' '));
}
