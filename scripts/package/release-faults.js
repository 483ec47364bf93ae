/**
 * Returns one sentence for each reason why a tag must not be released.
 * @param {{tag: string, tool: {version: string, private?: boolean}, changelog: string}} release
 */
export function releaseFaults({tag, tool: {version, private: isPrivate = false}, changelog}) {
  const faults = [];
  if (tag !== `v${version}`) faults.push(`The tag ${tag} is not v${version}, the version in package.json.`);
  if (releaseNotes(changelog, version) === undefined)
    faults.push(
      `CHANGELOG.md does not have a section "## ${version}, <date>", for example "## ${version}, 2026-12-31".`,
    );
  if (isPrivate) faults.push('package.json has "private": true, which npm does not publish.');
  return faults;
}

/**
 * Returns the part of a changelog about a version, if that has a date.
 * @param {string} changelog
 * @param {string} version
 */
export function releaseNotes(changelog, version) {
  const parts = changelog.split(/^## /m).slice(1);
  const part = parts.find(text => new RegExp(`^${version.replaceAll('.', '\\.')}, \\d{4}-\\d{2}-\\d{2}\\n`).test(text));
  return part?.slice(part.indexOf('\n') + 1).trim();
}
