import tool from '../../package.json' with {type: 'json'};
import {isPublished, tarballName} from './release.ts';

/** The pages with install instructions. */
export const PAGES_WITH_INSTALL = ['README.md', 'docs/quick-start.md'];

const MARK = 'sh not-run: installs packages; tests/package/package.slow.ts installs the packed tool in the same way';

/** Replaces the install instructions of a page, between its two comments. */
export function withInstall(page: string, published = isPublished): string {
  const part = /(?<=<!-- install -->\n)[^]*?(?=<!-- end of install -->)/;
  if (!part.test(page)) throw new Error('The page does not contain the comments around the instructions to install.');
  return page.replace(part, () => `\n${published ? fromNpm() : fromClone()}\n\n`);
}

function fromNpm(): string {
  return `\`\`\`${MARK}
npm install --global ${tool.name}
\`\`\``;
}

function fromClone(): string {
  return `The package is not published on npm yet, so install it from a clone of this repository. Run these lines in the clone:

\`\`\`${MARK}
npm ci && npm pack
npm install --global ./${tarballName}
\`\`\``;
}
