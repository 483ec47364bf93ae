import {join} from 'node:path';
import {rollup} from 'rollup';
import {dts} from 'rollup-plugin-dts';
import ts from 'typescript';
import {DIST} from './entries.js';

// Bundles the types of the exports, which tsc wrote into dist/types, with those of the packages that compile.js bundles.

const bundled = /^(@x402|zod|viem|abitype|ox)(\/|$)/;
const types = await rollup({
  input: ['index', 'buy'].map(name => join(DIST, 'types/scripts/package', `${name}.d.ts`)),
  external: id => !/^[./]/.test(id) && !bundled.test(id),
  plugins: [
    dts({
      respectExternal: true,
      compilerOptions: {module: ts.ModuleKind.ESNext, moduleResolution: ts.ModuleResolutionKind.Bundler},
    }),
  ],
  // Types that the exports mention, but that are not exports.
  onLog(level, log, print) {
    if (log.code !== 'PLUGIN_WARNING') print(level, log);
  },
});
await types.write({dir: DIST, chunkFileNames: 'common.d.ts'});
