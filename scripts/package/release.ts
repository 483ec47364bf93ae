import tool from '../../package.json' with {type: 'json'};

interface Release {
  readonly name: string;
  readonly version: string;
  readonly private?: boolean;
  readonly bugs?: {readonly url: string};
}

const {name, version, private: isPrivate = false, bugs} = tool as Release;

/**
 * True if the package is on npm. `private` in package.json decides it, because npm refuses to publish a private package. The dependency that
 * `frozen init` writes and the install commands in the docs depend on it.
 */
export const isPublished = !isPrivate;

/** The address for bug reports, from package.json, if the project has one. */
export const bugsUrl = bugs?.url;

/** The name of the file that `npm pack` writes. */
export const tarballName = `${name}-${version}.tgz`;
