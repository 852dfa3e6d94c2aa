/** The sections of CHANGELOG.md: one for each version, the newest first. */

const HEADING = /^## (\d+\.\d+\.\d+(?:-[\w.]+)?) \((unreleased|\d{4}-\d{2}-\d{2})\)$/gm;

/** The sections of a changelog, in its order; `date` is null for a version that is not released. */
export function sectionsOf(text) {
  const headings = [...text.matchAll(HEADING)];
  return headings.map(({ 0: heading, 1: version, 2: date, index }, nth) => ({
    version,
    date: date === 'unreleased' ? null : date,
    body: text.slice(index + heading.length, headings[nth + 1]?.index).trim(),
  }));
}

/** A changelog whose newest section, which was unreleased, is that of a version as of a day. */
export function released(text, version, day) {
  const [newest] = sectionsOf(text);
  if (newest?.date !== null) throw new Error('CHANGELOG.md has no "## VERSION (unreleased)" at its top to release');
  return text.replace(`## ${newest.version} (unreleased)`, `## ${version} (${day})`);
}
