import {encode} from '../documents/text.ts';
import {paths} from '../../shared/paths.ts';
import type {Page} from './page.ts';

/** Where the papers of the API are (RFC 9727), as a link set (RFC 9264). */
export default {
  path: '/.well-known/api-catalog',
  type: 'application/linkset+json',

  compose({base_url}) {
    const at = (path: string, type: string) => [{href: base_url + path, type}];
    const api = {
      anchor: `${base_url}/api/v1/`,
      'service-desc': at('/openapi.json', 'application/json'),
      'service-doc': [...at('/', 'text/html'), ...at('/llms.txt', 'text/plain')],
      'service-meta': at(paths.catalogue, 'application/json'),
    };
    return encode({linkset: [api]});
  },
} satisfies Page;
