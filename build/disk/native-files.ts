import {createRequire} from 'node:module';

/** The functions of fs-native-extensions that this project calls: the package has no type declarations of its own. */
interface NativeFiles {
  /** True where nobody else holds the file; the system lets go of it when the process ends, however it ends. */
  tryLock(file: number, how?: {readonly shared: boolean}): boolean;
  /** Has two files or folders change places, in one step. */
  swapSync(one: string, other: string): void;
}

/** Loaded where it is needed: not every system has it. */
export function nativeFiles(): NativeFiles {
  return createRequire(import.meta.url)('fs-native-extensions') as NativeFiles;
}
