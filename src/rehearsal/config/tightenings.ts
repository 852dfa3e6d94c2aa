/** The ways in which a config can promise less: the one that removes a harm says where the config promises too much. */
import { boundariesOf, type Page, type PageEdit, type PageTool, toolsOf } from './page-edit.ts';

/** Every single tightening of a page, those about one tool first; the blunt ones stand last. */
export function tightenings(page: Page, called: ReadonlySet<string>, fields: readonly string[]): readonly PageEdit[] {
  return [
    ...toolsOf(page).flatMap(([name, tool]) => ofTool(name, tool)),
    ...unlisted(page, called),
    ...keys(page),
    ...Object.keys(page.skeletons ?? {}).flatMap((name) => ofSkeleton(name, page, fields)),
    ...boundariesOf(page).map(ofBoundary),
    ...toolsOf(page).flatMap(([name, tool]) => bluntly(name, tool, page)),
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
    ...fields.map((field) => ({
      ...{ kind: 'entities merged', path: [...path, 'entity'], tool: null },
      text: `tell the occurrences of ${name} apart, by args.${field} for instance`,
      change: change((skeleton) => {
        skeleton.entity = `args.${field}`;
      }),
    })),
  ];
}

function ofBoundary({ skeleton, path, boundary }: ReturnType<typeof boundariesOf>[number]): PageEdit {
  return {
    ...{ kind: 'condition always true', path: [...path, 'when'], tool: null },
    text: `certify ${skeleton} ${boundary.id} only once what it promises is there`,
    change: ({ skeletons }) => {
      const rollback = skeletons?.[skeleton]?.rollback;
      if (rollback !== undefined) rollback.anchors = (rollback.anchors ?? []).filter((id) => id !== boundary.id);
    },
  };
}

function bluntly(name: string, tool: PageTool, page: Page): PageEdit[] {
  const schemes = new Set(
    toolsOf(page).flatMap(([, { reads = [], writes = [] }]) =>
      [...reads, ...writes].flatMap((key) => /^[a-z][a-z0-9+.-]*:/.exec(key)?.[0] ?? []),
    ),
  );
  return [
    onTool('read removed', name, tool.reads === undefined ? [] : ['reads'], `say all that ${name} reads`, (found) => {
      found.reads = ['**'];
    }),
    onTool(
      'outside key removed',
      name,
      tool.writes === undefined ? [] : ['writes'],
      `say all that ${name} changes outside`,
      (found) => {
        found.writes = [...(found.writes ?? []), ...[...schemes].map((scheme) => `${scheme}**`)];
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
