import {PROJECT} from '../../project.ts';
import {buildOf} from './commands.ts';
import type {Contender} from './turns.ts';

/** A build that is measured in every round. */
export interface Build extends Pick<Contender, 'name' | 'against'> {
  /** Prepares the site of a round for the code in a folder, which is not measured. */
  readonly prepare?: (root: string, round: number, code: string) => Promise<unknown>;
}

/**
 * Returns builds as contenders. Each round has a new site, because builds cache their results by the path of the site.
 *
 * @param site the path of the sites, without the round
 * @param former the folder of earlier code, which runs each build first, in sites of its own
 */
export function buildsOf(site: string, builds: readonly Build[], former?: string): Contender[] {
  if (former === undefined) return builds.map(build => contenderOf(build, site, PROJECT));
  return builds.flatMap(build => {
    const name = formerName(build.name);
    return [
      contenderOf({...build, name}, formerSite(site), former),
      {...contenderOf(build, site, PROJECT), former: name},
    ];
  });
}

function contenderOf({prepare, ...build}: Build, site: string, code: string): Contender {
  return {
    ...build,
    prepare: async round => prepare?.(siteFolder(site, round), round, code),
    command: round => buildOf(siteFolder(site, round), code),
  };
}

/** Returns the name of the same build by the former code. */
export function formerName(name: string): string {
  return `former ${name}`;
}

/** Returns the path of the sites that the former code builds, without the round. */
export function formerSite(site: string): string {
  return `${site}-former`;
}

export function siteFolder(site: string, round: number): string {
  return `${site}-${round}`;
}
