/** Device names, with any extension: Microsoft, "Naming Files, Paths, and Namespaces". Older versions also reserve 0. */
const DEVICE = /^(con|prn|aux|nul|(com|lpt)[0-9¹²³]|conin\$|conout\$|clock\$) *([.:]|$)/i;

/** Returns the paths that some file systems do not allow, then those that some treat as equal to an earlier one, each with the error. */
export function forbiddenAmong(paths: readonly string[]): (readonly [path: string, rule: string])[] {
  return [
    ...paths.filter(path => path.split('/').some(isDevice)).map(path => [path, RESERVED] as const),
    ...twinsAmong(paths).map(([path, earlier]) => [path, twinOf(earlier)] as const),
  ];
}

/** The error for a name that Windows does not allow. */
export const RESERVED = 'is a name that Windows reserves for a device';

/** True if Windows treats this name as a device, with or without an extension: `con`, `Nul.json`, `com1.csv.gz`. */
export function isDevice(name: string): boolean {
  return DEVICE.test(name);
}

/** The error for a name that some file systems treat as equal to an earlier one. */
const twinOf = (earlier: string) => `is taken for ${earlier} on file systems that ignore case or Unicode forms`;

/** Returns the names that equal an earlier one on a file system that ignores case or Unicode normalization, each with that earlier name. */
function twinsAmong(names: readonly string[]): (readonly [name: string, earlier: string])[] {
  const first = new Map(names.toReversed().map(name => [foldedName(name), name]));
  return names.flatMap(name => {
    const earlier = first.get(foldedName(name)) ?? name;
    return earlier === name ? [] : [[name, earlier] as const];
  });
}

/**
 * Returns the same string for all names that some file system treats as equal. Some ignore zero-width characters, others dots and spaces at
 * the end.
 */
export function foldedName(name: string): string {
  const visible = name.replaceAll(/\p{Default_Ignorable_Code_Point}/gu, '').replace(/[. ]+$/, '');
  return visible.normalize('NFKD').toUpperCase().toLowerCase().normalize('NFKD');
}
