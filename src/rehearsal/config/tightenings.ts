/**
 * The ways in which a config can promise less: if such a tightening removes a harm, the config promises too much there.
 */
import {
  boundariesOf,
  isOutside,
  type Page,
  type PageEdit,
  type PageSkeleton,
  type PageTool,
  toolsOf,
} from './page-edit.ts';

/** The calls, as the run without faults shows them. */
interface Shown {
  readonly called: ReadonlySet<string>;
  /** The names of texts in the arguments. */
  readonly fields: readonly string[];
  /** Tools that are given nothing: they read nothing of the context. */
  readonly argless: ReadonlySet<string>;
  /** Tools that have acted without looking at their idempotency keys. */
  readonly keyless: ReadonlySet<string>;
}

/** Every single tightening of a page, those about one tool first; the blunt ones stand last. */
export function tightenings(page: Page, { called, fields, argless, keyless }: Shown): readonly PageEdit[] {
  return [
    ...[...keyless].map((tool): PageEdit => {
      const text = `hand the idempotency key of ${tool} on to its counterparty`;
      return { kind: 'key unused', path: ['tools', tool], text, tool, dishonest: { keyed: tool } };
    }),
    ...toolsOf(page).flatMap(([name, tool]) => ofTool(name, tool)),
    ...unlisted(page, called),
    ...keys(page),
    ...Object.keys(page.skeletons ?? {}).flatMap((name) => ofSkeleton(name, page, fields)),
    ...boundariesOf(page).flatMap((each) => ofBoundary(each)),
    ...toolsOf(page).flatMap(([name, tool]) => bluntly(name, tool, page).slice(argless.has(name) ? 1 : 0)),
  ];
}

function onTool(
  kind: string,
  name: string,
  below: readonly string[],
  text: string,
  change: (tool: PageTool) => void,
): PageEdit {
  return {
    ...{ kind, text, tool: name, path: ['tools', name, ...below] },
    change: ({ tools }) => {
      const found = tools?.[name];
      if (found !== undefined) change(found);
    },
  };
}

function ofTool(name: string, { timeout, undo, reconcile }: PageTool): PageEdit[] {
  return [
    ...(timeout === undefined
      ? [
          onTool('timeout missing', name, [], `give ${name} a timeout`, (tool) => {
            tool.timeout = '10s';
          }),
        ]
      : []),
    ...(undo === undefined
      ? []
      : [
          onTool(
            'undo idle',
            name,
            ['undo'],
            `have ${undo} take ${name} back, or leave the undo out`,
            (tool) => delete tool.undo,
          ),
        ]),
    ...(reconcile === undefined
      ? []
      : [
          onTool(
            ...(['reconciler lies', name, ['reconcile']] as const),
            `have the reconciler of ${name} answer by its key, and say "unknown" as long as the call may still act; or declare settles_within`,
            (tool) => delete tool.reconcile,
          ),
        ]),
  ];
}

function unlisted({ tools = {} }: Page, called: ReadonlySet<string>): PageEdit[] {
  return [...called]
    .filter((name) => tools[name] === undefined)
    .map((name) => ({
      ...{ kind: 'tool unlisted', path: ['tools'], text: `list ${name} among the tools`, tool: name },
      change: (page) => {
        page.tools = { ...page.tools, [name]: { effect: 'irreversible', reads: ['**'], timeout: '10s' } };
      },
    }));
}

function keys({ keys: declared = {} }: Page): PageEdit[] {
  return (['blind', 'append'] as const).flatMap((list) =>
    (declared[list] ?? []).map((key, index): PageEdit => {
      return {
        ...{
          kind: `${list} added`,
          path: ['keys', list, String(index)],
          text: `do not call ${key} ${list}`,
          tool: null,
        },
        change: (page) => {
          const left = (page.keys?.[list] ?? []).filter((_, at) => at !== index);
          page.keys = { ...page.keys, [list]: left };
        },
      };
    }),
  );
}

