import type {Rule} from '../../shared/shapes.ts';
import {counted} from '../../shared/counted.ts';
import {GITHUB_PAGES_FILE} from '../../shared/paths.ts';
import {encode} from '../../shared/encode.ts';
import type {Host} from './host.ts';

/** The paths that a paid document could have: directly below `/api/v1/`, without an extension or with that of another format. */
const COULD_BE_PAID = /^\/api\/v1\/[^/.]*(\.(csv|parquet))?$/;

/** GitHub Pages cannot charge, so only the free files are deployed there. The rules file lists the documents to leave out. */
export default {
  name: 'github-pages',
  mostBytes: 100 * 1024 * 1024,

  compose({site, rules}) {
    const paid = rules.map(({path}) => path);
    const says = `GitHub Pages cannot ask for payment: the paid documents are left out there and sold only at ${site.base_url}.`;
    const text = encode({says, sold_at: site.base_url, leave_out: paid});
    const left = `GitHub Pages cannot ask for payment: deployments to it leave out ${counted(paid.length, 'paid document')}`;
    const nowhere = `${site.base_url} is GitHub Pages, where nothing is sold: set base_url to a host with a gate`;
    const isNowhere = new URL(site.base_url).hostname.endsWith('.github.io') && paid.length > 0;
    return {files: new Map([[GITHUB_PAGES_FILE, text]]), notes: isNowhere ? [left, nowhere] : [left]};
  },
} satisfies Host;

/**
 * True if a deployment to a host without a gate must leave out a path, for example `/api/v1/softfail3`. Also true of a path that a paid
 * document could have and that no rule names, so that a missing rule never exposes a document.
 */
export function leavesOut(path: string, rules: readonly Pick<Rule, 'path'>[]): boolean {
  return COULD_BE_PAID.test(path) || rules.some(rule => rule.path === path);
}
