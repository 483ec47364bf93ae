import {related, type Page} from './page.ts';

/**
 * Everything may be read, the paid paths too: a program that keeps to this file must be allowed to ask for what it wants
 * to buy, and unpaid they answer 402.
 */
export default {
  path: '/robots.txt',
  type: 'text/plain; charset=utf-8',

  compose({base_url}, _, papers) {
    const sitemaps = related(papers, 'sitemap').map(({path}) => `Sitemap: ${base_url}${path}\n`);
    return `User-agent: *\nAllow: /\n\n${sitemaps.join('')}`;
  },
} satisfies Page;
