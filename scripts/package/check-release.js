import {readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {PROJECT} from './entries.js';
import {releaseFaults, releaseNotes} from './release-faults.js';

// For the release workflow: `check-release.js <tag> <file>` checks that package.json and CHANGELOG.md match the tag, and writes the
// changelog of the version to the file.

const [tag = '', file = 'notes.md'] = process.argv.slice(2);
const tool = JSON.parse(readFileSync(join(PROJECT, 'package.json'), 'utf8'));
const changelog = readFileSync(join(PROJECT, 'CHANGELOG.md'), 'utf8');
const faults = releaseFaults({tag, tool, changelog});
for (const fault of faults) console.error(fault);
if (faults.length === 0) writeFileSync(file, releaseNotes(changelog, tool.version) ?? '');
process.exitCode = faults.length > 0 ? 1 : 0;
