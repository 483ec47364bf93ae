import {execFileSync} from 'node:child_process';
import {writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {FROZEN, PROJECT} from '../project.ts';

// Writes docs/cli.md from the help of all commands. Run it after `npm run compile` when a help text has changed.

const GROUPS: Readonly<Record<string, readonly string[]>> = {
  'Make a site': ['init', 'freeze', 'build', 'dev', 'demo'],
  'Check it': ['review', 'verify'],
  'Publish it': [
    'deploy s3',
    'deploy cloudflare',
    'deploy github-pages',
    'keys new',
    'keys rotate',
    'sign',
    'prove',
    'witness',
  ],
  Sell: ['start', 'sales', 'refund'],
  Buy: ['buy', 'mcp'],
};

const INTRODUCTION = `# Commands

This page is the output of \`--help\` for each command. These rules apply to all of them:

- **Site**: a command works on the nearest folder with \`data/site.json\`, here or in a parent folder. \`--root DIR\` names another site.
- **Exit codes**: 0 for success, 1 if the input or a check failed, 2 for wrong usage.
- **Programs**: \`--json\` writes JSON to standard output. If something is wrong it is \`{"ok": false, "faults": […], "more": 0}\`.
- **Dry runs**: \`deploy\` changes nothing without \`--yes\`. \`build --check\`, \`freeze --dry-run\` and \`buy --dry-run\` write nothing.
- **Environment**: see [environment variables](environment.md).
`;

const sections = Object.entries(GROUPS).map(([group, commands]) =>
  [`## ${group}`, ...commands.map(sectionOf)].join('\n\n'),
);
writeFileSync(join(PROJECT, 'docs/cli.md'), `${[INTRODUCTION.trimEnd(), ...sections].join('\n\n')}\n`);

function sectionOf(command: string): string {
  const help = execFileSync(process.execPath, [FROZEN, ...command.split(' '), '--help'], {encoding: 'utf8'});
  return `### frozen ${command}\n\n\`\`\`console\n$ frozen ${command} --help\n${help.trim()}\n\`\`\``;
}
