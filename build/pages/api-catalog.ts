import {encode} from '../../shared/encode.ts';
import {mediaType, related, type Page} from './page.ts';

/** The API catalog (RFC 9727), a link set (RFC 9264) of the files that describe the API. */
export default {
  path: '/.well-known/api-catalog',
  type: 'application/linkset+json',
  relation: 'api-catalog',

  compose({base_url}, _, siteFiles) {
    const links = (['service-desc', 'service-doc', 'service-meta'] as const).map(relation => {
      const linked = related(siteFiles, relation);
      return [
        relation,
        linked.map(file => ({href: base_url + file.path.replace('/index.html', '/'), type: mediaType(file)})),
      ];
    });
    return encode({linkset: [{anchor: `${base_url}/api/v1/`, ...Object.fromEntries(links)}]});
  },
} satisfies Page;
