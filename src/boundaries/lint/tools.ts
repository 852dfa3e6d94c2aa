/** Lints of tools: declared and never called, called and not declared, and calls that cannot be guarded. */
import type { EffectClass } from '../../model/effect.ts';
import type { MachineShape } from '../../model/machine.ts';
import { doneEvent } from '../../model/reply-event.ts';
import { readsOf } from '../../predicates/reads.ts';
import { suggest } from '../../predicates/suggest.ts';
import type { BoundaryConfig, Tool } from '../config.ts';
import { keyTemplate } from '../keys/key-template.ts';
import { coverage } from '../keys/keys.ts';
import { type Entry, entriesOf, field, type Item } from '../page/document.ts';
import type { Findings, Place } from '../page/finding.ts';
import { isWithin } from '../sections/skeleton.ts';
import { isOfVersion } from '../version-rules.ts';
import type { Reach } from './reach.ts';

/** The inputs of the lints of tools. */
interface Calls {
  readonly config: BoundaryConfig;
  readonly reach: Reach;
  readonly findings: Findings;
  /** The line that names the machine: the place of findings about things that the file does not mention. */
  readonly agent: Place;
  readonly kinds: ReadonlyMap<string, MachineShape['actors'][number]['kind']>;
  readonly invoked: ReadonlySet<string>;
  readonly declared: readonly (readonly [string, Entry])[];
}

/** Reports likely mistakes in the tools of a config. */
export function lintTools(config: BoundaryConfig, root: Item, reach: Reach, findings: Findings): void {
  const calls: Calls = {
    config,
    reach,
    findings,
    agent: field(root, 'agent')?.at ?? root.at,
    kinds: new Map(reach.shape.actors.map(({ name, kind }) => [name, kind])),
    invoked: new Set(reach.shape.states.flatMap(({ invokes }) => invokes.flatMap(({ tool }) => tool ?? []))),
    declared: entriesOf(field(root, 'tools')),
  };
  lintDeclared(calls);
  lintCalled(calls);
  lintOutcomes(calls);
  lintFirstEffects(calls);
  lintHeldBack(calls);
  lintHeldOutputs(calls);
  lintActsAgain(calls);
  lintKeysTaken(calls);
  lintKeepers(calls);
  lintOutside(calls);
}

/** Tools that are declared and never called. An action without an actor is named by its event. */
function lintDeclared({ config, reach, findings, kinds, invoked, declared }: Calls): void {
  if (reach.shape.channels) return;
  const events = new Set(reach.shape.edges.map(({ event }) => event));
  for (const [name, { at }] of declared) {
    if (invoked.has(name) || events.has(name) || isOfVersion(name)) continue;
    const names = [...kinds.keys(), ...invoked].filter((other) => !config.tools.has(other));
    const mend = kinds.has(name) ? 'An action may spawn it; Belay cannot see that.' : suggest(name, new Set(names));
    findings.report('tool_never_called', 'warning', at, `no state of ${config.agent} calls "${name}"`, mend);
  }
}

/** Tools that are called and not declared, or have no name to declare. */
function lintCalled({ config, reach, findings, agent, kinds, invoked }: Calls): void {
  for (const name of invoked) {
    if (config.tools.has(name) || kinds.get(name) === 'machine') continue;
    const message = `${config.agent} calls "${name}", which is not declared and so counts as irreversible`;
    findings.report('tool_undeclared', 'warning', agent, message, `Add "${name}" to the tools.`);
  }
  for (const { path, invokes } of reach.shape.states) {
    if (invokes.every(({ tool }) => tool !== null)) continue;
    const message = `"${path}" invokes inline logic, which Belay cannot guard`;
    findings.report('invoke_inline', 'warning', agent, message, 'Provide it under a name: setup({ actors }).');
  }
}

