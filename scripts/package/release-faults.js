/**
 * The members of package.json for a release.
 * @typedef {{version: string, private?: boolean}} Tool
 */

/**
 * Returns one sentence for each reason why a tag must not be released.
 * @param {{tag: string, tool: Tool, changelog: string}} release
 * @returns {string[]}
 */
export function releaseFaults({tag, tool, changelog}) {
  const checks = /** @type {const} */ ([
    [tag === `v${tool.version}`, `The tag ${tag} is not v${tool.version}, the version in package.json.`],
    [
      releaseNotes(changelog, tool.version) !== undefined,
      `CHANGELOG.md does not have a section "## ${tool.version}, <date>", for example "## ${tool.version}, 2026-12-31".`,
    ],
    [tool.private !== true, 'package.json has "private": true, which npm does not publish.'],
  ]);
  return checks.flatMap(([isRight, fault]) => (isRight ? [] : [fault]));
}

/**
 * Returns the part of a changelog about a version, if that has a date.
 * @param {string} changelog
 * @param {string} version
 * @returns {string | undefined}
 */
export function releaseNotes(changelog, version) {
  const parts = changelog.split(/^## /m).slice(1);
  const part = parts.find(text => new RegExp(`^${version.replaceAll('.', '\\.')}, \\d{4}-\\d{2}-\\d{2}\\n`).test(text));
  return part?.slice(part.indexOf('\n') + 1).trim();
}
