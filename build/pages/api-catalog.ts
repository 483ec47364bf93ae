import {encode} from '../../shared/encode.ts';
import {mediaType, related, type Page} from './page.ts';

/** Where the papers of the API are (RFC 9727), as a link set (RFC 9264). */
export default {
  path: '/.well-known/api-catalog',
  type: 'application/linkset+json',
  relation: 'api-catalog',

  compose({base_url}, _, papers) {
    const links = (['service-desc', 'service-doc', 'service-meta'] as const).map(relation => {
      const linked = related(papers, relation);
      return [
        relation,
        linked.map(paper => ({href: base_url + paper.path.replace('/index.html', '/'), type: mediaType(paper)})),
      ];
    });
    return encode({linkset: [{anchor: `${base_url}/api/v1/`, ...Object.fromEntries(links)}]});
  },
} satisfies Page;
