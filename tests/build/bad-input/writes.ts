import {mkdir, rename, rm, symlink} from 'node:fs/promises';
import {dirname, join, relative} from 'node:path';
import {CLASS_SHARE, type SiteFixture} from '../site-fixture.ts';
import type {BadInput} from './bad-input.ts';

/** An obstacle to a build that changes a price. */
const blocked = (
  name: string,
  block: (site: SiteFixture, path: (below: string) => string) => Promise<unknown>,
  says: BadInput['says'],
): BadInput => ({
  name,
  breaks: async site => {
    await site.write('data/products/soft-fail-3.json', {...CLASS_SHARE, price: '$0.03'});
    await block(site, below => join(site.root, below));
  },
  says,
});
/** A path of the output that is a file. */
const file = (path: string, says: BadInput['says']) =>
  blocked(
    `${path} that is a file`,
    async (site, at) => {
      await rm(at(path), {recursive: true, force: true});
      await site.write(path, 'in the way');
    },
    says,
  );
/** A path of the output that is a folder. */
const folder = (path: string, says: BadInput['says']) =>
  blocked(
    `${path} that is a folder`,
    async (site, at) => {
      await rm(at(path), {recursive: true, force: true});
      await site.write(`${path}/theirs.txt`, 'not ours');
    },
    says,
  );
/** A folder of the output that is a link to another folder with the same contents. */
const link = (path: string, says: BadInput['says']) =>
  blocked(
    `${path} that is a link`,
    async (_, at) => {
      await rename(at(path), at('elsewhere'));
      await symlink(relative(dirname(at(path)), at('elsewhere')), at(path));
    },
    says,
  );

export const writes: readonly BadInput[] = [
  file('public', 'public is in the way: a folder must be here'),
  file('public/api', 'public/api is in the way: a folder must be here'),
  file('public/api/v1', 'public/api/v1 is in the way: a folder must be here'),
  file('public/api/v1/samples', 'public/api/v1/samples is in the way: a folder must be here'),
  file('paywall', 'paywall is in the way: a folder must be here'),
  file('paywall/rules', 'paywall/rules is in the way: a folder must be here'),
  folder('public/api/v1/softfail3', 'public/api/v1/softfail3 is in the way: a file must be here'),
  folder(
    'public/api/v1/samples/softfail3.json',
    'public/api/v1/samples/softfail3.json is in the way: a file must be here',
  ),
  folder('public/api/v1/index.json', 'public/api/v1/index.json is in the way: a file must be here'),
  folder('paywall/rules/rules.json', 'paywall/rules/rules.json is in the way: a file must be here'),
  link('public', 'public is a link to elsewhere: the output must be in the root'),
  link('public/api', 'public/api is a link to ../elsewhere: the output must be in the root'),
  link('public/api/v1', 'public/api/v1 is a link to ../../elsewhere: the output must be in the root'),
  link(
    'public/api/v1/samples',
    'public/api/v1/samples is a link to ../../../elsewhere: the output must be in the root',
  ),
  link('paywall', 'paywall is a link to elsewhere: the output must be in the root'),
  blocked(
    'a staging folder that is a file',
    site => site.write('.build', 'in the way'),
    '.build is in the way: a folder must be here',
  ),
  blocked(
    'a staging folder that is a link',
    async (_, at) => {
      await mkdir(at('elsewhere'));
      await symlink('elsewhere', at('.build'));
    },
    '.build is a link to elsewhere: the output must be in the root',
  ),
  blocked(
    'a link that leads nowhere in place of a folder',
    async (_, at) => {
      await rename(at('public/api/v1/samples'), at('samples'));
      await symlink('nowhere', at('public/api/v1/samples'));
    },
    'public/api/v1/samples is a link to nowhere: the output must be in the root',
  ),
  {
    name: 'a page of the publisher at the path of its page, before the first build',
    breaks: async site => {
      for (const folder of ['public', 'paywall']) await rm(join(site.root, folder), {recursive: true});
      await site.write('public/index.html', 'by hand');
    },
    says: 'public/index.html exists, and no build wrote it',
  },
  {
    name: 'a file of the publisher at the path of a new document',
    breaks: async site => {
      await site.write('data/products/other.json', {...CLASS_SHARE, title: 'Other'});
      await site.write('public/api/v1/other', 'by hand');
    },
    says: 'public/api/v1/other exists, and no build wrote it',
  },
  {
    name: 'to remove files behind a link',
    breaks: async site => {
      await rm(join(site.root, 'data/products/soft-fail-3.json'));
      await rename(join(site.root, 'public/api/v1/history'), join(site.root, 'elsewhere'));
      await symlink('../../../elsewhere', join(site.root, 'public/api/v1/history'));
    },
    says: 'public/api/v1/history is a link to ../../../elsewhere: the output must be in the root',
  },
];