function ofSkeleton(name: string, { skeletons = {} }: Page, fields: readonly string[]): PageEdit[] {
  const own = skeletons[name];
  const path = ['skeletons', name];
  const change = (how: (skeleton: NonNullable<typeof own>) => void) => (page: Page) => {
    const found = page.skeletons?.[name];
    if (found !== undefined) how(found);
  };
  return [
    ...((own?.rollback?.joint ?? []).length === 0
      ? []
      : [
          {
            ...{ kind: 'joint all', path: [...path, 'rollback', 'joint'], tool: null },
            text: `do not let ${name} cross the promises of others`,
            change: change((skeleton) => {
              skeleton.rollback = { ...skeleton.rollback, joint: [] };
            }),
          },
        ]),
    ...(isMerged(own)
      ? fields.map((field) => ({
          ...{ kind: 'entities merged', path: [...path, 'entity'], tool: null },
          text: `tell the occurrences of ${name} apart, by args.${field} for instance`,
          change: change((skeleton) => {
            skeleton.entity = `args.${field}`;
          }),
        }))
      : []),
  ];
}

/** True for a skeleton whose keys or conditions ask which one it is about, and whose entity is always the same. */
function isMerged(skeleton: PageSkeleton | undefined): boolean {
  if (skeleton === undefined || !/^\s*["']/.test(skeleton.entity ?? '')) return false;
  return /\{entity\}|\bentity\b(?!":)/.test(JSON.stringify(skeleton));
}

function ofBoundary({ skeleton, path, boundary }: ReturnType<typeof boundariesOf>[number]): PageEdit[] {
  const base = { kind: 'condition always true', path: [...path, 'when'], tool: null };
  const text = `certify ${skeleton} ${boundary.id} only once what it promises is there`;
  const [, , kind, index] = path;
  return [
    {
      ...{ ...base, text },
      change: ({ skeletons }) => {
        const found = skeletons?.[skeleton]?.[kind as 'commit' | 'exit']?.[Number(index)];
        const own = (found?.outputs ?? skeletons?.[skeleton]?.outputs ?? []).filter((key) => /^\w+$/.test(key));
        if (found === undefined || typeof found.when !== 'string' || own.length === 0) return;
        found.when = [
          `(${found.when})`,
          ...own.map((key) => `memory.?${key}.orValue(null) != null && memory.${key} != ""`),
        ].join(' && ');
      },
    },
    {
      ...{ ...base, text },
      change: ({ skeletons }) => {
        const rollback = skeletons?.[skeleton]?.rollback;
        if (rollback !== undefined) rollback.anchors = (rollback.anchors ?? []).filter((id) => id !== boundary.id);
      },
    },
  ];
}

function bluntly(name: string, tool: PageTool, page: Page): PageEdit[] {
  const keys = toolsOf(page).flatMap(([, { reads = [], writes = [] }]) => [...reads, ...writes]);
  const outside = [...new Set(keys.flatMap((key) => /^[a-z][a-z0-9+.-]*:/.exec(key)?.[0] ?? []))].map(
    (key) => `${key}**`,
  );
  const context = new Set(keys.flatMap((key) => (isOutside(key) ? [] : (key.split('/')[0] as string))));
  const below = tool.reads === undefined ? [] : ['reads'];
  const reading = (kind: string, what: string, more: Iterable<string>): PageEdit =>
    onTool(kind, name, below, `say all that ${name} reads ${what}`, (found) => {
      found.reads = [...(found.reads ?? []), ...more];
    });
  return [
    reading('read removed', 'of the context', context),
    reading('outside key removed', 'outside', outside),
    onTool(
      'outside key removed',
      name,
      tool.writes === undefined ? [] : ['writes'],
      `say all that ${name} changes outside`,
      (found) => {
        found.writes = [...(found.writes ?? []), ...outside];
      },
    ),
    ...(tool.effect === 'irreversible'
      ? []
      : [
          onTool('idempotent', name, ['effect'], `call ${name} irreversible`, (found) => {
            found.effect = 'irreversible';
            delete found.undo;
          }),
        ]),
  ];
}
