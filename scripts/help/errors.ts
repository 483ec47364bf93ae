import {ERRORS, type ErrorEntry} from '../../shared/error-codes.ts';

const HEAD = `# Error codes

This page is generated from \`shared/error-codes.ts\`: \`npm run cli-docs\` writes it. \`frozen help FZ104\` shows one entry.

A message starts with the file or address, line and field, if the error has them. The error and its code follow, then the remedy:

\`\`\`text
data/sources/deny-list/2026-05-01/list.csv:3: class "gone" is not one of fraud, dead. [FZ102]
FZ102: ${ERRORS.FZ102.fix}
\`\`\`

With \`--json\`, each error in \`errors\` is \`{"code", "message", "fix", "file"?, "url"?, "line"?, "column"?, "field"?, "value"?}\`. The
meaning of a code does not change in later versions.`;

/** The subject of each hundred. */
const SUBJECTS: Readonly<Record<string, string>> = {
  FZ1: 'Lists and freezes',
  FZ2: 'Files of a site',
  FZ3: 'Queries and figures',
  FZ4: 'Output, git and hosts',
  FZ5: 'Gate, ledger and chain',
  FZ6: 'Buying and verifying',
  FZ9: 'Command line and machine',
};

/** Composes `docs/errors.md` from the table of error codes. */
export function errorReference(): string {
  const sections = Object.entries(SUBJECTS).flatMap(([prefix, subject]) => [
    `## ${subject}`,
    ...Object.entries(ERRORS).flatMap(([code, entry]) => (code.startsWith(prefix) ? [sectionOf(code, entry)] : [])),
  ]);
  return `${[HEAD, ...sections].join('\n\n')}\n`;
}

function sectionOf(code: string, {title, cause, fix}: ErrorEntry): string {
  return `### ${code}\n\n${title}.\n\n- **Cause**: ${cause}\n- **Remedy**: ${fix}`;
}

/** Returns what `frozen help` shows for a code, or undefined if no error has it. */
export function errorPage(text: string): string | undefined {
  const found = Object.entries(ERRORS).find(([code]) => code === text.toUpperCase());
  if (!found) return undefined;
  const [code, {title, cause, fix}] = found;
  return `${code}: ${title}.\n\nCause:  ${cause}\nRemedy: ${fix}\n`;
}