/** Actors that never report their end. */
function lintOutcomes({ config, findings, agent, kinds, invoked, declared }: Calls): void {
  for (const [name, kind] of kinds) {
    const effect = effectOf(name, config);
    if ((kind !== 'callback' && kind !== 'observable') || !invoked.has(name) || effect === 'none') continue;
    const at = declared.find(([other]) => other === name)?.[1].at ?? agent;
    const what = kind === 'callback' ? 'a callback' : 'an observable';
    const message = `"${name}" is ${what} and ${effect}: its outcome is never known`;
    findings.report(
      'outcome_never_known',
      'warning',
      at,
      message,
      'Make it a promise, or declare it with effect: none.',
    );
  }
}

/** Tools that are called in a state of no skeleton: a failure there names no unit that could be restored. */
function lintOutside({ config, reach, findings, agent, kinds, declared }: Calls): void {
  if (reach.shape.channels) return;
  const skeletons = [...config.skeletons.values()];
  const branches = [...config.alternatives.values()].map(({ branch }) => branch);
  const places = new Map(declared);
  for (const { path, invokes } of reach.shape.states) {
    if (skeletons.some(({ states }) => states.some((state) => isWithin(path, state)))) continue;
    // A failure in a branch is one of that branch alone.
    if (branches.some((branch) => path.startsWith(`${branch}/`))) continue;
    for (const { tool } of invokes) {
      if (tool === null || kinds.get(tool) === 'machine') continue;
      const message = `"${path}" calls "${tool}" and belongs to no skeleton: a failure there parks the run`;
      const mend = `Add "${path}" to the states of a skeleton of its machine, or write one for it.`;
      findings.report('call_outside_skeletons', 'warning', places.get(tool)?.at ?? agent, message, mend);
    }
  }
}

/** Obligations that no state could keep: the run would park at its end (OB4). */
function lintKeepers({ config, reach, findings, invoked, declared }: Calls): void {
  if (reach.shape.channels) return;
  for (const [name, { item }] of declared) {
    const keptBy = config.tools.get(name)?.obligations?.keptBy;
    const at = field(field(item, 'obligations'), 'kept_by')?.at;
    if (keptBy === undefined || at === undefined || invoked.has(keptBy)) continue;
    const message = `no state of ${config.agent} calls "${keptBy}", which keeps what "${name}" takes on`;
    findings.report('never_kept', 'warning', at, message, 'Call it in a state, or a person has to answer for each.');
  }
}

/** Irreversible promises that do not take the key of their call (E3). */
function lintKeysTaken({ config, reach, findings, declared }: Calls): void {
  const places = new Map(declared);
  for (const { name, takesKey } of reach.shape.actors) {
    const at = places.get(name)?.at;
    if (takesKey || config.tools.get(name)?.effect !== 'irreversible' || at === undefined) continue;
    const message = `"${name}" is irreversible and does not take the key of its call: its counterparty cannot tell a second call from a new one`;
    const mend = 'Provide it as tool(({ input, key }) => ...), and hand the key on.';
    findings.report('key_not_taken', 'warning', at, message, mend);
  }
}

/** Irreversible calls of states that can be entered twice, where nothing says which of them are one act (ON1). */
function lintActsAgain({ config, reach, findings, declared }: Calls): void {
  const places = new Map(declared);
  for (const { path, invokes } of reach.shape.states) {
    for (const { tool: name } of invokes) {
      const tool = config.tools.get(name ?? '');
      const at = places.get(name ?? '')?.at;
      if (tool?.effect !== 'irreversible' || tool.once !== null || at === undefined || !reach.comesBack(path)) continue;
      const message = `"${path}" can be entered twice and calls "${name}", which is irreversible: nothing says if that is one act`;
      findings.report(
        'acts_again',
        'warning',
        at,
        message,
        'Name what makes a call the same act: once: [args.invoice].',
      );
    }
  }
}

/** A tool that is not declared is irreversible (E6). */
function effectOf(name: string, config: BoundaryConfig): EffectClass {
  return config.tools.get(name)?.effect ?? 'irreversible';
}

