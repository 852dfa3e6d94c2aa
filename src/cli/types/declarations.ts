/** Writes the names of a config as TypeScript: what is given to `attach`, `resume` and `fail` is then checked by the compiler. */
import type { BoundaryConfig, KeyTemplate, Skeleton } from '../../boundaries/config.ts';
import { withHoles } from '../../boundaries/keys/holes.ts';
import { coverage } from '../../boundaries/keys/keys.ts';
import { printable } from '../terminal/printable.ts';

/** The first words of every file that is written here: such a file may be written over. */
export const HEADER = '// Made by belay types from the boundary config of ';

/** The names that a config uses, by what they are given as. */
export interface ConfigNames {
  readonly reconcilers: readonly string[];
  readonly undo: readonly string[];
  readonly buffers: readonly string[];
  readonly checks: readonly string[];
  readonly guards: readonly string[];
}

/** Every name of a config for which a program has to bring something. */
export function namesOf({ tools, skeletons }: BoundaryConfig): ConfigNames {
  const all = [...tools.values()];
  const conditions = [...skeletons.values()].flatMap(({ boundaries }) => boundaries.map(({ when }) => when.text));
  const sorted = (names: readonly (string | null)[]) => [...new Set(names)].filter((name) => name !== null).sort();
  return {
    reconcilers: sorted(all.map(({ reconcile }) => reconcile)),
    undo: sorted(all.map(({ undo }) => undo)),
    buffers: sorted(all.map(({ buffer }) => (buffer === null || buffer === 'call' ? null : buffer.name))),
    checks: sorted(all.map(({ check }) => check)),
    guards: sorted(conditions.map((text) => /^guard: (.*)@[0-9a-f]{16}$/.exec(text)?.[1] ?? null)),
  };
}

/** The declarations for a config. */
export function declarations(config: BoundaryConfig): string {
  const name = typeName(config.agent);
  const names = namesOf(config);
  const needed = ['reconcilers', 'undo', 'buffers', 'checks', 'guards'] as const;
  const fields = needed.map((field) => {
    const optional = names[field].length === 0 ? '?' : '';
    return `  readonly ${field}${optional}: ${name}Names['${field}'];`;
  });
  return `${HEADER}${printable(JSON.stringify(config.agent))}: change that, and make this again.
// Digest of the config: ${config.digest}
import type { Check, Inverse, Reconciler, Signal, StagingArea, Suspect, Undo } from 'belay-sidecar';
import type { Sidecar, SidecarOptions } from 'belay-sidecar/xstate';
import type { AnyStateMachine } from 'xstate';

/** The names of the config, by what a program brings for them. */
export type ${name}Names = {
${record('reconcilers', names.reconcilers, 'Reconciler')}
${record('undo', names.undo, 'Undo | Inverse')}
${record('buffers', names.buffers, 'StagingArea')}
${record('checks', names.checks, 'Check')}
${record('guards', names.guards, "NonNullable<SidecarOptions['guards']>[string]")}
};

/** The keys that the work of each skeleton writes. */
export type ${name}Keys = {
${[...config.skeletons.values()].map((skeleton) => `  readonly ${property(skeleton.name)}: ${keysOf(skeleton, config)};`).join('\n')}
};

/** The skeletons of the config. */
export type ${name}Skeleton = keyof ${name}Keys;

/** The second argument of fail(): an instance of one of the skeletons, and one of its keys. */
export type ${name}Suspect = {
  readonly [S in ${name}Skeleton]: {
    readonly instance: Omit<Suspect, 'skeleton'> & { readonly skeleton: S };
    readonly key?: ${name}Keys[S];
    readonly error?: unknown;
    readonly instead?: boolean;
  };
}[${name}Skeleton];

/** The options of attach() and resume() for this config. */
export interface ${name}Options<TMachine extends AnyStateMachine = AnyStateMachine> extends SidecarOptions<TMachine> {
${fields.join('\n')}
}

/** The sidecar of a run under this config. */
export interface ${name}Sidecar<TMachine extends AnyStateMachine = AnyStateMachine> extends Sidecar<TMachine> {
  fail(signal: Signal, suspect: ${name}Suspect): Promise<void>;
}

/** attach() or resume() for this config: const attach${name}: ${name}Attach = attach. */
export type ${name}Attach = <TMachine extends AnyStateMachine>(
  machine: TMachine,
  options: ${name}Options<TMachine>,
) => Promise<${name}Sidecar<TMachine>>;
`;
}

/** A name for types after an agent: letters and digits, the first of each word large. */
export function typeName(agent: string): string {
  const words = agent.split(/[^A-Za-z0-9]+/).filter((word) => word !== '');
  const name = words.map((word) => word.slice(0, 1).toUpperCase() + word.slice(1)).join('');
  return /^[A-Z]/.test(name) ? name : `Agent${name}`;
}

function record(field: string, names: readonly string[], type: string): string {
  if (names.length === 0) return `  readonly ${field}: { readonly [name: string]: never };`;
  return `  readonly ${field}: { ${names.map((name) => `readonly ${property(name)}: ${type}`).join('; ')} };`;
}

function property(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
}

/** A key stands for all below it: each output, what its tools write of it, and everything within. */
function keysOf({ outputs, boundaries }: Skeleton, { tools }: BoundaryConfig): string {
  const own = [...outputs, ...boundaries.flatMap((boundary) => boundary.outputs)];
  const written = [...tools.values()].flatMap(({ writes }) => writes).filter((key) => coverage(key, own).some);
  const types = new Set([...own, ...written].flatMap(keyTypes));
  return types.size === 0 ? 'string' : [...types].sort().join(' | ');
}

/** The marker of a hole while the rest of a key is escaped. */
const HOLE = '\u0000';

function keyTypes({ text }: KeyTemplate): readonly string[] {
  const whole = withHoles(text, HOLE);
  const below = /(?:^|[/:])\*\*$/.test(whole);
  const base = below ? whole.slice(0, -2) : whole;
  const type = base
    .split('/')
    .map((segment) => (segment === '*' ? HOLE : segment.replace(/:\*$/, `:${HOLE}`)))
    .join('/')
    .replace(/[\\`$]/g, '\\$&')
    .replaceAll(HOLE, `\${string}`);
  return below ? [`\`${type}\${string}\``] : [`\`${type}\``, `\`${type}/\${string}\``];
}
