/**
 * Generates machines. Each context key is written by one sequence of states only, so that the faultless run has one result whatever the
 * interleaving; branches look at values that were written before them on every path.
 */
import type { Chance } from './chance.ts';
import { drawTool } from './draw-tool.ts';
import type { Feature } from './features.ts';
import { Keys, type Scope, scopeOf } from './keys.ts';
import { nested } from './nested.ts';
import type { Block, Child, Step, ToolSpec, Unit } from './scenario.ts';

/** Generates the machine of one scenario. */
export class Generator {
  readonly tools: ToolSpec[] = [];
  readonly children: Child[] = [];
  readonly #chance: Chance;
  readonly #has: (feature: Feature) => boolean;
  readonly #keys: Keys;
  readonly #ofMachine = new Map<string, string[]>();
  /** Whether units have little to do with each other: then most of what is done after a wrong value stands. */
  readonly #apart: boolean;
  /** Whether a unit is being made that can be undone: the one whose value is found wrong, and the one that is under way then. */
  #isUndone = false;
  #calls = 0;

  constructor(chance: Chance, only: readonly Feature[] | null, apart = false) {
    this.#chance = chance;
    this.#apart = apart;
    this.#keys = new Keys(chance, apart);
    this.#has = (feature) => only === null || only.includes(feature);
  }

