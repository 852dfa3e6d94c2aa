/** The pages of the site: the documents of the repository at the addresses of their files, and a playground. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('..', import.meta.url));
/** The folder in which the pages are laid out for VitePress. */
export const staged = join(root, 'site/.pages');
/** The folder with the finished site. */
export const finished = join(root, 'reports/site');

/** The groups of the sidebar. A page of docs/ that no group names stands under "More". */
const GROUPS = {
  Begin: ['README.md', 'docs/README.md', 'docs/guide.md', 'playground.md'],
  'Ways to run': ['docs/sidecar.md', 'docs/flow.md', 'docs/loops.md', 'docs/langgraph.md', 'docs/chat-agents.md'],
  Configs: ['docs/boundary-format.md', 'docs/types.md', 'docs/rehearse.md', 'docs/verify.md', 'docs/adapters.md'],
  Operation: [
    ...['docs/workers.md', 'docs/postgres.md', 'docs/deploying.md', 'docs/after-a-fix.md', 'docs/inspect.md'],
    ...['docs/notify.md', 'docs/otel.md', 'docs/claims.md', 'docs/steering.md', 'docs/speculation.md'],
    'docs/revalidated-reads.md',
    'docs/obligations.md',
    'docs/mandates.md',
    'docs/judges.md',
  ],
  Reference: [
    ...['docs/semantics.md', 'docs/glossary.md', 'docs/lifecycle.md', 'docs/trace-format.md'],
    'docs/archive-format.md',
  ],
  Evidence: [
    ...['docs/evidence.md', 'docs/dart.md', 'audit/README.md'],
    ...['domains/README.md', 'examples/README.md'],
  ],
  'The code': ['CONTRIBUTING.md', 'docs/architecture.md', 'docs/style.md', 'CHANGELOG.md'],
};

/** The folders whose pages fill a group of their own. */
const FOLDERS = { Rehearsals: 'docs/rehearsals', Decisions: 'docs/decisions' };

const PLAYGROUND = `---
layout: page
sidebar: false
pageClass: playground-page
playground: true
---

# Playground

What \`belay decide\` answers, computed in this page: write a [trace](docs/trace-format.md), and read its answer
beside it or below. Nothing leaves the browser.
`;

/** The text of a page, by the path of its file. */
export function source(path) {
  return path === 'playground.md' ? PLAYGROUND : readFileSync(join(root, path), 'utf8');
}

/** The pages by the groups of the sidebar, each group with the paths of its files. */
export function groups() {
  const there = (path) => path === 'playground.md' || existsSync(join(root, path));
  const named = Object.entries(GROUPS).map(([group, paths]) => [group, paths.filter(there)]);
  const of = (folder) => readdirSync(join(root, folder)).filter((name) => name.endsWith('.md'));
  const listed = new Set(named.flatMap(([, paths]) => paths));
  const more = of('docs')
    .map((name) => `docs/${name}`)
    .filter((path) => !listed.has(path));
  const folders = Object.entries(FOLDERS).map(([group, folder]) => [
    group,
    of(folder).map((name) => `${folder}/${name}`),
  ]);
  return [...named, ['More', more], ...folders].filter(([, paths]) => paths.length > 0);
}

/** The path of a page within the site: a folder's README is its index. */
export function address(path) {
  return path.replace(/(^|\/)README\.md$/, '$1index.md');
}

/** The title of a page: its first heading, without marks. */
export function titleOf(text) {
  return /^# (.+)$/m.exec(text)?.[1]?.replaceAll('`', '') ?? 'Untitled';
}

/** The first sentence of a page. */
export function summaryOf(text) {
  const prose = text.replace(/^---\n[\s\S]*?\n---\n/, '').split(/\n\s*\n/);
  const first = prose.find((part) => /^[\p{L}_`[*]/u.test(part.trim()) && !part.startsWith('|')) ?? '';
  const plain = first
    .replace(/\s+/g, ' ')
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/(^|\s)_(.+?)_(?=\s|$)/g, '$1$2')
    .replaceAll('**', '');
  return /^.*?[.?:](?=\s|$)/.exec(plain)?.[0].replace(/:$/, '.') ?? plain;
}

const FENCED = /(^[ \t]*```[\s\S]*?^[ \t]*```[ \t]*$)/m;

/** Changes the parts of a page that are in no fenced block. */
function outside(text, change) {
  return text
    .split(FENCED)
    .map((part, index) => (index % 2 === 0 ? change(part) : part))
    .join('');
}

/** The files beside the pages that pages link to, by their paths from the root. */
export const linkedFiles = new Set();

/** A page as VitePress takes it: links lead to pages of the site or to files that are copied, and a block says its file. */
export function prepared(path, pages) {
  const folder = dirname(path);
  const linked = outside(source(path), (part) =>
    // A comment is for readers of the source.
    part
      .replace(/^[ \t]*<!--[\s\S]*?-->\n?/gm, '')
      .replace(/\]\((?![a-z]+:|#)([^)#\s]+)(#[^)]*)?\)/g, (whole, target, hash = '') => {
        const to = posix.normalize(posix.join(folder, target));
        if (pages.has(to)) return `](/${address(to)}${hash})`;
        if (pages.has(`${to.replace(/\/$/, '')}/README.md`)) return `](/${to.replace(/\/$/, '')}/index.md${hash})`;
        if (!existsSync(join(root, to))) return whole;
        linkedFiles.add(to);
        return `](/${to})`;
      }),
  );
  const named = linked.replace(/^```(\w+) (\S+\.\w+)( \S+)?$/gm, '*`$2`*\n\n```$1');
  return named.replace(/^```cells\b/gm, '```text');
}
