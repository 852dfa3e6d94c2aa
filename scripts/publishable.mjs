/** The complaints about a package that is to be published. Empty: it may be. */
import { sectionsOf } from './changelog.mjs';

/**
 * @param found the parsed package.json, the version of its lockfile, and the text of CHANGELOG.md.
 * @param release what a release needs besides: the tag that it is made from. Null for a check on the way.
 */
export function complaints({ manifest, locked, changelog }, release) {
  const [newest] = sectionsOf(changelog);
  const { version, publishConfig = {} } = manifest;
  const wrong = [];
  if (version !== locked)
    wrong.push(`package.json has version ${version}, package-lock.json ${locked}: run npm install`);
  if (newest === undefined) wrong.push('CHANGELOG.md has no section "## VERSION (unreleased)" or "## VERSION (DATE)"');
  else if (newest.body === '')
    wrong.push(`CHANGELOG.md says nothing about ${newest.version}: say what changes for users`);
  if (publishConfig.provenance !== true) wrong.push('package.json has no publishConfig.provenance: set it to true');
  if (publishConfig.access !== 'public') wrong.push('package.json has no publishConfig.access: set it to "public"');
  if (release === null) return wrong;
  if (release.tag !== `v${version}`) wrong.push(`the tag is ${release.tag}, the version ${version}: use npm version`);
  if (newest !== undefined && (newest.version !== version || newest.date === null))
    wrong.push(
      `CHANGELOG.md begins with ${newest.version}, ${newest.date ?? 'unreleased'}: npm version dates ${version}`,
    );
  if (manifest.repository === undefined)
    wrong.push('package.json names no repository, which provenance is checked against: set "repository"');
  return wrong;
}