/** Irreversible calls that control can reach before any boundary has certified. */
function lintFirstEffects({ config, reach, findings, agent, kinds }: Calls): void {
  const sites = [...config.skeletons.values()].flatMap(({ boundaries, rollback }) => {
    return boundaries
      .filter(({ kind, id }) => kind === 'commit' && rollback.anchors.includes(id))
      .map(({ site }) => site);
  });
  const early = reach.from(({ from, to, active }) => {
    return sites.some((site) => {
      if ('at' in site) return active.has(site.at);
      return from !== null && isWithin(from, site.from) && (isWithin(to, site.to) || active.has(site.to));
    });
  });
  for (const { path, invokes } of reach.shape.states) {
    if (!early.has(path)) continue;
    for (const { tool } of invokes) {
      if (tool === null || kinds.get(tool) === 'machine' || effectOf(tool, config) !== 'irreversible') continue;
      // A call that waits for a commit cannot come before it.
      if (config.tools.get(tool)?.buffer) continue;
      const message = `"${path}" calls "${tool}", which is irreversible, before any commit: then nothing before it is ever recoverable`;
      const mend = 'Put an anchored commit boundary before it, or declare an effect class that can be undone.';
      findings.report('irreversible_before_commit', 'warning', agent, message, mend);
    }
  }
}

/** Calls that are held back until a commit, where no commit ever comes. */
function lintHeldBack({ config, reach, findings, agent, declared }: Calls): void {
  for (const { path, invokes } of reach.shape.states) {
    for (const { tool } of invokes) {
      if (tool === null || !config.tools.get(tool)?.buffer) continue;
      const commits = [...config.skeletons.values()].some(
        ({ states, boundaries, rollback }) =>
          states.some((state) => isWithin(path, state)) && boundaries.some(({ id }) => rollback.anchors.includes(id)),
      );
      if (commits) continue;
      const at = declared.find(([name]) => name === tool)?.[1].at ?? agent;
      const message = `"${path}" calls "${tool}", which is held back until a commit that never comes`;
      const mend = 'Have a skeleton with an anchored boundary cover the state, or take "buffer" out.';
      findings.report('never_published', 'warning', at, message, mend);
    }
  }
}

/** Calls that are held back whole, where a guard or a boundary asks for their output: the machine goes on without one (E4). */
function lintHeldOutputs({ config, reach, findings, agent, declared }: Calls): void {
  const places = new Map(declared);
  for (const { path, invokes } of reach.shape.states) {
    for (const { id, tool: name } of invokes) {
      const tool = config.tools.get(name ?? '');
      if (tool?.buffer !== 'call') continue;
      const isGuarded = reach.shape.edges.some(
        ({ from, event, guarded }) => from === path && event === doneEvent(id) && guarded,
      );
      const asking = [
        ...(isGuarded ? [`the guard after "${path}"`] : []),
        ...conditionsOnHeld(tool, path, config, reach.shape),
      ];
      if (asking.length === 0) continue;
      const message = `"${tool.name}" is held back until a commit: its output is not there yet for ${asking.join(' and ')}`;
      const mend = 'Name a buffer, so that the call is made at once and stages, or ask for what is known before.';
      findings.report('held_output', 'warning', places.get(tool.name)?.at ?? agent, message, mend);
    }
  }
}

/** The boundaries around a state whose conditions read what a held call alone writes, and the machine itself does not assign. */
function conditionsOnHeld(held: Tool, path: string, config: BoundaryConfig, shape: MachineShape): readonly string[] {
  const { assigns } = shape;
  const mayAssign = (key: string | undefined) =>
    assigns === undefined || !assigns.all || assigns.keys.includes(key ?? '');
  const others = [...config.tools.values()].filter(({ buffer }) => buffer !== 'call').flatMap(({ writes }) => writes);
  const around = [...config.skeletons.values()].filter(({ states }) => states.some((state) => isWithin(path, state)));
  return around.flatMap(({ boundaries }) =>
    boundaries
      .filter(({ when }) =>
        readsOf(when.text).some((text) => {
          const read = keyTemplate(text);
          const isOfHeld = coverage(read, held.writes).some && !coverage(read, others).some;
          return text !== '**' && isOfHeld && !mayAssign(text.split('/')[0]);
        }),
      )
      .map(({ kind, id }) => `the ${kind} "${id}"`),
  );
}
