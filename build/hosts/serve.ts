import {FORMATS, JSON_TYPE, paths, PUBLIC, SIGNATURE_TYPE} from '../../shared/paths.ts';
import {encode} from '../../shared/encode.ts';
import {headerPolicy} from '../pages/assets.ts';
import type {Host} from './host.ts';

const safe = {'X-Content-Type-Options': 'nosniff', 'Content-Security-Policy': headerPolicy};

/**
 * Settings of `serve`, which shows the tree without a gate: no folder listing, because it would list every paid document, and a content
 * type for documents without an extension.
 */
export default {
  name: 'serve',
  compose({site, pages, rules}) {
    const others = Object.values(FORMATS).filter(({ending}) => ending && rules.some(({path}) => path.endsWith(ending)));
    const config = {
      directoryListing: false,
      headers: [
        rule('**', safe),
        // `**` does not match folders that start with a dot.
        rule('/.well-known/*', safe),
        rule('api/v1/!(*.*)', {'Content-Type': JSON_TYPE}),
        ...others.map(({ending, type}) => rule(`api/v1/*${ending}`, {'Content-Type': type})),
        ...(site.signing ? [rule(paths.signature, {'Content-Type': SIGNATURE_TYPE})] : []),
        ...pages.map(({path, type}) => rule(path, {'Content-Type': type})),
      ],
    };
    return {files: new Map([[`${PUBLIC}/serve.json`, encode(config)]])};
  },
} satisfies Host;

function rule(source: string, headers: Readonly<Record<string, string>>) {
  return {source, headers: Object.entries(headers).map(([key, value]) => ({key, value}))};
}
