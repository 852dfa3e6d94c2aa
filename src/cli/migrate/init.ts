/** `belay migrate init`: drafts a map of the names that one release has and the next one has not. A person completes and reviews it. */
import type { BoundaryConfig } from '../../boundaries/config.ts';
import { isOfVersion } from '../../boundaries/version-rules.ts';
import { pathNow, RENAMED, type Renames } from '../../model/renames.ts';
import type { AnyStateMachine } from '../../xstate/actor.ts';
import { machineShape } from '../../xstate/shape.ts';
import { type ModuleRelease, releasesOf } from './release.ts';

/** The modules of two releases; `agent` null: the one that both have. */
export interface InitOptions {
  readonly from: string;
  readonly to: string;
  readonly agent: string | null;
  onModule(file: string): void;
}

/** A release that a map can lead from or to. */
interface Whole {
  readonly machine: AnyStateMachine;
  readonly config: BoundaryConfig;
}

/** The text of a map to begin with; a problem where there is none. */
export async function draftedMap({
  from,
  to,
  agent,
  onModule,
}: InitOptions): Promise<{ readonly text: string } | { readonly problem: string }> {
  const [before, now] = [await releaseIn(from, agent, onModule), await releaseIn(to, agent, onModule)];
  if ('problem' in before) return before;
  if ('problem' in now) return now;
  if (before.machine.id !== now.machine.id)
    return {
      problem: `no_machine ${from} has "${before.machine.id}", and ${to} has "${now.machine.id}": --agent NAME`,
    };
  return { text: textOf(before, now) };
}

async function releaseIn(
  file: string,
  agent: string | null,
  onModule: (file: string) => void,
): Promise<Whole | { readonly problem: string }> {
  const releases = await releasesOf({ machines: file, config: null, onModule });
  if ('problem' in releases) return releases as { readonly problem: string };
  const known = releases as ReadonlyMap<string, ModuleRelease>;
  const [only] = known.keys();
  const name = agent ?? (known.size === 1 ? (only as string) : null);
  if (name === null) return { problem: `${file}: it has several agents: --agent NAME` };
  const release = known.get(name);
  if (release === undefined) return { problem: `${file}: no_machine the module has no machine "${name}"` };
  if (release.config === null) return { problem: `${file}: no_config no agent of the module names its config` };
  return { machine: release.machine, config: release.config };
}

function textOf(before: Whole, now: Whole): string {
  const digestsOf = ({ machine, config }: Whole) =>
    `{ machine: ${machineShape(machine).digest}, config: ${config.digest} }`;
  const lines = [
    `# The names that ${now.machine.id} has given anew. Complete it, then: belay review FILE --accept --by NAME`,
    'belay: 1',
    `migrate: ${now.machine.id}`,
    `from: ${digestsOf(before)}`,
    `to: ${digestsOf(now)}`,
  ];
  const [then, today] = [namesIn(before), namesIn(now)];
  for (const sort of RENAMED) lines.push(...linesOf(sort, then[sort], today[sort]));
  return `${lines.join('\n')}\n`;
}

/** The lines of one sort of names: a guess where one name is gone and one is new beside it. */
function linesOf(sort: keyof Renames, then: ReadonlySet<string>, now: ReadonlySet<string>): string[] {
  const fresh = [...now].filter((name) => !then.has(name));
  const guessed: Record<string, string> = {};
  const beside = (name: string) => (sort === 'states' ? name.slice(0, Math.max(name.lastIndexOf('.'), 0)) : '');
  const nowOf = (name: string) => (sort === 'states' ? pathNow(guessed, name) : name);
  const gone = [...then].filter((name) => !now.has(name)).toSorted((a, b) => a.split('.').length - b.split('.').length);
  const lines: string[] = [];
  for (const name of gone) {
    // A state has another path where the state around it is called otherwise.
    if (now.has(nowOf(name))) continue;
    const found = fresh.filter((each) => beside(each) === nowOf(beside(name)));
    const lost = gone.filter((each) => beside(each) === beside(name));
    const [only, ...more] = found;
    const isGuess = only !== undefined && more.length === 0 && lost.length === 1;
    if (isGuess) guessed[name] = only;
    const left = only === undefined ? 'gone' : `one of ${found.join(', ')}, or gone`;
    lines.push(isGuess ? `  ${quoted(name)}: ${quoted(only)} # TODO: a guess` : `  # TODO ${quoted(name)}: ${left}`);
  }
  if (lines.every((line) => line.startsWith('  #'))) return [...lines, `${sort}: {}`];
  return [`${sort}:`, ...lines];
}

/** A name as YAML has it. */
function quoted(name: string): string {
  return /^[A-Za-z_][\w.-]*$/.test(name) && !/^(?:true|false|null|yes|no)$/i.test(name) ? name : JSON.stringify(name);
}

function namesIn({ machine, config }: Whole): Readonly<Record<keyof Renames, ReadonlySet<string>>> {
  const { states } = machineShape(machine);
  const keys = [
    ...[...config.tools.values()].flatMap(({ reads, writes }) => [...reads, ...writes]),
    ...[...config.skeletons.values()].flatMap(({ inputs, outputs }) => [...inputs, ...outputs]),
  ].map(({ text }) => text.split('/')[0] as string);
  return {
    states: new Set(states.flatMap(({ path }) => (path === '' || path.includes('/') ? [] : [path]))),
    keys: new Set(keys.filter((key) => !/[:*{]/.test(key))),
    tools: new Set([...config.tools.keys()].filter((name) => !isOfVersion(name))),
    skeletons: new Set(config.skeletons.keys()),
  };
}
