import {createHash} from 'node:crypto';
import {readFileSync} from 'node:fs';
import {raw} from 'hono/html';

/** Style and script that a page carries within itself, and the policy that lets it load and run these. */
export interface Inline {
  readonly style: ReturnType<typeof raw>;
  readonly script?: ReturnType<typeof raw>;
  readonly policy: string;
}

const [design, head, rest, crystal] = ['../../../shared/design.css', 'head.css', 'style.css', 'crystal.css'].map(
  textBeside,
);
const style = [design, head, rest, crystal].join('\n');
const headStyle = [design, head, crystal].join('\n');
const script = textBeside('../in-browser/in-browser.js');

/** For pages of the shop. The script only adds to a page that is complete without it. */
export const wholeInline: Inline = {
  style: raw(`<style>${style}</style>`),
  script: raw(`<script>${script}</script>`),
  policy: policyOf([style], script),
};

/** For a page that is a head and nothing else. */
export const headInline: Inline = {style: raw(`<style>${headStyle}</style>`), policy: policyOf([headStyle])};

/** The policy of all pages for hosts that send headers; `frame-ancestors` means nothing in a `<meta>`. */
export const headerPolicy = `${policyOf([style, headStyle], script)}; frame-ancestors 'none'`;

/**
 * Allows these styles and this script by their digests (Content Security Policy, level 2), the icon of the site, and further pages of a
 * list. Neither style nor script ever holds text of a product.
 */
function policyOf(styles: readonly string[], script?: string): string {
  return [
    "default-src 'none'",
    ...(script === undefined ? [] : [`script-src ${digestOf(script)}`]),
    `style-src ${styles.map(digestOf).join(' ')}`,
    "img-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
}

function textBeside(name: string): string {
  return readFileSync(new URL(name, import.meta.url), 'utf8');
}

function digestOf(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}
