/** Devices, with whatever ending: Microsoft, "Naming Files, Paths, and Namespaces"; older versions take 0 as well. */
const DEVICE = /^(con|prn|aux|nul|(com|lpt)[0-9¹²³]|conin\$|conout\$|clock\$) *([.:]|$)/i;

/** What is wrong with the name of a file or folder that no Windows can have. */
export const RESERVED = 'is a name that Windows reserves for a device';

/** Whether Windows takes a file or folder of this name, or of this name with an ending, for a device: `con`, `Nul.json`, `com1.csv.gz`. */
export function isDevice(name: string): boolean {
  return DEVICE.test(name);
}

/** What is wrong with a name beside its twin. */
export const twinOf = (earlier: string) =>
  `is taken for ${earlier} where disks do not tell case or Unicode forms apart`;

/** The names that an earlier one hides on a file system that takes upper and lower case, or Unicode forms, for one: each with that one. */
export function twinsAmong(names: readonly string[]): (readonly [name: string, earlier: string])[] {
  const first = new Map(names.toReversed().map(name => [foldedName(name), name]));
  return names.flatMap(name => {
    const earlier = first.get(foldedName(name)) ?? name;
    return earlier === name ? [] : [[name, earlier] as const];
  });
}

/** The same for all names that any file system takes for one. Some pass over characters without a width, some over dots and spaces at the end. */
export function foldedName(name: string): string {
  const visible = name.replaceAll(/\p{Default_Ignorable_Code_Point}/gu, '').replace(/[. ]+$/, '');
  return visible.normalize('NFKD').toUpperCase().toLowerCase().normalize('NFKD');
}
