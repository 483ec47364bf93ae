import {spawnSync} from 'node:child_process';
import {existsSync, readFileSync} from 'node:fs';
import {join} from 'node:path';

// Installs the packages of this folder, which only slow tests and benches need, unless the right versions are installed.

const folder = import.meta.dirname;
/** @type {{dependencies: Record<string, string>}} */
const {dependencies} = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
if (!Object.entries(dependencies).every(isInstalled)) {
  console.error('Installing the packages of tests/extra (npm ci --prefix tests/extra) …');
  const {status} = spawnSync('npm', ['ci', '--prefix', folder], {
    stdio: 'inherit',
    shell: process.platform === 'win32',
  });
  process.exitCode = status ?? 1;
}

/** @type {(entry: [name: string, version: string]) => boolean} */
function isInstalled([name, version]) {
  return [folder, join(folder, '../..')].some(above => {
    const file = join(above, 'node_modules', name, 'package.json');
    return existsSync(file) && JSON.parse(readFileSync(file, 'utf8')).version === version;
  });
}