  /** The body of the root machine: some work, and a slow last step during which older work can be found wrong. */
  body(): readonly Block[] {
    const scope: Scope = { machine: '', sure: [], maybe: [], own: [], inLoop: false, inRegion: false, depth: 0 };
    this.#isUndone = this.#apart;
    const blocks: Block[] = [this.#unit(scope)];
    this.#isUndone = false;
    // What is found wrong is written once.
    if (this.#apart) scope.own.length = 0;
    blocks.push(
      ...this.#digested(scope),
      ...this.#forked(scope),
      ...this.#sequence(scope, this.#chance.int(this.#apart ? 2 : 1, 3)),
    );
    const tail = this.#chance.percent(85) ? [this.#tail(scope)] : [];
    return [...(this.#has('nest') ? nested(blocks) : blocks), ...tail];
  }

  /** A value that no unit has written, and that is often the same where what it rests on is corrected. */
  #digested(scope: Scope): Block[] {
    if (!this.#apart || !this.#has('compute') || scope.sure[0] === undefined || !this.#chance.percent(80)) return [];
    const key = this.#keys.name('k');
    scope.sure.push(key);
    this.#keys.coarse = key;
    return [{ block: 'compute', at: this.#keys.name('x'), reads: [scope.sure[0]], key, coarse: true }];
  }

  #sequence(scope: Scope, length: number): Block[] {
    const blocks: Block[] = [];
    for (let i = 0; i < length && this.#calls < 7; i++) blocks.push(this.#block(scope));
    return blocks;
  }

  #block(scope: Scope): Block {
    const isDeep = scope.depth >= 2;
    const may = (feature: Feature, weight: number): number => (this.#has(feature) && !isDeep ? weight : 0);
    const made = this.#chance.weighed([
      ['unit', 40],
      ['branch', may('branch', scope.sure.length > 0 ? (this.#apart ? 26 : 16) : 0)],
      ['loop', may('loop', scope.inLoop ? 0 : 12)],
      ['parallel', may('parallel', 18)],
      ['compute', this.#has('compute') ? 5 : 0],
      ['raise', this.#has('raise') ? 3 : 0],
      ['loose', this.#has('loose') ? 8 : 0],
    ] as const);
    switch (made) {
      case 'unit':
        return this.#unit(scope);
      case 'branch':
        return this.#branch(scope);
      case 'loop':
        return this.#loop(scope);
      case 'parallel':
        return this.#parallel(scope);
      case 'compute':
        return this.#compute(scope);
      case 'raise':
        return { block: 'raise', at: this.#keys.name('r'), key: this.#keys.written(scope, false) };
      case 'loose':
        return { block: 'loose', step: this.#step(scope, 'loose') };
    }
  }

  #compute(scope: Scope): Block {
    const [at, reads] = [this.#keys.name('x'), this.#keys.reads(scope)];
    return { block: 'compute', at, reads, key: this.#keys.written(scope, false), coarse: false };
  }

  #branch(scope: Scope): Block {
    const on = this.#chance.pick(scope.sure);
    const arm = (length: number): readonly Block[] => {
      const within = { ...scope, sure: [...scope.sure], depth: scope.depth + 1, own: [...scope.own] };
      const blocks = this.#sequence(within, length);
      for (const key of within.sure) if (!scope.sure.includes(key) && !scope.maybe.includes(key)) scope.maybe.push(key);
      return blocks;
    };
    const odd = arm(this.#chance.int(1, 2));
    return {
      block: 'branch',
      at: this.#keys.name('b'),
      on: this.#decisive(on, scope),
      odd,
      even: arm(this.#chance.int(0, 1)),
    };
  }

  /** Work that is there for one answer and not for another: where that answer was wrong, nothing takes it over. */
  #forked(scope: Scope): Block[] {
    const [on] = scope.sure;
    if (!this.#apart || !this.#has('branch') || on === undefined || !this.#chance.percent(45)) return [];
    const arm = (): readonly Block[] => {
      const within = { ...scope, sure: [...scope.sure], own: [...scope.own], depth: scope.depth + 1 };
      const unit = this.#unit(within);
      for (const key of within.sure) if (!scope.sure.includes(key)) scope.maybe.push(key);
      return [unit];
    };
    const odd = arm();
    return [{ block: 'branch', at: this.#keys.name('b'), on, odd, even: this.#chance.percent(50) ? arm() : [] }];
  }

  /** What a branch looks at: mostly the first value of the machine, where that is the one that is found wrong. */
  #decisive(drawn: string, { sure }: Scope): string {
    return this.#apart && this.#chance.percent(60) ? (sure[0] ?? drawn) : drawn;
  }

  #loop(scope: Scope): Block {
    const over = this.#chance.percent(60) ? 'entities' : 'rounds';
    const within: Scope = { ...scope, own: [], inLoop: true, depth: scope.depth + 1 };
    const body = this.#sequence(within, this.#chance.int(1, 2));
    const times = this.#chance.percent(80) ? 2 : 3;
    const at = this.#keys.name('l');
    // By its number, and not drawn: the machines of a seed stay as they were but for this.
    return { block: 'loop', at, over, times, tight: Number(at.slice(1)) % 5 < 2, body };
  }

  #parallel(scope: Scope): Block {
    const at = this.#keys.name('p');
    const scopes: Scope[] = [];
    const regions: Block[][] = [];
    for (let i = 0; i < (this.#chance.percent(80) ? 2 : 3); i++) {
      const within = {
        ...scope,
        sure: [...scope.sure],
        maybe: [...scope.maybe],
        own: [],
        inRegion: true,
        depth: scope.depth + 1,
      };
      scopes.push(within);
      regions.push([this.#unit(within), ...this.#sequence(within, this.#chance.int(0, 2))]);
    }
    this.#meeting(scopes, regions);
    for (const { sure, maybe } of scopes) {
      scope.sure.push(...sure.filter((key) => !scope.sure.includes(key)));
      scope.maybe.push(...maybe.filter((key) => !scope.maybe.includes(key) && !scope.sure.includes(key)));
    }
    return { block: 'parallel', at, regions, leaves: scope.depth === 0 && !scope.inRegion && this.#chance.percent(10) };
  }

  /** Has one region wait for another. */
  #meeting([first, second]: readonly Scope[], [raising, waiting]: readonly Block[][]): void {
    if (!this.#has('raise') || !this.#chance.percent(15) || first === undefined || second === undefined) return;
    const key = this.#keys.written(first, false);
    const raise = { block: 'raise', at: this.#keys.name('r'), key } as const;
    raising?.splice(this.#chance.int(0, raising.length), 0, raise);
    waiting?.splice(this.#chance.int(0, waiting.length), 0, {
      block: 'meet',
      at: this.#keys.name('m'),
      from: raise.at,
      key,
    });
  }

  #unit(scope: Scope): Unit {
    const steps: Step[] = [];
    const length = this.#chance.weighed([
      [1, 55],
      [2, 30],
      [3, 15],
    ] as const);
    for (let i = 0; i < length; i++) steps.push(this.#step(scope, 'unit', i === length - 1, steps));
    return {
      block: 'unit',
      name: this.#keys.name('U'),
      steps,
      anchors: this.#chance.weighed([
        ['all', 75],
        ['exit', this.#apart ? 6 : 18],
        ['none', this.#apart ? 2 : 7],
      ] as const),
      resume: this.#chance.percent(80),
      undoes: this.#chance.percent(this.#apart ? 92 : 70),
      joint: this.#has('joint') && this.#chance.percent(this.#apart ? 75 : 30) ? 'all' : 'none',
      outcomes: this.#chance.percent(12),
    };
  }

  #tail(scope: Scope): Unit {
    this.#isUndone = this.#apart;
    const { steps, ...unit } = this.#unit({ ...scope, depth: 9 });
    this.#isUndone = false;
    const last = steps.at(-1) as Step;
    if (last.step === 'call') {
      const index = this.tools.findIndex(({ name }) => name === last.tool);
      const tool = this.tools[index] as ToolSpec;
      this.tools[index] = { ...tool, before: tool.before + 3, after: 2 };
    }
    return { ...unit, steps };
  }

  #step(scope: Scope, where: 'unit' | 'loose', isLast = true, steps: readonly Step[] = []): Step {
    const may = (feature: Feature, weight: number): number => (this.#has(feature) ? weight : 0);
    const skips = !isLast && scope.sure.length > 0 && steps.at(-1)?.step !== 'skip';
    const kind = this.#chance.weighed([
      ['call', 80],
      ['delay', isLast ? 0 : may('delay', 10)],
      [
        'await',
        scope.machine === '' && !scope.inLoop
          ? may('await', this.#apart ? 16 : 8)
          : may('await', scope.machine === '' ? 4 : 0),
      ],
      ['skip', skips && where === 'unit' ? may('skip', 8) : 0],
      ['ask', where === 'unit' ? may('ask', scope.machine === '' ? 5 : 16) : 0],
      ['child', scope.machine === '' && scope.depth < 9 ? may('child', 14) : 0],
    ] as const);
    switch (kind) {
      case 'call':
        return this.#call(scope, where, steps);
      case 'delay':
        return { step: 'delay', at: this.#keys.name('d'), ms: this.#chance.int(1, 3) };
      case 'await':
        return {
          step: 'await',
          at: this.#keys.name('w'),
          key: this.#keys.written(scope, steps.at(-1)?.step === 'skip'),
        };
      case 'skip':
        return { step: 'skip', at: this.#keys.name('q'), on: this.#chance.pick(scope.sure) };
      case 'ask':
        return this.#ask(scope, steps);
      case 'child':
        return this.#child(scope, steps);
    }
  }

  #call(scope: Scope, where: 'unit' | 'loose', steps: readonly Step[]): Step {
    this.#calls += 1;
    const at = this.#keys.name('s');
    const tool = this.#tool(scope, where);
    const reads = this.#keys.reads(scope);
    const isSkipped = steps.at(-1)?.step === 'skip';
    const also = scope.own.length > 0 && this.#chance.percent(15) ? this.#chance.pick(scope.own) : null;
    const key = this.#keys.written(scope, isSkipped);
    const retry = this.#has('retry') && this.#chance.percent(8);
    return { step: 'call', at, tool, key, also, reads, retry };
  }

  #ask(scope: Scope, steps: readonly Step[]): Step {
    const of = scope.machine !== '' && this.#chance.percent(75) ? 'parent' : 'other';
    const [at, reads] = [this.#keys.name('a'), this.#keys.reads(scope)];
    return { step: 'ask', at, of, reads, key: this.#keys.written(scope, steps.at(-1)?.step === 'skip') };
  }

  #child(scope: Scope, steps: readonly Step[]): Step {
    const at = this.#keys.name('c');
    const reads = this.#keys.reads(scope);
    const name = this.#keys.name('C');
    const within = scopeOf(name);
    const body = [this.#unit(within), ...this.#sequence(within, this.#chance.int(0, 2))];
    this.children.push({ name, body: this.#has('nest') ? nested(body) : body });
    return { step: 'child', at, child: name, reads, key: this.#keys.written(scope, steps.at(-1)?.step === 'skip') };
  }

  #tool(scope: Scope, where: 'unit' | 'loose'): string {
    const known = this.#ofMachine.get(scope.machine) ?? [];
    if (known.length > 0 && this.#chance.percent(12)) return this.#chance.pick(known);
    const drawn = drawTool(
      this.#chance,
      this.#keys.name('t'),
      this.#has,
      where === 'unit',
      this.#isUndone ? 'undone' : 'any',
    );
    this.tools.push(drawn);
    if (where === 'unit' && !drawn.buffer) this.#ofMachine.set(scope.machine, [...known, drawn.name]);
    return drawn.name;
  }
}
