/** The ways in which a config can be looser than right: each is a mistake that a reviewer may overlook. */
import { boundariesOf, isOutside, type Page, type PageEdit, type PageTool, toolsOf } from './page-edit.ts';

/** Every single loosening of a page. */
export function loosenings(page: Page): readonly PageEdit[] {
  return [
    ...toolsOf(page).flatMap(([name, tool]) => ofTool(name, tool)),
    ...Object.entries(page.skeletons ?? {}).flatMap(([name, { entity }]) => ofSkeleton(name, entity, page)),
    ...boundariesOf(page).map(({ skeleton, path, boundary }): PageEdit => {
      const [, , kind, index] = path;
      return {
        kind: 'condition always true',
        path: [...path, 'when'],
        text: `the condition of ${skeleton} ${boundary.id} is always true`,
        tool: null,
        change: ({ skeletons }) => {
          const found = skeletons?.[skeleton]?.[kind as 'commit' | 'exit']?.[Number(index)];
          if (found !== undefined) found.when = 'true';
        },
      };
    }),
  ];
}

function ofTool(name: string, tool: PageTool): PageEdit[] {
  const path = ['tools', name];
  const edit = (kind: string, below: readonly string[], text: string, change: (tool: PageTool) => void): PageEdit => ({
    ...{ kind, text, tool: name, path: [...path, ...below] },
    change: ({ tools }) => {
      const found = tools?.[name];
      if (found !== undefined) change(found);
    },
  });
  return [
    ...(tool.effect === 'irreversible'
      ? [
          edit('idempotent', ['effect'], `${name} is called idempotent`, (found) => {
            found.effect = 'idempotent';
          }),
        ]
      : []),
    ...(['reads', 'writes'] as const).flatMap((list) =>
      (tool[list] ?? []).flatMap((key, index) => {
        if (list === 'writes' && !isOutside(key)) return [];
        const kind = isOutside(key) ? 'outside key removed' : 'read removed';
        return [
          edit(kind, [list, String(index)], `${name} is not said to ${list.slice(0, -1)} ${key}`, (found) => {
            found[list] = (found[list] ?? []).filter((_, at) => at !== index);
          }),
        ];
      }),
    ),
    ...(tool.timeout === undefined
      ? []
      : [edit('timeout missing', ['timeout'], `${name} has no timeout`, (found) => delete found.timeout)]),
    ...blinds(name, tool),
    ...dishonesties(name, tool),
    {
      ...{ kind: 'tool unlisted', path, text: `${name} is not listed`, tool: name },
      change: ({ tools }) => {
        if (tools !== undefined) delete tools[name];
      },
    },
  ];
}

function blinds(name: string, { writes = [] }: PageTool): PageEdit[] {
  return writes.flatMap((key, index): PageEdit[] => {
    if (isOutside(key)) return [];
    const blind = key.replace(/\{[^}]*\}/g, '*');
    return [
      {
        ...{ kind: 'blind added', path: ['tools', name, 'writes', String(index)], tool: name },
        text: `${blind} is called blind`,
        change: (page) => {
          page.keys = { ...page.keys, blind: [...(page.keys?.blind ?? []), blind] };
        },
      },
    ];
  });
}

/** Counterparties that do not do what the page says of them. */
function dishonesties(name: string, { effect, undo, reconcile }: PageTool): PageEdit[] {
  const asked = nameOf(reconcile);
  const base = { tool: name };
  return [
    ...(undo === undefined
      ? []
      : [
          {
            ...base,
            ...{ kind: 'undo idle', path: ['tools', name, 'undo'], text: `${undo} does nothing`, dishonest: { undo } },
          },
        ]),
    ...(asked === null
      ? []
      : [
          {
            ...base,
            ...{ kind: 'reconciler lies', path: ['tools', name, 'reconcile'] },
            ...{ text: `${asked} says of every call that it did not happen`, dishonest: { reconciler: asked } },
          },
        ]),
    ...(effect === 'none'
      ? []
      : [{ ...base, kind: 'key unused', path: ['tools', name], text: `${name} leaves its key out`, dishonest: base }]),
  ];
}

/** The name of the reconciler of a tool; null where it has none. */
function nameOf(reconcile: unknown): string | null {
  const named = typeof reconcile === 'object' && reconcile !== null ? (reconcile as { ask?: unknown }).ask : reconcile;
  return typeof named === 'string' ? named : null;
}

function ofSkeleton(name: string, entity: string | undefined, page: Page): PageEdit[] {
  const path = ['skeletons', name];
  const others = Object.keys(page.skeletons ?? {}).filter((other) => other !== name);
  return [
    ...(entity === undefined || /^\s*["']/.test(entity)
      ? []
      : [
          {
            ...{ kind: 'entities merged', path: [...path, 'entity'], text: `${name} is always about one`, tool: null },
            change: ({ skeletons }: Page) => {
              const found = skeletons?.[name];
              if (found !== undefined) found.entity = '"one"';
            },
          },
        ]),
    {
      ...{ kind: 'joint all', path: [...path, 'rollback'], text: `${name} may cross every promise`, tool: null },
      change: ({ skeletons }) => {
        const found = skeletons?.[name];
        if (found !== undefined) found.rollback = { ...found.rollback, joint: others };
      },
    },
  ];
}
