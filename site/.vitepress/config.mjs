/** VitePress for the pages that site/build.mjs has laid out in site/.pages. */
import { defineConfig } from 'vitepress';
import { address, finished, groups, source, titleOf } from '../pages.mjs';

/** The groups that a reader opens. */
const CLOSED = new Set(['Rehearsals', 'Decisions']);

export default defineConfig({
  title: 'Belay',
  description:
    'Decides from which point the work of a failed agent may be redone so that everything promised stays true.',
  lang: 'en-GB',
  base: process.env.SITE_BASE ?? '/',
  srcDir: '.pages',
  outDir: finished,
  cacheDir: '.cache',
  head: [['link', { rel: 'icon', href: `${process.env.SITE_BASE ?? '/'}icon.svg` }]],
  markdown: {
    // The documents are plain Markdown: what looks like a tag, an attribute or a template is text.
    attrs: { disable: true },
    anchor: { slugify },
    config(md) {
      md.set({ html: false });
      md.disable('emoji', true);
      const text = md.renderer.rules.text;
      md.renderer.rules.text = (...args) => text(...args).replaceAll('{{', '&#123;&#123;');
    },
  },
  themeConfig: {
    search: { provider: 'local' },
    nav: [
      { text: 'Guide', link: '/docs/guide' },
      { text: 'Semantics', link: '/docs/semantics' },
      { text: 'Playground', link: '/playground' },
    ],
    sidebar: groups().map(([group, paths]) => ({
      text: group,
      collapsed: CLOSED.has(group),
      items: paths.map((path) => ({
        text: titleOf(source(path)),
        link: `/${address(path).replace(/(index)?\.md$/, '')}`,
      })),
    })),
    outline: { level: [2, 3] },
  },
});

/** The anchor of a heading, as the readers of the repository's pages have it. */
function slugify(text) {
  return text
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replace(/\s/g, '-');
}
